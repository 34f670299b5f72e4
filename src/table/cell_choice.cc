#include "bloomery/table/cell_choice.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bloomery {
CellChoice CellChoice::of(std::vector<ChosenColumn> columns, ChosenTimes times) {
  CellChoice choice;
  choice.columns_ = std::move(columns);
  choice.times_ = times;
  std::ranges::sort(choice.columns_, [](const ChosenColumn& a, const ChosenColumn& b) {
    return std::tie(a.family, a.qualifier) < std::tie(b.family, b.qualifier);
  });
  return choice;
}

bool CellChoice::wants_times(std::int64_t oldest, std::int64_t newest) const {
  return newest >= times_.since && (!times_.until || oldest < *times_.until);
}

bool CellChoice::wants_column(const CellKey& key) const {
  return columns_.empty() || std::ranges::any_of(columns_, [&](const ChosenColumn& column) {
           return column.family == key.family &&
                  (!column.qualifier || *column.qualifier == key.qualifier || deletes_family(key.type));
         });
}

bool CellChoice::wants(const CellKey& key) const {
  return wants_column(key) && wants_times(key.timestamp, key.timestamp);
}

std::optional<CellKey> CellChoice::next_wanted(const CellKey& key) const {
  for (const ChosenColumn& column : columns_) {
    // The markers that delete a family have no qualifier, so they precede its columns.
    const CellKey begin = first_on_column(key.row, column.family, {});
    if (key < begin) {
      return begin;
    }
    if (!column.qualifier) {
      continue;
    }
    const CellKey first = first_on_column(key.row, column.family, *column.qualifier);
    if (key < first) {
      return first;
    }
  }
  return std::nullopt;
}

}  // namespace bloomery
