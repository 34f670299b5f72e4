// The full filter of a RocksDB table (.sst), or its partitions, as listed in the table's metaindex.
//
// The filter is read-only. Opening checks footer, metaindex, properties and all filter blocks; it does not
// read data blocks. Keys are user keys. A filter of whole keys is queried with the key, as in RocksDB. A
// filter with only prefixes is queried with the key's prefix. The table names its prefix extractor; if that
// is not one of RocksDB's own, the caller must specify it. Source: docs/formats/rocksdb.md.
#pragma once

#include <memory>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"
#include "codec/rocksdb/prefix_extractor.h"

namespace bloomery {

// What a filter with both whole keys and prefixes is queried with.
enum class RocksDbAsked {
  kKeys,
  kPrefixes,  // to prove that the prefixes are in, too
};

// Errors:
//
//   kCorruption        the table is damaged
//   kUnsupported       no full filter; prefixes by an unknown extractor; or partitions that are not in
//                      bytewise order
//   kInvalidArgument   LevelDB wrote the table, or the table names another extractor than `prefix`
Result<std::unique_ptr<DialectFilter>> open_rocksdb_table(
    const DialectSource& source, const std::optional<RocksDbPrefixExtractor>& prefix = {},
    RocksDbAsked asked = RocksDbAsked::kKeys);

}  // namespace bloomery
