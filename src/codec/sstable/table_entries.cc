#include "codec/sstable/table_entries.h"

#include <utility>

#include "base/endian.h"

namespace bloomery::sstable {
namespace {

constexpr const char* kDataBlock = "data block";
constexpr std::size_t kInternalKeyTail = 8;  // sequence number and type, after the user key

std::uint64_t tail_of(std::string_view internal_key) {
  return load_little64(reinterpret_cast<const std::byte*>(internal_key.data()) + internal_key.size() -
                       kInternalKeyTail);
}

Result<BlockIndex> read_index(const TableFile& table, const BlockHandle& handle, const IndexForm& form) {
  BLOOMERY_ASSIGN_OR_RETURN(const Block block, table.read(handle, "index block"));
  return BlockIndex::read(block.contents(), handle.offset, form, MemoryShare(table.memory()));
}

}  // namespace

Result<TableEntries> TableEntries::open(const TableFile& table, const EntriesForm& form) {
  BLOOMERY_ASSIGN_OR_RETURN(BlockIndex top, read_index(table, table.footer().index, form.index));
  return TableEntries(table, form, std::move(top));
}

Result<bool> TableEntries::next() {
  while (true) {
    if (!entries_) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool has_block, begin_block());
      if (!has_block) {
        return false;
      }
    }
    Result<bool> more = entries_->next();
    if (more && *more) {
      const Status checked = check_key(entries_->key());
      if (checked) {
        return true;
      }
      more = checked.error();
    }
    if (!more) {
      entries_.reset();
      is_last_key_before_ = false;
      return more.error();
    }
    const Status ended = end_block();
    entries_.reset();
    if (!ended) {
      return ended.error();
    }
  }
}

// Returns the index that has the next data block, or null after the last block.
Result<const BlockIndex*> TableEntries::next_index() {
  if (!form_.has_two_levels) {
    return next_block_ < top_.size() ? &top_ : nullptr;
  }
  while (!partition_ || next_block_ == partition_->size()) {
    partition_.reset();
    next_block_ = 0;
    if (next_partition_ == top_.size()) {
      return nullptr;
    }
    const std::size_t i = next_partition_++;
    if (i > 0 && top_.handle(i).offset <= top_.handle(i - 1).offset) {
      return Error::corruption("table index", top_.handle(i).offset,
                               "a partition behind " + std::to_string(top_.handle(i - 1).offset), "this one");
    }
    BLOOMERY_ASSIGN_OR_RETURN(partition_, read_index(*table_, top_.handle(i), form_.index));
  }
  return &*partition_;
}

Result<bool> TableEntries::begin_block() {
  const Result<const BlockIndex*> index = next_index();
  if (!index) {
    is_last_key_before_ = false;
    return index.error();
  }
  if (*index == nullptr) {
    return false;
  }
  const std::size_t i = next_block_++;
  has_before_ = has_begun_;
  has_begun_ = true;
  before_.swap(separator_);
  separator_ = (*index)->separator(i);
  const Status read = read_data_block((*index)->handle(i));
  if (!read) {
    is_last_key_before_ = false;
    return read.error();
  }
  return true;
}

Status TableEntries::read_data_block(const BlockHandle& handle) {
  if (handle.offset < end_) {
    return Error::corruption("table index", handle.offset,
                             "a data block that begins at " + std::to_string(end_) + " or behind",
                             "this one");
  }
  block_.reset();  // its memory is free for the next one
  BLOOMERY_ASSIGN_OR_RETURN(block_, table_->read(handle, kDataBlock));
  BLOOMERY_ASSIGN_OR_RETURN(entries_, BlockEntries::open(block_->contents(), handle.offset));
  block_offset_ = handle.offset;
  end_ = handle.offset + handle.size + kBlockTrailerBytes;
  is_first_of_block_ = true;
  return {};
}

Status TableEntries::check_key(std::string_view key) {
  if (key.size() < kInternalKeyTail) {
    return Error::corruption(kDataBlock, block_offset_, "a key of 8 bytes or more", key.size());
  }
  const std::string_view user_key = user_key_of(key);
  if (form_.order != KeyOrder::kOther) {
    if (is_last_key_before_) {
      const int order = user_key.compare(last_user_key());
      if (order < 0 || (order == 0 && tail_of(key) > tail_of(last_key_))) {
        return misplaced("keys in order");
      }
    }
    if (is_first_of_block_) {
      BLOOMERY_RETURN_IF_ERROR(check_first_key(user_key));
    }
  }
  if (entry_count_ == 0) {
    first_key_ = key;
  }
  block_count_ += std::uint64_t{is_first_of_block_};
  is_first_of_block_ = false;
  is_last_key_before_ = true;
  last_key_ = key;
  ++entry_count_;
  return {};
}

// A separator may be equal to the first key after it only if it is also the last key before it.
Status TableEntries::check_first_key(std::string_view user_key) const {
  if (!has_before_ || user_key > before_) {
    return {};
  }
  const bool goes_on = user_key == before_ && (!is_last_key_before_ || last_user_key() == before_);
  return goes_on ? Status() : Status(misplaced("keys above the separator before this block"));
}

Status TableEntries::end_block() {
  if (is_first_of_block_) {
    is_last_key_before_ = false;
    return Error::corruption(kDataBlock, block_offset_, "a key at least", "none");
  }
  if (form_.order != KeyOrder::kOther && last_user_key() > separator_) {
    return misplaced("keys up to the block's separator in the index");
  }
  return {};
}

Error TableEntries::misplaced(const std::string& expected) const {
  if (form_.order == KeyOrder::kPresumablyBytewise) {
    return Error::unsupported(
        kDataBlock, block_offset_,
        "expected " + expected + ", found others: the keys may have an order that is not bytewise");
  }
  return Error::corruption(kDataBlock, block_offset_, expected, "others");
}

}  // namespace bloomery::sstable
