// Reads the small files of an sstable: Statistics.db, TOC.txt and transaction logs. Other files of this
// folder parse them.
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"

namespace bloomery {

// Returns the bytes of the file. Errors: kNotFound, kIo; kCapacity above 256 MiB, which no such file has.
Result<std::string> read_component(const std::string& path);

// Returns the statistics from the Statistics.db in the same directory as the file `path`, which has the
// parsed name `name`. Returns nothing if there is none, or if its version has another layout. Errors: the
// errors of read_component() and read_statistics(), with the path of the statistics.
Result<std::optional<SSTableStatistics>> statistics_beside(const std::string& path, const SSTableName& name,
                                                           const CassandraLayout& layout);

}  // namespace bloomery
