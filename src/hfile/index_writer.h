// Writes the index of an HFile's data blocks as it grows (block_index.h has the layouts).
//
//   leaf           written between data blocks when it is as large as a block of the index should be
//   root           the leaves; of a file that never filled one, its data blocks
//   intermediate   while the root is too large, and of more entries than the fewest: it is cut into blocks,
//                  whose first keys are a new root
//
// The first cut of a level comes behind its entry number `min_entries`, counted from 0, or later; others
// where the block is large enough. In memory are the entries that no leaf has, and one for each leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block_writer.h"
#include "hfile/byte_writer.h"

namespace bloomery::hfile {

// Entries of one block of an index, and how large it would be.
class IndexEntries {
 public:
  void add(std::string_view key, std::uint64_t offset, std::uint32_t on_disk_bytes);
  void clear();

  std::size_t size() const { return entries_.size(); }
  std::string_view key(std::size_t i) const;
  std::size_t root_bytes() const { return root_bytes_; }
  std::size_t non_root_bytes() const;

  void append_root_to(ByteWriter& out) const;
  void append_non_root_to(ByteWriter& out) const;
  void append_entry_of(const IndexEntries& other, std::size_t i);

  std::uint64_t offset(std::size_t i) const { return entries_[i].offset; }
  std::uint32_t on_disk_bytes(std::size_t i) const { return entries_[i].on_disk_bytes; }

 private:
  struct Entry {
    std::uint64_t offset;
    std::uint32_t on_disk_bytes;
    std::size_t key_end;
  };

  std::vector<Entry> entries_;
  std::string keys_;
  std::size_t root_bytes_ = 0;
};

struct IndexLimits {
  std::uint32_t block_bytes = 131072;
  std::uint32_t min_entries = 16;
};

// Calls: (add write_leaf_if_full?)* finish.
class IndexWriter {
 public:
  // `blocks` outlives it.
  IndexWriter(BlockWriter& blocks, const IndexLimits& limits) : blocks_(blocks), limits_(limits) {}

  void add(std::string_view key, const WrittenBlock& data_block);
  // Errors, here and below: those of BlockWriter::finish().
  Status write_leaf_if_full();
  // The last leaf, should there be leaves. Blocks of other kinds may follow before finish().
  Status write_last_leaf();
  // The levels above, and the root.
  Result<WrittenBlock> finish();

  std::uint32_t levels() const { return levels_; }
  std::size_t root_count() const { return root_.size(); }
  // Of all blocks of the index.
  std::uint64_t payload_bytes() const { return payload_bytes_; }
  // Headers and payloads of those above the leaves.
  std::uint64_t upper_bytes() const { return upper_bytes_; }

 private:
  struct Middle {
    std::size_t leaf = 0;
    std::uint32_t entry = 0;
  };

  Status write_leaf();
  Status write_level();
  Status write_intermediate(IndexEntries& block, IndexEntries& above);
  Middle middle() const;

  BlockWriter& blocks_;
  IndexLimits limits_;
  IndexEntries leaf_;  // without its last, written ones
  IndexEntries root_;
  std::vector<std::uint64_t> data_blocks_until_;  // of each leaf: how many it and those before it have
  std::uint32_t levels_ = 1;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t upper_bytes_ = 0;
};

}  // namespace bloomery::hfile
