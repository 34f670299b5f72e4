// Turns text into the keys of a filter of another system, by a key form or by the recorded type of its keys.
//
//   system      source of the type
//   Parquet     the file (DialectFilter::key_type())
//   Cassandra   --cassandra-key, or the sstable's Statistics.db. If both exist, they must agree.
//               --key-form hex or text passes the bytes of the key unchanged, whatever its types
//   all others  none: only the key form
//
// A Guava filter serialised by Java names its funnel, and the key form must agree with it
// (dialects/key_rule.h).
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "cli/key_options.h"
#include "query/byte_keys.h"

namespace bloomery::cli {

// Errors of all functions: kInvalidArgument if options contradict each other, the filter or the dialect, or
// if the types of Cassandra's keys are unknown.

// For the filter in the file `path`.
Result<DialectKeyMaking> keys_of_filter(const KeyOptions& keys, const DialectFilter& filter,
                                        const std::string& path);
// For a filter that does not exist yet. `dialect` is the value of --dialect.
Result<DialectKeyMaking> keys_of_new_filter(const KeyOptions& keys, const std::string& dialect);
// For a database of LevelDB or RocksDB.
Result<DialectKeyMaking> keys_of_database(const KeyOptions& keys);
// For Cassandra, if the caller knows the recorded class of the key's type.
Result<DialectKeyMaking> keys_of_cassandra(const KeyOptions& keys,
                                           const std::optional<std::string>& recorded);

}  // namespace bloomery::cli
