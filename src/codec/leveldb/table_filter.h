// The filters of a LevelDB table (.ldb), asked as LevelDB asks them: the index finds the data block that a
// user key would be in, and the filter of that block's offset answers. Also a filter block that stands alone,
// where a key may be in when any of its filters matches.
//
// Both are only read. A table's footer, metaindex, index and filter block are checked when it is opened; its
// data blocks are not read. The order of its keys is taken to be bytewise unless a manifest beside the file
// names another. Source: docs/formats/leveldb.md.
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"

namespace bloomery {

// Errors: kCorruption; kUnsupported for a table without a filter of LevelDB's own policy, or in an order that
// is not bytewise; kInvalidArgument for one that RocksDB wrote.
Result<std::unique_ptr<DialectFilter>> open_leveldb_table(const DialectSource& source);
// Errors: kCorruption.
Result<std::unique_ptr<DialectFilter>> open_leveldb_block(const DialectSource& source);

}  // namespace bloomery
