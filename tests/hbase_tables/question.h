// The questions that were asked of a live HBase, and its answers: the lines of tests/golden/hbase-tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"

namespace bloomery::tables {

struct Question {
  std::string id = {};
  std::string line = {};
  bool is_get = false;
  ScanRequest scan = {};  // of a get, its row is the start
};

// Errors: kInvalidArgument, with the word that is wrong.
Result<Question> parse_question(const std::string& line);
// Parses a filter in brackets: (all (prefix =a) (page 3)).
Result<Filter> parse_expression(std::string_view text);

// An answer: "ID results cells", then a line for each cell.
struct Answer {
  std::string id = {};
  std::vector<std::string> lines = {};  // with the first one
};

std::vector<Answer> parse_answers(const std::string& text);

// Writes the cell as an answer has it; `result` is the number of its result.
std::string answer_line(std::size_t result, const Cell& cell);

}  // namespace bloomery::tables
