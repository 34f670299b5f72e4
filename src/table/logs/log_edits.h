// Adds to a table what only its logs have: the edits that HBase would replay when it came back.
//
// An edit counts unless one of these is true:
//
//   - its region is no living region of the table: dropped, truncated, split or merged
//   - its family is not one of the table's, as METAFAMILY of HBase's own records
//   - its sequence id is not above the greatest of the family's files in the region: they have it
//   - its sequence id is not above the region's .seqid. HBase itself replays such edits, and so brings back
//     what restore_snapshot had undone; the live table had answered without them
//
// All other cells of an entry count, each with the mvcc of the entry. Of equal cells of one entry the last
// one counts. A cell that is in several logs counts once: logs are copied while they are split.
//
// Cells are sorted in TableOptions::log_memory_bytes, or on disk if they are more (edit_sorter.h). They are
// then read like files (logged_file.h). Source: docs/formats/hbase-wal.md.
//
// If a log has a mark, the log is intact up to it, or damaged (wal/log_mark.h).
#pragma once

#include "bloomery/base/result.h"
#include "table/layout/table_layout.h"

namespace bloomery::table {

// Reads layout.log_paths into layout.regions and layout.logs. A log that ends inside of an entry causes a
// warning. Errors: kIo of the spool on disk; and of a log, which TableOptions::lists_faults makes faults:
//
//   those of wal::LogReader and read_mark_of(), with the log
//   kNotFound if a log was moved away meanwhile
Status read_logs(TableLayout& layout, const TableOptions& options);

// Warns if there are logs, which are left out.
void warn_of_left_logs(TableLayout& layout);

}  // namespace bloomery::table
