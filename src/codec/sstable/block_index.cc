#include "codec/sstable/block_index.h"

#include <algorithm>
#include <utility>

#include "base/varint.h"
#include "codec/sstable/block_entries.h"

namespace bloomery::sstable {
namespace {

constexpr const char* kTableIndexSubject = "table index";
constexpr std::size_t kInternalBytes = 8;  // sequence number and type, after the user key
// A growing list is copied into one of twice the capacity.
constexpr std::uint64_t kTimesWhileGrowing = 2;

Result<std::string_view> user_key(std::string_view separator, const IndexForm& form, std::uint64_t offset) {
  if (!form.internal_keys) {
    return separator;
  }
  if (separator.size() < kInternalBytes) {
    return Error::corruption(kTableIndexSubject, offset, "a separator of 8 bytes or more", separator.size());
  }
  return separator.substr(0, separator.size() - kInternalBytes);
}

// Returns the handle after `before`. `bytes` begins with the difference of their sizes.
Result<BlockHandle> read_next_handle(std::span<const std::byte>& bytes, const BlockHandle& before,
                                     std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t zigzag, read_next_varint(bytes, offset));
  const auto difference = static_cast<std::uint64_t>(unzigzagged(zigzag));
  // Damaged numbers wrap around. read_block() checks that the block is in the file.
  return BlockHandle{.offset = before.offset + before.size + kBlockTrailerBytes,
                     .size = before.size + difference};
}

}  // namespace

Result<BlockIndex> BlockIndex::read(std::span<const std::byte> contents, std::uint64_t offset,
                                    const IndexForm& form, MemoryShare memory) {
  const ValueSize value_size = form.delta_handles ? ValueSize::kNotStored : ValueSize::kStored;
  BLOOMERY_ASSIGN_OR_RETURN(BlockEntries entries, BlockEntries::open(contents, offset, value_size));
  BlockIndex index;
  index.memory_ = std::move(memory);
  BlockHandle handle;
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, entries.next());
    if (!more) {
      return index;
    }
    std::span<const std::byte> value = entries.value();
    if (form.delta_handles && entries.shares()) {
      BLOOMERY_ASSIGN_OR_RETURN(handle, read_next_handle(value, handle, offset));
    } else {
      BLOOMERY_ASSIGN_OR_RETURN(handle, read_block_handle(value, offset));
    }
    if (form.first_keys) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, read_next_varint(value, offset));
      if (size > value.size()) {
        return Error::corruption(kTableIndexSubject, offset,
                                 "a first key of at most " + std::to_string(value.size()) + " bytes", size);
      }
      value = value.subspan(size);
    }
    if (form.delta_handles) {
      entries.end_value(value);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view separator, user_key(entries.key(), form, offset));
    if (form.is_bytewise && !index.entries_.empty() && separator < index.separator(index.size() - 1)) {
      return Error::unsupported(kTableIndexSubject, offset,
                                "expected separators in bytewise order, found a lower one behind entry " +
                                    std::to_string(index.size() - 1));
    }
    BLOOMERY_RETURN_IF_ERROR(index.append(separator, handle));
  }
}

Status BlockIndex::append(std::string_view separator, const BlockHandle& handle) {
  BLOOMERY_RETURN_IF_ERROR(
      memory_.add(kTableIndexSubject, kTimesWhileGrowing * (sizeof(Entry) + separator.size())));
  entries_.push_back({.begin = separators_.size(), .size = separator.size(), .handle = handle});
  separators_ += separator;
  return {};
}

std::size_t BlockIndex::find(std::string_view user_key) const {
  const auto found = std::ranges::lower_bound(entries_, user_key, {}, [this](const Entry& entry) {
    return std::string_view(separators_).substr(entry.begin, entry.size);
  });
  return static_cast<std::size_t>(found - entries_.begin());
}

}  // namespace bloomery::sstable
