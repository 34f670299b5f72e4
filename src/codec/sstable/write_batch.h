// One record of a write-ahead log: writes that were applied atomically.
//
//   u64 sequence number | u32 number of writes | writes
//
//   type             write                                                  of
//   0, 1             delete: text key; put: text key, text value            both
//   2, 7             merge: key and value; single delete: key               RocksDB
//   4, 5, 6, 8       the same in a column family, whose varint precedes     RocksDB
//   15, 14           delete of a range: first key, key after the last; in a family     RocksDB
//   17, 16           a value stored in a blob file; in a family             RocksDB
//   22, 23, 24, 25   columns, and a value with a time; in a family          RocksDB
//   3, 9..13, 18, 19, 21   notes and transaction markers, which have no key            RocksDB
//
// A text is a varint size and bytes. The question is whether a database may contain a key, not whether it
// still does: so the key of a delete counts, and so does the first key of a deleted range.
// Sources: LevelDB 1.23; RocksDB 11.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::sstable {

// Receives the column family and the key of a write.
using KeyVisitor = std::function<Status(std::uint32_t family, std::string_view key)>;

// Calls `visit` for every write that has a key. `offset` is the record's offset in its file. Errors:
// kCorruption; kUnsupported for an unknown type; the errors of `visit`.
Status visit_write_batch(std::span<const std::byte> record, std::uint64_t offset, const KeyVisitor& visit);

}  // namespace bloomery::sstable
