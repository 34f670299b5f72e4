// The requested cells of a row, by columns and timestamps.
//
// Example:
//    const auto choice = CellChoice::of({{.family = "f", .qualifier = "q"}}, {.since = 0});
//
// A choice of a column includes the markers that delete its family, since they may hide the column. The
// choice itself hides nothing: the reader sees the markers and the cells that they hide. Immutable; safe from
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/hfile/cell.h"

namespace bloomery {

// A column of a family, or the entire family if there is no qualifier.
struct ChosenColumn {
  std::string family;
  std::optional<std::string> qualifier;
};

// Timestamps in milliseconds, from `since` on and before `until`. Without `until` there is no upper bound.
struct ChosenTimes {
  std::int64_t since = kOldestTimestamp;
  std::optional<std::int64_t> until = {};
};

class CellChoice {
 public:
  // Chooses all cells.
  CellChoice() = default;
  // Chooses the cells of these columns, in any order, or of all columns if the list is empty.
  static CellChoice of(std::vector<ChosenColumn> columns, ChosenTimes times = {});

  // Returns the columns in the order of keys.
  const std::vector<ChosenColumn>& columns() const { return columns_; }
  const ChosenTimes& times() const { return times_; }
  // Returns true if a requested time is in the range from `oldest` to `newest`, both included.
  bool wants_times(std::int64_t oldest, std::int64_t newest) const;
  bool wants_column(const CellKey& key) const;
  bool wants(const CellKey& key) const;
  // Returns the first key of the row after `key` that may be wanted, so that a reader can skip unwanted
  // columns. Returns nothing if no later key of the row can be wanted. The key's views point into `key` and
  // this choice.
  std::optional<CellKey> next_wanted(const CellKey& key) const;

 private:
  std::vector<ChosenColumn> columns_;
  ChosenTimes times_;
};

}  // namespace bloomery
