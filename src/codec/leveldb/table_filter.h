// The filters of a LevelDB table (.ldb), queried like LevelDB does: the index finds the data block that would
// contain a user key, and the filter for that block's offset answers.
//
// A filter block can also be a file of its own. Then the answer is maybe if any of the filters matches.
//
// Both are read-only. Opening checks a table's footer, metaindex, index and filter block; it does not read
// data blocks. The order of keys is bytewise unless a manifest in the same directory names another order.
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
