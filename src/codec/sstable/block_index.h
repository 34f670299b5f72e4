// The index of a table: for every block its handle and a separator. The separator is at or above the block's
// last key, and below the first key of the next block.
//
// Invariant, which read() checks: separators ascend bytewise by user key, so that find() is correct. A table
// in another order (with a custom comparator) is refused, unless IndexForm says so. Adjacent separators have the same user key if the
// versions of that key fill more than one block.
//
// Memory: keys with long shared prefixes are longer in memory than in the file. The index
// charges their memory.
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

// The encoding of separators and handles. The defaults are those of LevelDB and early versions of RocksDB.
struct IndexForm {
  // Separators end with eight bytes of sequence number and type.
  bool internal_keys = true;
  // Entries do not store the size of their value. If a key shares no bytes with the previous key, its value
  // is a complete handle. Otherwise the block immediately follows the previous one, and the value is the
  // zigzag difference of their sizes.
  bool delta_handles = false;
  // After its handle, a value has the size of the block's first internal key, and that key.
  bool first_keys = false;
  // False for an order of keys that is not known here. read() then accepts any order, and find() must not be
  // called.
  bool is_bytewise = true;
};

class BlockIndex {
 public:
  // `offset` is the block's offset in its file, for messages. Errors: kCorruption; kUnsupported for another
  // order; kCapacity.
  static Result<BlockIndex> read(std::span<const std::byte> contents, std::uint64_t offset,
                                 const IndexForm& form, MemoryShare memory = {});

  std::size_t size() const { return entries_.size(); }
  const BlockHandle& handle(std::size_t i) const { return entries_[i].handle; }
  // Returns the separator's user key.
  std::string_view separator(std::size_t i) const {
    return std::string_view(separators_).substr(entries_[i].begin, entries_[i].size);
  }
  // Returns the first block whose separator is at or above `user_key`, or size() if there is none. No other
  // block can be the first that contains this key.
  std::size_t find(std::string_view user_key) const;

 private:
  struct Entry {
    std::size_t begin;
    std::size_t size;
    BlockHandle handle;
  };

  Status append(std::string_view separator, const BlockHandle& handle);

  std::string separators_;
  std::vector<Entry> entries_;
  MemoryShare memory_;
};

}  // namespace bloomery::sstable
