// Writes the index of an HFile's data blocks incrementally (block_index.h has the layouts).
//
//   leaf           add() collects an entry for each data block. When the entries fill an index block, they
//                  are written as a leaf, between two data blocks.
//   root           points at the leaves. In a file that never filled a leaf, it points at the data blocks.
//   intermediate   finish() splits the root into blocks while it is larger than an index block and has more
//                  than `min_entries` entries. The first keys of these blocks become the new root.
//
// A block of a split level ends when it is large enough. The first one must also contain the level's entry
// number `min_entries`, counted from 0. There are at most 16 levels.
//
// Memory holds the entries that are not in a leaf yet, and one entry for each leaf.
//
// Source: HBase's HFileBlockIndex.BlockIndexWriter; docs/formats/hfile-writing.md.
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

// The entries of one index block, and the size that the block would have.
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

// Calls: (add write_leaf_if_full?)* write_last_leaf finish
class IndexWriter {
 public:
  // `blocks` must outlive the writer.
  IndexWriter(BlockWriter& blocks, const IndexLimits& limits) : blocks_(blocks), limits_(limits) {}

  void add(std::string_view key, const WrittenBlock& data_block);
  // Errors of the writing functions: kCapacity for a block of 2^31 bytes or more; kIo.
  Status write_leaf_if_full();
  // Writes the last leaf if the file has leaves. Blocks of other kinds may follow before finish().
  Status write_last_leaf();
  // Writes the levels above the leaves, and the root. Returns the root.
  Result<WrittenBlock> finish();

  std::uint32_t levels() const { return levels_; }
  std::size_t root_count() const { return root_.size(); }
  // Returns the payload bytes of all index blocks.
  std::uint64_t payload_bytes() const { return payload_bytes_; }
  // Returns the bytes of headers and payloads of the blocks above the leaves.
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
  IndexEntries leaf_;  // entries that are not in a written leaf
  IndexEntries root_;
  std::vector<std::uint64_t> data_blocks_until_;  // per leaf: data blocks up to its end
  std::uint32_t levels_ = 1;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t upper_bytes_ = 0;
};

}  // namespace bloomery::hfile
