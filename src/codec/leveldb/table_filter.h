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

// The rule that answers for a table's filter. A metaindex names its filter "filter." and the policy's name,
// and programs may use LevelDB's filter under a name of their own.
enum class LevelDbPolicy {
  kByName,   // of the names of LevelDB and of goleveldb; another name is refused
  kLevelDb,  // LevelDB's rule, whatever the name
  kRocksDb,  // the same with the hash of RocksDB, whose tail is signed
};

// Errors:
//
//   kCorruption        the table is damaged
//   kUnsupported       no filter, several, or none of a known name; or the order of keys is not bytewise
//   kInvalidArgument   RocksDB wrote the table
Result<std::unique_ptr<DialectFilter>> open_leveldb_table(const DialectSource& source,
                                                          LevelDbPolicy policy = LevelDbPolicy::kByName);
// Errors: kCorruption.
Result<std::unique_ptr<DialectFilter>> open_leveldb_block(const DialectSource& source);

}  // namespace bloomery
