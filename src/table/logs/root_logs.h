// Finds the logs that HBase would replay for a table when it came back.
//
//   WALs/SERVER/LOG, WALs/SERVER-splitting/LOG    of all tables of a server; not *.meta, of hbase:meta
//   REGION/recovered.edits/N                      of one region; N are digits, the greatest sequence id
//   REGION/recovered.edits/N.seqid                up to N all edits of the region are settled
//
//   WALs/SERVER/LOG.mark                          how far LOG is synced (wal/log_mark.h); ours, not HBase's
//
// oldWALs is never replayed. A file that was moved aside (N.TIME) or is being written (.temp) is none: its
// edits are in another log. Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "table/layout/root_directory.h"
#include "wal/log_mark.h"

namespace bloomery::table {

// Append the paths of the servers' logs, and of a region's. They are listed before the files. A server that
// is alive flushes edits into a file before it moves their log away. So either the file is listed too, or the
// log is gone when it is opened, which is an error. An empty log is not listed, unless it has a mark. A log
// that does not exist is listed if it has a mark and is not in oldWALs. Errors: kIo.
Status append_server_logs(const RootDirectory& root, std::vector<std::string>& logs);
Status append_region_logs(FileSystem& files, const std::string& region, std::vector<std::string>& logs);

// Returns the mark of a log, or nothing if it has none, or if nothing was marked yet (an empty file). The
// newest log of a store has its mark in .bloomery/MARK. Errors: kIo; kCorruption, also for the mark of
// another log.
Result<std::optional<wal::LogMark>> read_mark_of(FileSystem& files, const std::string& log);

// Returns true if oldWALs has a log of that name: all of its edits are in files.
bool is_archived(const RootDirectory& root, const std::string& log);

// Returns the greatest N of the files N.seqid of the region at the path, or 0. Errors: kIo.
Result<std::int64_t> settled_sequence(FileSystem& files, const std::string& region);

}  // namespace bloomery::table
