// Checks if a write-ahead log has edits of a table that its files do not have.
//
//   log      PWAL | length, header | (length, key | cell ...)* | trailer
//   key      1: region  2: table  3: sequence number  7: number of cells
//   cell     u32 length | flat cell
//
// Lengths of messages are varints. An edit is in the files if its sequence number is not above the greatest
// MAX_SEQ_ID_KEY of its family's files in its region. Cells of the family METAFAMILY are HBase's own records.
//
// A killed server leaves a log that may end anywhere; an incomplete end is not an edit. A compressed or
// encrypted log cannot be read and causes a warning. Source: HBase 2.6, ProtobufLogReader and WALKey.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "table/layout/table_layout.h"

namespace bloomery::table {

// Adds a warning for each log below WALs that has, or may have, edits that no file has.
void warn_of_logs(TableLayout& layout);

struct LogFindings {
  std::uint64_t edits = 0;  // cells that are not in the files
  bool cannot_tell = false;
};

// Returns the greatest sequence id of a family's files in a region, or nothing if the region is not in the
// table.
using GreatestSequence =
    std::function<std::optional<std::int64_t>(const std::string& region, const std::string& family)>;

LogFindings check_log(std::string_view log, const TableName& table, const GreatestSequence& greatest);

}  // namespace bloomery::table
