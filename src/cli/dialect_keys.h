// How text becomes the keys of a filter of another system: by a key form, or by the type of its keys.
//
//   system      who says the type
//   Parquet     the file (DialectFilter::key_type())
//   Cassandra   --cassandra-key, or the Statistics.db beside the filter. If both are there, they must agree.
//               --key-form hex or text gives the bytes of the key as they are, whatever its types
//   all others  nobody: the key form alone
//
// A Guava filter of Java's serialisation names its funnel, and the key form must be that of the funnel (recorded_funnel.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "cli/key_options.h"

namespace bloomery::cli {

struct DialectKeyMaking {
  KeyTreatment treatment;
  std::shared_ptr<const KeyType> type = nullptr;  // null: the treatment alone makes the keys
};

// All of them: errors are kInvalidArgument if options contradict each other, the filter or the dialect, or if nothing
// says the types of Cassandra's keys.

// For the filter of the file `path`. Errors: also those of reading a Statistics.db.
Result<DialectKeyMaking> keys_of_filter(const KeyOptions& keys, const DialectFilter& filter,
                                        const std::string& path);
// For a filter that is yet to be made. `dialect` is what the user names.
Result<DialectKeyMaking> keys_of_new_filter(const KeyOptions& keys, const std::string& dialect);
// For a database of LevelDB or RocksDB.
Result<DialectKeyMaking> keys_of_database(const KeyOptions& keys);
// For Cassandra, where the caller knows what is recorded: the class of the key's type.
Result<DialectKeyMaking> keys_of_cassandra(const KeyOptions& keys,
                                           const std::optional<std::string>& recorded);

bool is_cassandra(const std::string& dialect);

}  // namespace bloomery::cli
