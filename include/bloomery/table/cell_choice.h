// Which cells of a row are asked for: columns and times.
//
// A column is asked for with the markers that delete its family, since these may hide it. Nothing is taken
// away by them here: who reads sees them, and what they would hide. Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/hfile/cell.h"

namespace bloomery {

// A column of a family; all of the family without a qualifier.
struct ChosenColumn {
  std::string family;
  std::optional<std::string> qualifier;
};

// Timestamps in milliseconds, from `since` on, before `until`; without `until` to the last one there is.
struct ChosenTimes {
  std::int64_t since = kOldestTimestamp;
  std::optional<std::int64_t> until = {};
};

class CellChoice {
 public:
  // All cells.
  CellChoice() = default;
  // Cells of these columns, in any order; of all columns when none is named.
  static CellChoice of(std::vector<ChosenColumn> columns, ChosenTimes times = {});

  // In the order of keys.
  const std::vector<ChosenColumn>& columns() const { return columns_; }
  // Whether a span of times, both ends within it, has any that are asked for.
  bool wants_times(std::int64_t oldest, std::int64_t newest) const;
  bool wants_column(const CellKey& key) const;
  bool wants(const CellKey& key) const;
  // The first key of the row behind `key` that may be wanted, of columns that are skipped to; nothing where
  // the row has no more. Its views are of `key` and of this choice.
  std::optional<CellKey> next_wanted(const CellKey& key) const;

 private:
  std::vector<ChosenColumn> columns_;
  ChosenTimes times_;
};

}  // namespace bloomery
