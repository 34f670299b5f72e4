// Describes a directory of Cassandra's sstables for `inspect`.
#pragma once

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "bloomery/dialects/cassandra_directory.h"

namespace bloomery::cli {

// Returns the facts as one object. Its array `sstables` has one object per live sstable. Errors:
// kInvalidArgument if the sstables record different key types.
Result<nlohmann::ordered_json> describe_cassandra(const CassandraDirectory& directory);

// Prints one line per element of such an array.
void print_sstables(const nlohmann::ordered_json& sstables);

}  // namespace bloomery::cli
