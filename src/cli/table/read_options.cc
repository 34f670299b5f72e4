#include "cli/table/read_options.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/byte_text.h"
#include "bloomery/table/filter_language.h"
#include "cli/hfile/cell_options.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

// Parses FAMILY:FROM:TO. FROM or TO may be empty.
Status add_family_times(const std::string& given, CellRequest& request) {
  const std::size_t second = given.rfind(':');
  const std::size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : given.rfind(':', second - 1);
  if (first == std::string::npos) {
    return Error::invalid_argument("--family-times",
                                   fmt::format("expected FAMILY:FROM:TO, found '{}'", escape_bytes(given)));
  }
  RequestedTimes times;
  const std::string from = given.substr(first + 1, second - first - 1);
  const std::string to = given.substr(second + 1);
  if (!from.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(times.from, parse_milliseconds("--family-times", from));
  }
  if (!to.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(times.to, parse_milliseconds("--family-times", to));
  }
  request.family_times[unescape_bytes(given.substr(0, first))] = times;
  return {};
}

// Returns the end of the quoted text that starts at `at`. A doubled quote is a quote within the text.
std::size_t end_of_quotes(const std::string& text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '\'') {
      continue;
    }
    if (at + 1 == text.size() || text[at + 1] != '\'') {
      return at + 1;
    }
    ++at;
  }
  return text.size();
}

Result<std::uint32_t> parse_limit(const char* option, const std::string& given) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t count, parse_count(option, given));
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return Error::invalid_argument(option, "expected at most 4294967295, found " + given);
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

void ReadOptions::add_to(CLI::App& verb) {
  verb.add_option("--column", columns_, "F:Q, a column, or F, a family; may be repeated. Else all families")
      ->allow_extra_args(false);
  verb.add_option("--versions", versions_, "N versions of a column at most, or all; 1 unless given");
  verb.add_option("--from", from_, "only cells of this timestamp (milliseconds) and later");
  verb.add_option("--to", to_, "only cells before this timestamp");
  verb.add_option("--family-times", family_times_,
                  "F:FROM:TO, the times of one family in place of --from and --to; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--max-per-family", max_per_family_, "N cells of a row and family at most");
  verb.add_option("--offset-per-family", offset_per_family_, "pass over N cells of a row and family first");
  verb.add_option("--filter", filter_, "a filter in HBase's filter language: \"PrefixFilter('a') AND ...\"");
}

Status ReadOptions::fill_times(CellRequest& request) const {
  if (!from_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.times.from, parse_milliseconds("--from", from_));
  }
  if (!to_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.times.to, parse_milliseconds("--to", to_));
  }
  for (const std::string& given : family_times_) {
    BLOOMERY_RETURN_IF_ERROR(add_family_times(given, request));
  }
  return {};
}

Status ReadOptions::fill_limits(CellRequest& request) const {
  if (versions_ == "all") {
    request.versions = kAllVersions;
  } else if (!versions_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t versions, parse_count("--versions", versions_));
    if (versions == 0 || versions > kAllVersions) {
      return Error::invalid_argument("--versions",
                                     "expected 1 to 2147483647 versions, or all; found " + versions_);
    }
    request.versions = static_cast<std::int32_t>(versions);
  }
  if (!max_per_family_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.max_per_family, parse_limit("--max-per-family", max_per_family_));
  }
  if (!offset_per_family_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.offset_per_family,
                              parse_limit("--offset-per-family", offset_per_family_));
  }
  return {};
}

Status ReadOptions::fill(CellRequest& request) const {
  for (const std::string& given : columns_) {
    BLOOMERY_ASSIGN_OR_RETURN(ChosenColumn column, parse_column(given));
    request.columns.push_back({std::move(column.family), std::move(column.qualifier)});
  }
  BLOOMERY_RETURN_IF_ERROR(fill_times(request));
  BLOOMERY_RETURN_IF_ERROR(fill_limits(request));
  if (!filter_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(request.filter, parse_filter_option(filter_));
  }
  return {};
}

Result<Filter> parse_filter_option(const std::string& text) {
  constexpr std::string_view kPattern = "'regexstring:";
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t pattern = std::min(text.find(kPattern, at), text.size());
    const std::size_t behind = end_of_quotes(text, pattern);
    bytes += unescape_bytes(text.substr(at, pattern - at)) + text.substr(pattern, behind - pattern);
    at = behind;
  }
  const Result<Filter> filter = parse_filter(bytes);
  return filter ? filter : filter.error().with_code(ErrorCode::kInvalidArgument).in_file("--filter");
}

}  // namespace bloomery::cli
