// Which cells of a file are asked for: columns and times, the same for `cat` and `get`.
//
//   F:Q   the column Q of the family F, and the markers that delete the family
//   F     all of the family
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"

namespace bloomery::cli {

struct ChosenColumn {
  std::string family;
  std::optional<std::string> qualifier;
};

class CellChoice {
 public:
  // Adds the options to a verb.
  void add_to(CLI::App& verb);
  // Reads what was given. To be called once, before the others. Errors: kInvalidArgument.
  Status parse();

  const std::vector<ChosenColumn>& columns() const { return columns_; }
  // Whether a span of times, both ends within it, has any that are asked for.
  bool wants_times(std::int64_t oldest, std::int64_t newest) const;
  bool wants_column(const CellKey& key) const;
  bool wants(const CellKey& key) const;
  // The first key of the row behind `key` that may be wanted, of columns that are skipped to; nothing where
  // the row has no more.
  std::optional<CellKey> next_wanted(const CellKey& key) const;

 private:
  std::vector<std::string> given_columns_;
  std::string given_since_;
  std::string given_until_;
  std::vector<ChosenColumn> columns_;  // in order; none is all
  std::int64_t since_ = kOldestTimestamp;
  std::optional<std::int64_t> until_;
};

}  // namespace bloomery::cli
