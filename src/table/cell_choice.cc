#include "table/cell_choice.h"

#include <algorithm>
#include <tuple>

#include "cli/hfile/cell_text.h"
#include "cli/hfile/milliseconds.h"

namespace bloomery::cli {
namespace {

bool deletes_family(CellType type) {
  return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
}

}  // namespace

void CellChoice::add_to(CLI::App& verb) {
  verb.add_option("--column", given_columns_,
                  "F:Q, a column (with the markers that delete its family), or F, a family; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--since", given_since_, "only cells of this timestamp (milliseconds) and later");
  verb.add_option("--until", given_until_, "only cells before this timestamp");
}

Status CellChoice::parse() {
  for (const std::string& given : given_columns_) {
    const std::size_t colon = given.find(':');
    ChosenColumn column{.family = unescape_bytes(given.substr(0, colon)), .qualifier = {}};
    if (colon != std::string::npos) {
      column.qualifier = unescape_bytes(given.substr(colon + 1));
    }
    if (column.family.size() > kLongestFamily) {
      return Error::invalid_argument("--column", "expected a family of at most 127 bytes, found " +
                                                     std::to_string(column.family.size()));
    }
    columns_.push_back(std::move(column));
  }
  BLOOMERY_RETURN_IF_ERROR(take_milliseconds("--since", given_since_, since_));
  if (!given_until_.empty()) {
    BLOOMERY_RETURN_IF_ERROR(take_milliseconds("--until", given_until_, until_.emplace()));
  }
  std::ranges::sort(columns_, [](const ChosenColumn& a, const ChosenColumn& b) {
    return std::tie(a.family, a.qualifier) < std::tie(b.family, b.qualifier);
  });
  return {};
}

bool CellChoice::wants_times(std::int64_t oldest, std::int64_t newest) const {
  return newest >= since_ && (!until_ || oldest < *until_);
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
    // A family's markers stand in front of its columns.
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

}  // namespace bloomery::cli
