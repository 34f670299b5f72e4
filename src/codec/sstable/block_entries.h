// The entries of a block, in order.   Calls: open (next (key | value)*)*
//
//   entries | u32 offset of every restart | u32 number of restarts (1 or more)
//   entry:    varint shared, varint unshared, varint value size, unshared bytes of the key, value
//
// A key begins with the first `shared` bytes of the previous key; at a restart it shares none. The restarts
// themselves are not used, because entries are read from first to last.
//
// In a data block of RocksDB, a hash index may follow the restarts, and is not used either. The number of
// restarts then has its highest bit set:
//
//   u8 of every bucket | u16 number of buckets | u32 2^31 + number of restarts
//
// An index in RocksDB's format version 4 and later omits the value's size. block_index.h defines how such a
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
  kNotStored,  // the reader of the value calls end_value() with the bytes after it
};

class BlockEntries {
 public:
  // Keeps a view of `contents`. `offset` is the block's offset in its file, for
  // messages. Errors: kCorruption.
  static Result<BlockEntries> open(std::span<const std::byte> contents, std::uint64_t offset,
                                   ValueSize value_size = ValueSize::kStored);

  // Moves to the next entry; the first call moves to the first entry. Returns false after the
  // last. Errors: kCorruption.
  Result<bool> next();

  // Returns the key of this entry, valid until next().
  std::string_view key() const { return key_; }
  // Returns true if the key shares bytes with the previous key.
  bool shares() const { return shares_; }
  // Returns the value of this entry; with kNotStored, all bytes from its beginning to the end of the entries.
  std::span<const std::byte> value() const { return value_; }
  // Ends a kNotStored value: `rest` is the tail of value() after it.
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
