#include "cli/table/import_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/numbers.h"
#include "keys/field_list.h"

namespace bloomery::cli {
namespace {

// HBase's timestamp for "now".
constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

// Every field of a record.
KeyPlace all_of_csv() {
  KeyPlace place;
  place.fields = {{1, kToTheEnd}};
  place.delimiter = ',';
  place.split = Split::kCsv;
  return place;
}

std::string_view copy_of(std::string_view text, std::pmr::memory_resource& arena) {
  char* const bytes = static_cast<char*>(arena.allocate(std::max<std::size_t>(text.size(), 1), 1));
  std::ranges::copy(text, bytes);
  return {bytes, text.size()};
}

Result<CsvField> csv_field(std::string_view name) {
  if (name == "row") {
    return CsvField{.is = CsvField::Is::kRow};
  }
  if (name == "timestamp") {
    return CsvField{.is = CsvField::Is::kTimestamp};
  }
  if (name == "-") {
    return CsvField{};
  }
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) {
    return Error::invalid_argument("--columns",
                                   fmt::format("expected row, timestamp, - or FAMILY:QUALIFIER, found '{}'",
                                               printable_text(std::string(name))));
  }
  return CsvField{.is = CsvField::Is::kColumn,
                  .family = unescape_bytes(name.substr(0, colon)),
                  .qualifier = unescape_bytes(name.substr(colon + 1))};
}

}  // namespace

Result<std::vector<CsvField>> parse_csv_mapping(std::string_view text) {
  std::vector<CsvField> mapping;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    BLOOMERY_ASSIGN_OR_RETURN(CsvField field, csv_field(text.substr(0, comma)));
    mapping.push_back(std::move(field));
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  const auto rows = std::ranges::count(mapping, CsvField::Is::kRow, &CsvField::is);
  const auto columns = std::ranges::count(mapping, CsvField::Is::kColumn, &CsvField::is);
  if (rows != 1 || columns == 0) {
    return Error::invalid_argument(
        "--columns", fmt::format("expected row once and a column, found row {} times and {}", rows,
                                 show_count_of(static_cast<std::uint64_t>(columns), "column")));
  }
  return mapping;
}

ImportParser::ImportParser(CellForm form, std::optional<std::int64_t> timestamp)
    : cells_(form, timestamp.value_or(kLatest)), csv_(all_of_csv()), timestamp_(timestamp) {}

ImportParser::ImportParser(std::vector<CsvField> mapping, std::optional<std::int64_t> timestamp)
    : cells_(CellForm::kTabs, kLatest),
      csv_(all_of_csv()),
      mapping_(std::move(mapping)),
      timestamp_(timestamp) {}

Status ImportParser::parse(std::string_view line, std::pmr::memory_resource& arena,
                           std::vector<Mutation>& mutations) {
  return mapping_.empty() ? parse_cell(line, arena, mutations) : parse_csv(line, arena, mutations);
}

Status ImportParser::parse_cell(std::string_view line, std::pmr::memory_resource& arena,
                                std::vector<Mutation>& mutations) {
  BLOOMERY_ASSIGN_OR_RETURN(const Cell cell, cells_.parse(line, arena));
  if (!cell.tags.empty()) {
    return Error::invalid_argument("", "tags: expected none, found some");
  }
  const CellKey& key = cell.key;
  mutations.push_back({.row = key.row,
                       .family = key.family,
                       .qualifier = key.qualifier,
                       .timestamp = key.timestamp == kLatest ? std::nullopt : std::optional(key.timestamp),
                       .type = key.type,
                       .value = cell.value});
  return {};
}

Status ImportParser::parse_csv(std::string_view line, std::pmr::memory_resource& arena,
                               std::vector<Mutation>& mutations) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_fields, csv_.select(line, fields_));
  if (!has_fields || fields_.size() != mapping_.size()) {
    return Error::invalid_argument(
        "", fmt::format("fields: expected {}, found {}", mapping_.size(), fields_.size()));
  }
  std::string_view row;
  std::optional<std::int64_t> timestamp = timestamp_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (mapping_[i].is == CsvField::Is::kRow) {
      row = copy_of(fields_[i], arena);
    } else if (mapping_[i].is == CsvField::Is::kTimestamp) {
      BLOOMERY_ASSIGN_OR_RETURN(timestamp, parse_milliseconds("timestamp", fields_[i]));
    }
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (mapping_[i].is == CsvField::Is::kColumn) {
      mutations.push_back({.row = row,
                           .family = mapping_[i].family,
                           .qualifier = mapping_[i].qualifier,
                           .timestamp = timestamp,
                           .value = copy_of(fields_[i], arena)});
    }
  }
  return {};
}

}  // namespace bloomery::cli
