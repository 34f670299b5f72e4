#include "hfile/index_writer.h"

#include <algorithm>

#include "base/hadoop_vlong.h"
#include "hfile/trailer.h"

namespace bloomery::hfile {
namespace {

constexpr std::size_t kEntryFixedBytes = 12;  // without the key

std::size_t vlong_bytes(std::size_t value) {
  std::byte bytes[kMaxHadoopVlongBytes];
  return write_hadoop_vlong(bytes, static_cast<std::int64_t>(value));
}

}  // namespace

void IndexEntries::add(std::string_view key, std::uint64_t offset, std::uint32_t on_disk_bytes) {
  keys_ += key;
  entries_.push_back({offset, on_disk_bytes, keys_.size()});
  root_bytes_ += kEntryFixedBytes + vlong_bytes(key.size()) + key.size();
}

void IndexEntries::clear() {
  entries_.clear();
  keys_.clear();
  root_bytes_ = 0;
}

std::string_view IndexEntries::key(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : entries_[i - 1].key_end;
  return std::string_view(keys_).substr(begin, entries_[i].key_end - begin);
}

// Counts the entry count, the starts, and the entries with their keys (block_index.h).
std::size_t IndexEntries::non_root_bytes() const {
  return 4 + 4 * (size() + 1) + kEntryFixedBytes * size() + keys_.size();
}

void IndexEntries::append_root_to(ByteWriter& out) const {
  for (std::size_t i = 0; i < size(); ++i) {
    out.number(entries_[i].offset);
    out.number(entries_[i].on_disk_bytes);
    out.vlong(static_cast<std::int64_t>(key(i).size()));
    out.append(key(i));
  }
}

void IndexEntries::append_non_root_to(ByteWriter& out) const {
  out.number(static_cast<std::uint32_t>(size()));
  out.number(std::uint32_t{0});
  for (std::size_t i = 0; i < size(); ++i) {
    out.number(static_cast<std::uint32_t>(kEntryFixedBytes * (i + 1) + entries_[i].key_end));
  }
  for (std::size_t i = 0; i < size(); ++i) {
    out.number(entries_[i].offset);
    out.number(entries_[i].on_disk_bytes);
    out.append(key(i));
  }
}

void IndexEntries::append_entry_of(const IndexEntries& other, std::size_t i) {
  add(other.key(i), other.offset(i), other.on_disk_bytes(i));
}

void IndexWriter::add(std::string_view key, const WrittenBlock& data_block) {
  leaf_.add(key, data_block.offset, data_block.on_disk_bytes);
}

Status IndexWriter::write_leaf_if_full() {
  return leaf_.non_root_bytes() >= limits_.block_bytes && leaf_.size() > 0 ? write_leaf() : Status();
}

// A file that never filled a leaf has one level: its entries become the root.
Status IndexWriter::write_last_leaf() {
  if (root_.size() == 0) {
    std::swap(root_, leaf_);
    return {};
  }
  return leaf_.size() > 0 ? write_leaf() : Status();
}

Status IndexWriter::write_leaf() {
  leaf_.append_non_root_to(blocks_.begin(BlockKind::kLeafIndex));
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock written, blocks_.finish());
  root_.add(leaf_.key(0), written.offset, written.on_disk_bytes);
  data_blocks_until_.push_back((data_blocks_until_.empty() ? 0 : data_blocks_until_.back()) + leaf_.size());
  payload_bytes_ += written.payload_bytes;
  levels_ = 2;
  leaf_.clear();
  return {};
}

// Returns the entry of the middle data block, number (T - 1) / 2 of T blocks. Precondition: there are leaves.
IndexWriter::Middle IndexWriter::middle() const {
  const std::uint64_t target = (data_blocks_until_.back() - 1) / 2;
  const auto leaf = std::ranges::upper_bound(data_blocks_until_, target);
  const std::uint64_t before = leaf == data_blocks_until_.begin() ? 0 : *(leaf - 1);
  return {static_cast<std::size_t>(leaf - data_blocks_until_.begin()),
          static_cast<std::uint32_t>(target - before)};
}

Status IndexWriter::write_intermediate(IndexEntries& block, IndexEntries& above) {
  block.append_non_root_to(blocks_.begin(BlockKind::kIntermediateIndex));
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock written, blocks_.finish());
  above.add(block.key(0), written.offset, written.on_disk_bytes);
  payload_bytes_ += written.payload_bytes;
  upper_bytes_ += kBlockHeaderBytes + written.payload_bytes;
  block.clear();
  return {};
}

// Splits the root into intermediate blocks, whose first keys become the new root.
Status IndexWriter::write_level() {
  IndexEntries above;
  IndexEntries block;
  for (std::size_t i = 0; i < root_.size(); ++i) {
    block.append_entry_of(root_, i);
    if (i >= limits_.min_entries && block.root_bytes() >= limits_.block_bytes) {
      BLOOMERY_RETURN_IF_ERROR(write_intermediate(block, above));
    }
  }
  if (block.size() > 0) {
    BLOOMERY_RETURN_IF_ERROR(write_intermediate(block, above));
  }
  root_ = std::move(above);
  ++levels_;
  return {};
}

// The middle is computed from the leaves, before they are moved below other levels.
Result<WrittenBlock> IndexWriter::finish() {
  ByteWriter middle_leaf;
  if (levels_ > 1) {
    const Middle found = middle();
    middle_leaf.number(root_.offset(found.leaf));
    middle_leaf.number(root_.on_disk_bytes(found.leaf));
    middle_leaf.number(found.entry);
    while (root_.root_bytes() > limits_.block_bytes && root_.size() > limits_.min_entries &&
           levels_ < kMaxIndexLevels) {
      if (const Status status = write_level(); !status) {
        return status.error();
      }
    }
  }
  ByteWriter& block = blocks_.begin(BlockKind::kRootIndex);
  root_.append_root_to(block);
  block.append(middle_leaf.text());
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock written, blocks_.finish());
  payload_bytes_ += written.payload_bytes;
  upper_bytes_ += kBlockHeaderBytes + written.payload_bytes;
  return written;
}

}  // namespace bloomery::hfile
