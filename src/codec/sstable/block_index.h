// The index of a table: for every block a separator that is not below its last key and below the first key of
// the next, and the block's handle.
//
// Invariants, checked when it is read: separators ascend bytewise by user key, so that find() is right; a
// table in another order (a comparator of its own) is refused. Two neighbours have the same user key where
// its versions fill more than one block. Keys that share much are longer in memory than in the file: what they
// take is charged.
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

// How separators and handles are written: LevelDB's way, but for later versions of RocksDB.
struct IndexForm {
  // Separators end with eight bytes of sequence number and type.
  bool internal_keys = true;
  // Values are handles without their size; that of a key that shares bytes with the one before is the
  // difference of its size to the handle before, zigzag, and lies directly behind it.
  bool delta_handles = false;
};

class BlockIndex {
 public:
  // `offset` is the block's, for messages. Errors: kCorruption; kUnsupported for another order; kCapacity.
  static Result<BlockIndex> read(std::span<const std::byte> contents, std::uint64_t offset,
                                 const IndexForm& form, MemoryShare memory = {});

  std::size_t size() const { return entries_.size(); }
  const BlockHandle& handle(std::size_t i) const { return entries_[i].handle; }
  // The user key of the separator.
  std::string_view separator(std::size_t i) const {
    return std::string_view(separators_).substr(entries_[i].begin, entries_[i].size);
  }
  // Returns the first block whose separator is not below `user_key`: the only one that may begin with it; or
  // size().
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
