// Reads the small files of an sstable: Statistics.db, TOC.txt and the logs of transactions. What is in them, other files
// say.
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"

namespace bloomery {

// Returns the bytes of the file. Errors: kNotFound, kIo; kCapacity above 256 MiB, which no such file has.
Result<std::string> read_component(const std::string& path);

// Returns the statistics in the Statistics.db that lies beside the file `path`, which has the parsed name `name`.
// Returns nothing if there is none, or if its version has another layout. Errors: those of both reads, with the path of
// the statistics.
Result<std::optional<SSTableStatistics>> statistics_beside(const std::string& path, const SSTableName& name,
                                                           const CassandraLayout& layout);

}  // namespace bloomery
