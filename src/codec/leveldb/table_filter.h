// The filters of a LevelDB table (.ldb), asked as LevelDB asks them. The index finds the data block that a
// user key would be in, and the filter for that block's offset answers.
//
// A filter block can also stand alone. There a key may be in if any of the filters matches.
//
// Both are only read. Opening checks a table's footer, metaindex, index and filter block; it does not read
// data blocks. Keys are taken to be in bytewise order unless a manifest beside the file names another order.
// Source: docs/formats/leveldb.md.
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"

namespace bloomery {

// Errors:
//
//   kCorruption        the table is damaged
//   kUnsupported       no filter of LevelDB's own policy, or the order of keys is not bytewise
//   kInvalidArgument   RocksDB wrote the table
Result<std::unique_ptr<DialectFilter>> open_leveldb_table(const DialectSource& source);
// Errors: kCorruption.
Result<std::unique_ptr<DialectFilter>> open_leveldb_block(const DialectSource& source);

}  // namespace bloomery
