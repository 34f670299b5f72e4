// Parses cells from text: the lines that `hfile cat` prints, and shorter lines for manual input.
//
//   ROW TAB FAMILY:QUALIFIER TAB VALUE [TAB TIMESTAMP]        a put; the first colon ends the family
//   row TAB family TAB qualifier TAB timestamp TAB type TAB value TAB tags TAB mvcc        as cat prints it
//   {"row": ..., "family": ..., "qualifier": ..., "timestamp": ..., "type": ..., "value": ..., "tags": ...,
//    "mvcc": ...}                                             as cat --json prints it; escapes are the same
//
// The number of tabs distinguishes the first two forms. \xHH is a byte and \\ a backslash. A backslash before
// anything else is an error; every other byte means itself.
//
// A JSON object must have row, family and qualifier, and a put also its value. Two limits keep the work
// linear in the line's length, even for a malicious line:
//
//   - It has at most kMostJsonFields fields (a cell has 8).
//   - Values are parsed to a depth of kMostJsonDepth (tags have a depth of 3).
//
// bulk_load_writer.h checks the order of the cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "cli/hfile/cell_text.h"

namespace bloomery::cli {

inline constexpr std::size_t kMostJsonFields = 64;
inline constexpr int kMostJsonDepth = 16;

class CellParser {
 public:
  // `timestamp` is the timestamp of cells whose line has none.
  CellParser(CellForm form, std::int64_t timestamp) : form_(form), timestamp_(timestamp) {}

  // Returns the cell of a line. Its fields are views of the line and of memory from `arena`. Errors:
  // kInvalidArgument without a subject; the message names the field, what was expected, and what was found.
  Result<Cell> parse(std::string_view line, std::pmr::memory_resource& arena) const;

 private:
  Result<Cell> parse_tabs(std::string_view line, std::pmr::memory_resource& arena) const;
  Result<Cell> parse_json(std::string_view line, std::pmr::memory_resource& arena) const;

  CellForm form_;
  std::int64_t timestamp_;
};

// Returns the bytes that an escaped text denotes: the text itself if it has no backslash, otherwise memory
// from `arena`. Errors call the text `part`.
Result<std::string_view> parse_escaped(std::string_view text, const char* part,
                                       std::pmr::memory_resource& arena);

}  // namespace bloomery::cli
