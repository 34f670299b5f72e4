// The full filter of a RocksDB table (.sst), or the partitions of one, as the table's metaindex names them.
//
// Only read. Footer, metaindex, properties and all filter blocks are checked when it is opened; data blocks
// are not read. Keys are whole user keys: a table whose filter has prefixes only is refused, since a whole
// key in it would be a wrong no. Source: docs/formats/rocksdb.md.
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"

namespace bloomery {

// Errors: kCorruption; kUnsupported for a table without a full filter, one of prefixes only, partitions in an
// order that is not bytewise; kInvalidArgument for one that LevelDB wrote.
Result<std::unique_ptr<DialectFilter>> open_rocksdb_table(const DialectSource& source);

}  // namespace bloomery
