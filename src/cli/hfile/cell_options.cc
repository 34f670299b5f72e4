#include "cli/hfile/cell_options.h"

#include <cstddef>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "cli/numbers.h"

namespace bloomery::cli {

Result<ChosenColumn> parse_column(const std::string& given) {
  const std::size_t colon = given.find(':');
  ChosenColumn column{.family = unescape_bytes(given.substr(0, colon)), .qualifier = {}};
  if (colon != std::string::npos) {
    column.qualifier = unescape_bytes(given.substr(colon + 1));
  }
  if (column.family.size() > kLongestFamily) {
    return Error::invalid_argument(
        "--column", "expected a family of at most 127 bytes, found " + std::to_string(column.family.size()));
  }
  return column;
}

void CellOptions::add_to(CLI::App& verb) {
  verb.add_option("--column", columns_,
                  "F:Q, a column (with the markers that delete its family), or F, a family; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--since", since_, "only cells of this timestamp (milliseconds) and later");
  verb.add_option("--until", until_, "only cells before this timestamp");
}

Result<CellChoice> CellOptions::parse() const {
  std::vector<ChosenColumn> columns;
  for (const std::string& given : columns_) {
    BLOOMERY_ASSIGN_OR_RETURN(ChosenColumn column, parse_column(given));
    columns.push_back(std::move(column));
  }
  ChosenTimes times;
  if (!since_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(times.since, parse_milliseconds("--since", since_));
  }
  if (!until_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(times.until, parse_milliseconds("--until", until_));
  }
  return CellChoice::of(std::move(columns), times);
}

}  // namespace bloomery::cli
