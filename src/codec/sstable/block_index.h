// The index of a table: for every block its handle and a separator. The separator is not below the block's
// last key and is below the first key of the next block.
//
// Invariant, which read() checks: separators ascend bytewise by user key, so that find() is right. A table in
// another order (with a comparator of its own) is refused. Two neighbours have the same user key if the
// versions of that key fill more than one block.
//
// Memory: keys that share many bytes are longer in memory than in the file. The index charges what they take.
// Sources: LevelDB, doc/table_format.md; RocksDB 7.8.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/sstable/block_handle.h"

namespace bloomery::sstable {

// How separators and handles are written. The defaults are those of LevelDB and of early versions of RocksDB.
struct IndexForm {
  // Separators end with eight bytes of sequence number and type.
  bool internal_keys = true;
  // Entries do not store the size of their value. If a key shares no bytes with the key before, its value is
  // a whole handle. Otherwise the value is only the zigzag difference of the block's size to the size of the
  // block before, and the block lies directly behind that one.
  bool delta_handles = false;
};

class BlockIndex {
 public:
  // `offset` is where the block begins in its file, for messages. Errors: kCorruption; kUnsupported for
  // another order; kCapacity.
  static Result<BlockIndex> read(std::span<const std::byte> contents, std::uint64_t offset,
                                 const IndexForm& form, MemoryShare memory = {});

  std::size_t size() const { return entries_.size(); }
  const BlockHandle& handle(std::size_t i) const { return entries_[i].handle; }
  // Returns the separator's user key.
  std::string_view separator(std::size_t i) const {
    return std::string_view(separators_).substr(entries_[i].begin, entries_[i].size);
  }
  // Returns the first block whose separator is not below `user_key`, or size() if there is none. No other
  // block can be the first that has this key.
  std::size_t find(std::string_view user_key) const;

 private:
  struct Entry {
    std::size_t begin;
    std::size_t size;
    BlockHandle handle;
  };

  Status append(std::string_view separator, const BlockHandle& handle, std::uint64_t offset);

  std::string separators_;
  std::vector<Entry> entries_;
  MemoryShare memory_;
};

}  // namespace bloomery::sstable
