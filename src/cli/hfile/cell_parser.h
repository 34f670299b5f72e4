// Cells from text: what `hfile cat` prints, and the shorter lines that people write.
//
//   ROW TAB FAMILY:QUALIFIER TAB VALUE [TAB TIMESTAMP]        a put; the first colon ends the family
//   row TAB family TAB qualifier TAB timestamp TAB type TAB value TAB tags TAB mvcc        as cat prints it
//   {"row": ..., "family": ..., "qualifier": ..., "timestamp": ..., "type": ..., "value": ..., "tags": ...,
//    "mvcc": ...}                                             as cat --json prints it; text escaped alike
//
// Lines of tabs are told apart by their number. \xHH is a byte and \\ a backslash; a backslash in front of
// anything else is an error, every other byte stands for itself. Of an object row, family and qualifier must
// be there, and the value of a put; it has at most kMostJsonFields fields, and of values inside of each other only
// kMostJsonDepth are looked at (a cell has 8 fields, its tags are 3 deep): so the work is linear in the line.
// Not here: whether a cell may be where it is (bulk_load_writer.h).
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
  // `timestamp` is of cells that say none.
  CellParser(CellForm form, std::int64_t timestamp) : form_(form), timestamp_(timestamp) {}

  // The cell of a line, of views of the line and of memory from `arena`. Errors: kInvalidArgument without a
  // subject, with the part of the line that is wrong, what was expected of it, and what was found.
  Result<Cell> parse(std::string_view line, std::pmr::memory_resource& arena) const;

 private:
  Result<Cell> parse_tabs(std::string_view line, std::pmr::memory_resource& arena) const;
  Result<Cell> parse_json(std::string_view line, std::pmr::memory_resource& arena) const;

  CellForm form_;
  std::int64_t timestamp_;
};

// The bytes that escaped text means: the text itself where it has no backslash, else memory from `arena`.
// `part` is what errors call it.
Result<std::string_view> parse_escaped(std::string_view text, const char* part,
                                       std::pmr::memory_resource& arena);

}  // namespace bloomery::cli
