// The full filter of a RocksDB table (.sst), or its partitions, as the table's metaindex names them.
//
// The filter is only read. Opening checks footer, metaindex, properties and all filter blocks; it does not
// read data blocks. Keys are whole user keys. A table whose filter has only prefixes is refused, because its
// answer to a whole key could be a wrong no. Source: docs/formats/rocksdb.md.
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"

namespace bloomery {

// Errors:
//
//   kCorruption        the table is damaged
//   kUnsupported       no full filter; only prefixes; or partitions in an order that is not bytewise
//   kInvalidArgument   LevelDB wrote the table
Result<std::unique_ptr<DialectFilter>> open_rocksdb_table(const DialectSource& source);

}  // namespace bloomery
