// The options that select cells, for `cat` and `get`.
//
//   --column F:Q      the column Q of the family F, and the markers that delete the entire family
//   --column F        the entire family F
//   --since TIME      only cells with this timestamp or a later one
//   --until TIME      only cells with an earlier timestamp
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_choice.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

// Parses F:Q or F; \xHH is a byte. Errors: kInvalidArgument.
Result<ChosenColumn> parse_column(const std::string& given);

class CellOptions {
 public:
  void add_to(CLI::App& verb);
  // Parses the given options. Errors: kInvalidArgument.
  Result<CellChoice> parse() const;

 private:
  std::vector<std::string> columns_;
  std::string since_;
  std::string until_;
};

}  // namespace bloomery::cli
