// The entries of a block, in order.   Calls: open (next (key | value)*)*
//
//   entries | u32 offset of every restart | u32 number of restarts (1 or more)
//   entry:    varint shared, varint unshared, varint value size, unshared bytes of the key, value
//
// A key begins with the first `shared` bytes of the key before it; at a restart it shares none. The restarts
// themselves are not used, because entries are read from the first to the last.
//
// An index in RocksDB's format version 4 and later leaves out the value's size. block_index.h says how such a
// value ends. Source: LevelDB, doc/table_format.md.
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
  kNotStored,  // the reader of the value calls end_value() to say where it ended
};

class BlockEntries {
 public:
  // Keeps a view of `contents`. `offset` is where the block begins in its file, for messages.
  // Errors: kCorruption.
  static Result<BlockEntries> open(std::span<const std::byte> contents, std::uint64_t offset,
                                   ValueSize value_size = ValueSize::kStored);

  // Goes to the next entry; the first call goes to the first one. Returns false behind the last.
  // Errors: kCorruption.
  Result<bool> next();

  // The key of this entry, valid until next().
  std::string_view key() const { return key_; }
  // Whether the key shares bytes with the key before it.
  bool shares() const { return shares_; }
  // The value of this entry; with kNotStored, all bytes from its begin to the end of the entries.
  std::span<const std::byte> value() const { return value_; }
  // Says where a kNotStored value ended: `rest` is the part of value() behind it.
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
