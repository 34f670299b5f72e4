// The full filter of a RocksDB table (.sst), or its partitions, as the table's metaindex names them.
//
// The filter is only read. Opening checks footer, metaindex, properties and all filter blocks; it does not
// read data blocks. Keys are whole user keys. A filter that has them is asked for the key, as in RocksDB. A
// filter that has only prefixes is asked for the key's prefix. The table names its prefix extractor; if that
// is not one of RocksDB's own, the caller has to say what it does. Source: docs/formats/rocksdb.md.
#pragma once

#include <memory>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"
#include "codec/rocksdb/prefix_extractor.h"

namespace bloomery {

// Errors:
//
//   kCorruption        the table is damaged
//   kUnsupported       no full filter; prefixes by an unknown extractor; or partitions in an order that is not
//                      bytewise
//   kInvalidArgument   LevelDB wrote the table, or the table names another extractor than `prefix`
Result<std::unique_ptr<DialectFilter>> open_rocksdb_table(
    const DialectSource& source, const std::optional<RocksDbPrefixExtractor>& prefix = {});

}  // namespace bloomery
