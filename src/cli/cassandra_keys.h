// Queries a directory of Cassandra's sstables as one filter (bloomery/dialects/cassandra_directory.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "cli/batch_keys.h"
#include "cli/dialect_choice.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

// Returns true if --dialect names Cassandra, or if it is not given and the directory has files named like
// sstables.
bool is_cassandra_directory(const std::string& path, const DialectChoice& dialect);

// Opens the directory. Errors: also kInvalidArgument for --dialect with a version, because every sstable's
// file name contains its version.
Result<CassandraDirectory> open_cassandra(const std::string& path, const DialectChoice& dialect);

// Opens the directory as a KeyFilter. Warns about skipped files, and about sstables without a filter.
Result<std::unique_ptr<KeyFilter>> open_cassandra_directory(std::string_view verb, const std::string& name,
                                                            const DialectChoice& dialect,
                                                            const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
