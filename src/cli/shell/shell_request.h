// The arguments of get, scan and count as requests to a table, with HBase's names and defaults.
//
//   get 't', ROW [, COLUMN... | [COLUMN...]] [, {...}]
//   scan 't' [, {...}]
//   count 't' [, INTERVAL | {...}]
//
//   get and scan   COLUMN, COLUMNS, VERSIONS, TIMESTAMP, TIMERANGE, FILTER, MAXLENGTH; CACHE, CACHE_BLOCKS
//                  and CONSISTENCY have no effect here
//   scan, count    STARTROW, STOPROW (ENDROW), ROWPREFIXFILTER, LIMIT, REVERSED, RAW, BATCH
//   count          INTERVAL
//
// COLUMN => 'f:q:toLong' prints the values of f:q as numbers. The names are toBoolean, toInt, toLong, toShort
// and toString; any other text after the second colon is part of the qualifier.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "cli/shell/shell_text.h"
#include "cli/shell/shell_value.h"

namespace bloomery::cli {

struct ShellGet {
  GetRequest request = {};
  CellLook look = {};
};

struct ShellScan {
  ScanRequest request = {};
  CellLook look = {};
  std::uint64_t interval = 1000;  // of count
};

// `arguments` are those after the table. Errors: kInvalidArgument; kUnsupported of a filter.
Result<ShellGet> parse_get(std::span<const ShellValue> arguments);
Result<ShellScan> parse_scan(std::span<const ShellValue> arguments);
Result<ShellScan> parse_shell_count(std::span<const ShellValue> arguments);

}  // namespace bloomery::cli
