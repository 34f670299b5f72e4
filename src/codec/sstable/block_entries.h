// The entries of a block, in order.   Calls: open (next (key | value)*)*
//
//   entries | u32 offset of every restart | u32 number of restarts (1 or more)
//   entry:    varint shared, varint unshared, varint value size, unshared bytes of the key, value
//
// A key begins with the first `shared` bytes of the one before it; at a restart with none. The restarts
// themselves are not used: entries are read from the first to the last. An index of RocksDB's format version
// 4 and later leaves the value's size away (block_index.h says what then ends it).
// Source: LevelDB, doc/table_format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::sstable {

enum class ValueSize {
  kStored,
  kNotStored,  // whoever reads the value says with end_value() where it ended
};

class BlockEntries {
 public:
  // `offset` is the block's, for messages. Keeps a view of `contents`. Errors: kCorruption.
  static Result<BlockEntries> open(std::span<const std::byte> contents, std::uint64_t offset,
                                   ValueSize value_size = ValueSize::kStored);

  // Goes to the next entry, the first at first; false behind the last. Errors: kCorruption.
  Result<bool> next();

  // Until next().
  std::string_view key() const { return key_; }
  // Whether its key shares bytes with the one before.
  bool shares() const { return shares_; }
  // With kNotStored, all that is left of the entries.
  std::span<const std::byte> value() const { return value_; }
  // `rest` is what of value() was not read.
  void end_value(std::span<const std::byte> rest) { left_ = rest; }

 private:
  BlockEntries(std::span<const std::byte> entries, std::uint64_t offset, ValueSize value_size)
      : left_(entries), offset_(offset), value_size_(value_size) {}

  std::span<const std::byte> left_;
  std::uint64_t offset_;
  ValueSize value_size_;
  std::string key_;
  std::span<const std::byte> value_;
  bool shares_ = false;
};

}  // namespace bloomery::sstable
