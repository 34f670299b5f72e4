// The JSON file with the counters of a table's gets and reads: `table get --counters-to` writes it, and
// `hfile advise --counters` reads it.
//
//   {"family": [{"family": "g",
//                "gets": {"columns": 61, "rows": 0}, "found_nothing": {"columns": 61, "rows": 0},
//                "filter": {"checks": 183, "negatives": 150, "true_positives": 32, "false_positives": 1},
//                "blocks": {"data": 33, "index": 3, "bloom": 3, "other": 9, "bytes": 48211,
//                           "from_cache": 120}}],
//    "file":   [{"region": "...", "family": "g", "file": "...", "filter": {...}, "blocks": {...}}]}
//
// Names are escaped as by escape_bytes(). Of each object in "family", the reader needs only the name, and
// "data" and "from_cache" in "blocks".
#pragma once

#include <map>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/read_counters.h"

namespace bloomery::cli {

// The gets of one family, and their reads summed over its files.
struct FamilyReads {
  FamilyReadCounters gets = {};
  FilterCounters filter = {};
  HFileCounters blocks = {};

  std::uint64_t count() const { return gets.column_gets + gets.row_gets; }
  std::uint64_t found_nothing() const { return gets.absent_column_gets + gets.absent_row_gets; }
};

// Returns the sums for each family that had gets, by its name.
std::map<std::string, FamilyReads> reads_by_family(const TableReadCounters& counters);

std::string read_counters_json(const TableReadCounters& counters);

// Errors: errors of reading; kInvalidArgument for a file that `table get` did not write, or with impossible
// counts.
Result<std::map<std::string, FamilyReads>> load_read_counters(const std::string& path);

}  // namespace bloomery::cli
