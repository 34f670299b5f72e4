// Reads the keys of all data blocks of a table, in the order of the file, to prove a filter by them.
//
//   open (next user_key*)*
//
// next() checks, besides the checksum and the form of every block that the index leads to:
//
//   - data blocks ascend, do not overlap, and have a key at least
//   - user keys ascend, and the versions of a user key descend
//   - a separator of the index is at or above the last key of its block, and below the first key of the next
//
// After an error, next() continues with the next block. The last two checks need the order of keys.
// Merge operands and tombstones of keys are entries like others: filters have their keys, too. Tombstones of
// ranges are in a block of their own, which is not read here, and in no filter.
//
// Memory: one block, and the index, both charged to the table's budget.
// Sources: LevelDB, doc/table_format.md; RocksDB 11.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "codec/sstable/block_entries.h"
#include "codec/sstable/block_index.h"
#include "codec/sstable/table_file.h"

namespace bloomery::sstable {

enum class KeyOrder {
  kBytewise,
  kPresumablyBytewise,  // the table does not record its order; another one is kUnsupported, not damage
  kOther,               // not checked
};

struct EntriesForm {
  IndexForm index = {};
  bool has_two_levels = false;  // the entries of the index lead to indexes
  KeyOrder order = KeyOrder::kBytewise;
};

class TableEntries {
 public:
  // Keeps a reference to `table`. Errors: kCorruption, kUnsupported, kCapacity.
  static Result<TableEntries> open(const TableFile& table, const EntriesForm& form);

  // Moves to the next entry. Returns false after the last one. Errors: kCorruption, kUnsupported, kCapacity.
  Result<bool> next();

  // Returns the user key of this entry, valid until next().
  std::string_view user_key() const { return user_key_of(entries_->key()); }

  // The counts so far. A block counts once its first entry was read.
  std::uint64_t entries() const { return entry_count_; }
  std::uint64_t blocks() const { return block_count_; }
  // Returns the offset of the end of the last block that was begun.
  std::uint64_t offset() const { return end_; }
  // Returns the user keys of the first and the last entry. Precondition: entries() > 0.
  std::string_view first_user_key() const { return user_key_of(first_key_); }
  std::string_view last_user_key() const { return user_key_of(last_key_); }

 private:
  TableEntries(const TableFile& table, const EntriesForm& form, BlockIndex top)
      : table_(&table), form_(form), top_(std::move(top)) {}

  static std::string_view user_key_of(std::string_view key) { return key.substr(0, key.size() - 8); }

  Result<bool> begin_block();
  Result<const BlockIndex*> next_index();
  Status read_data_block(const BlockHandle& handle);
  Status check_key(std::string_view key);
  Status check_first_key(std::string_view user_key) const;
  Status end_block();
  Error misplaced(const std::string& expected) const;

  const TableFile* table_;
  EntriesForm form_;
  BlockIndex top_;
  std::size_t next_partition_ = 0;  // of an index in two levels
  std::optional<BlockIndex> partition_;
  std::size_t next_block_ = 0;  // in the partition, or in top_
  std::optional<Block> block_;
  std::optional<BlockEntries> entries_;  // of block_
  std::uint64_t block_offset_ = 0;
  std::uint64_t end_ = 0;
  bool is_first_of_block_ = false;
  std::string separator_;  // of the current block
  std::string before_;     // of the previous block; compared only if has_before_
  bool has_before_ = false;
  bool has_begun_ = false;
  bool is_last_key_before_ = false;  // last_key_ is that of the previous entry: no block was lost since
  std::string first_key_;            // internal keys
  std::string last_key_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t block_count_ = 0;
};

}  // namespace bloomery::sstable
