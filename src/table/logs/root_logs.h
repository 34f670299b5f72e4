// Finds the logs that HBase would replay for a table when it came back.
//
//   WALs/SERVER/LOG, WALs/SERVER-splitting/LOG    of all tables of a server, but *.meta, which are hbase:meta's
//   REGION/recovered.edits/N                      of one region; N are digits, the greatest sequence id
//   REGION/recovered.edits/N.seqid                up to N all edits of the region are settled
//
// oldWALs is never replayed. A file that was moved aside (N.TIME) or is being written (.temp) is none: its
// edits are in another log. Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "table/layout/table_layout.h"

namespace bloomery::table {

// Returns the logs of all servers, then those in the regions of the table. Errors: kIo.
Result<std::vector<std::string>> logs_of(const TableLayout& layout);

// Returns the greatest N of the region's files N.seqid, or 0. Errors: kIo.
Result<std::int64_t> settled_sequence(const TableLayout& layout, const std::string& region);

}  // namespace bloomery::table
