#include "cli/shell/shell_request.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "bloomery/table/filter_language.h"
#include "cli/shell/shell_arguments.h"

namespace bloomery::cli {
namespace {

std::string truth_text(std::string_view value) {
  return value.size() != 1 ? string_binary(value) : value[0] != 0 ? "true" : "false";
}

constexpr std::array<std::pair<std::string_view, ValueConverter>, 5> kConverters = {
    {{"toBoolean", truth_text},
     {"toInt", number_text<std::int32_t>},
     {"toLong", number_text<std::int64_t>},
     {"toShort", number_text<std::int16_t>},
     {"toString", printable_text}}};

void add_column(std::string_view text, CellRequest& request, CellLook& look) {
  RequestedColumn column = column_of_text(text);
  const std::size_t colon = column.qualifier ? column.qualifier->rfind(':') : std::string::npos;
  for (const auto& [name, converter] : kConverters) {
    if (colon != std::string::npos && column.qualifier->substr(colon + 1) == name) {
      column.qualifier->resize(colon);
      look.converters[{column.family, *column.qualifier}] = converter;
      break;
    }
  }
  request.columns.push_back(std::move(column));
}

Status add_columns(std::string_view name, const ShellValue& value, CellRequest& request, CellLook& look) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto columns, texts_argument(name, value));
  for (const std::string& column : columns) {
    add_column(column, request, look);
  }
  return {};
}

Status fill_times(ShellOptions& options, CellRequest& request) {
  if (const ShellValue* const time = options.take("TIMESTAMP")) {
    BLOOMERY_ASSIGN_OR_RETURN(request.times.from, timestamp_argument(*time));
    if (request.times.from < kLatestTimestamp) {
      request.times.to = request.times.from + 1;
    }
  }
  if (const ShellValue* const range = options.take("TIMERANGE")) {
    const auto* const bounds = range->get_if<ShellList>();
    if (bounds == nullptr || bounds->size() != 2) {
      return Error::invalid_argument("TIMERANGE",
                                     "expected [FROM, TO] in milliseconds, found something else");
    }
    BLOOMERY_ASSIGN_OR_RETURN(request.times.from, whole_argument("TIMERANGE", (*bounds)[0]));
    BLOOMERY_ASSIGN_OR_RETURN(request.times.to, whole_argument("TIMERANGE", (*bounds)[1]));
    if (request.times.from < 0 || *request.times.to < request.times.from) {
      return Error::invalid_argument("TIMERANGE", "expected 0 <= FROM <= TO, found other numbers");
    }
  }
  return {};
}

Status fill_cells(ShellOptions& options, CellRequest& request, CellLook& look) {
  for (const std::string_view name : {"COLUMN", "COLUMNS"}) {
    if (const ShellValue* const columns = options.take(name)) {
      BLOOMERY_RETURN_IF_ERROR(add_columns(name, *columns, request, look));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(fill_times(options, request));
  BLOOMERY_ASSIGN_OR_RETURN(const auto versions, options.take_whole("VERSIONS"));
  if (versions && (*versions < 1 || *versions > kAllVersions)) {
    return Error::invalid_argument("VERSIONS", fmt::format("expected 1 to 2147483647, found {}", *versions));
  }
  request.versions = static_cast<std::int32_t>(versions.value_or(1));
  BLOOMERY_ASSIGN_OR_RETURN(const auto filter, options.take_text("FILTER"));
  if (filter) {
    BLOOMERY_ASSIGN_OR_RETURN(request.filter, in_file(parse_filter(*filter), "FILTER"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto most, options.take_whole("MAXLENGTH"));
  if (most && *most >= 0) {
    look.most_bytes = static_cast<std::size_t>(*most);
  }
  for (const std::string_view name : {"CACHE", "CACHE_BLOCKS", "CONSISTENCY"}) {
    options.take(name);
  }
  return {};
}

Status fill_rows(ShellOptions& options, ScanRequest& request) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto start, options.take_text("STARTROW"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto stop, options.take_text("STOPROW"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto prefix, options.take_text("ROWPREFIXFILTER"));
  BLOOMERY_ASSIGN_OR_RETURN(request.is_reversed, options.take_truth("REVERSED"));
  if (prefix && (start || stop)) {
    return Error::invalid_argument("ROWPREFIXFILTER",
                                   "expected no STARTROW and no STOPROW with it, found one");
  }
  request.start = start.value_or("");
  request.stop = stop.value_or("");
  if (prefix) {
    request.set_prefix(*prefix, request.is_reversed);
  }
  return {};
}

Status fill_scan(ShellOptions& options, ShellScan& scan) {
  BLOOMERY_RETURN_IF_ERROR(fill_rows(options, scan.request));
  BLOOMERY_RETURN_IF_ERROR(fill_cells(options, scan.request, scan.look));
  BLOOMERY_ASSIGN_OR_RETURN(scan.request.is_raw, options.take_truth("RAW"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto limit, options.take_whole("LIMIT"));
  if (limit && *limit > 0) {  // as in HBase, 0 is no limit
    scan.request.limit = static_cast<std::uint64_t>(*limit);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto batch, options.take_whole("BATCH"));
  if (batch && (*batch < 1 || *batch > std::numeric_limits<std::int32_t>::max())) {
    return Error::invalid_argument("BATCH", fmt::format("expected 1 to 2147483647, found {}", *batch));
  }
  if (batch) {
    scan.request.batch = static_cast<std::uint32_t>(*batch);
  }
  return {};
}

// Returns the only argument, a hash, or an empty one if there is none.
Result<ShellHash> only_hash(std::string_view command, std::span<const ShellValue> arguments) {
  if (arguments.empty()) {
    return ShellHash();
  }
  const auto* const hash = arguments[0].get_if<ShellHash>();
  if (hash == nullptr || arguments.size() > 1) {
    return Error::invalid_argument(
        std::string(command),
        fmt::format("expected one hash after the table, found {}",
                    hash == nullptr ? kind_of(arguments[0]) : std::string_view("more arguments")));
  }
  return *hash;
}

constexpr std::string_view kGetNames = "COLUMN, COLUMNS, VERSIONS, TIMESTAMP, TIMERANGE, FILTER or MAXLENGTH";
constexpr std::string_view kScanNames =
    "STARTROW, STOPROW, ROWPREFIXFILTER, COLUMN, COLUMNS, VERSIONS, TIMESTAMP, TIMERANGE, FILTER, LIMIT, "
    "REVERSED, RAW, BATCH or MAXLENGTH";
constexpr std::string_view kCountNames =
    "INTERVAL, STARTROW, STOPROW, ROWPREFIXFILTER, COLUMN, COLUMNS, TIMESTAMP, TIMERANGE, FILTER or LIMIT";

}  // namespace

Result<ShellGet> parse_get(std::span<const ShellValue> arguments) {
  ShellGet get;
  if (arguments.empty()) {
    return Error::invalid_argument("get", "expected a table and a row, found no row");
  }
  BLOOMERY_ASSIGN_OR_RETURN(get.request.row, text_argument("row", arguments[0]));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto* const hash = arguments[i].get_if<ShellHash>();
    if (hash == nullptr) {
      BLOOMERY_RETURN_IF_ERROR(add_columns("column", arguments[i], get.request, get.look));
      continue;
    }
    if (i + 1 < arguments.size()) {
      return Error::invalid_argument("get", "expected nothing after the hash, found more");
    }
    ShellOptions options(*hash);
    BLOOMERY_RETURN_IF_ERROR(fill_cells(options, get.request, get.look));
    BLOOMERY_RETURN_IF_ERROR(options.check_all_taken("get", kGetNames));
  }
  return get;
}

Result<ShellScan> parse_scan(std::span<const ShellValue> arguments) {
  BLOOMERY_ASSIGN_OR_RETURN(const ShellHash hash, only_hash("scan", arguments));
  ShellOptions options(hash);
  ShellScan scan;
  BLOOMERY_RETURN_IF_ERROR(fill_scan(options, scan));
  BLOOMERY_RETURN_IF_ERROR(options.check_all_taken("scan", kScanNames));
  return scan;
}

Result<ShellScan> parse_shell_count(std::span<const ShellValue> arguments) {
  const bool is_number = arguments.size() == 1 && arguments[0].get_if<std::int64_t>() != nullptr;
  BLOOMERY_ASSIGN_OR_RETURN(
      const ShellHash hash,
      is_number ? Result<ShellHash>(ShellHash{{"INTERVAL", arguments[0]}}) : only_hash("count", arguments));
  ShellOptions options(hash);
  ShellScan scan;
  BLOOMERY_RETURN_IF_ERROR(fill_scan(options, scan));
  BLOOMERY_ASSIGN_OR_RETURN(const auto interval, options.take_whole("INTERVAL"));
  if (interval && *interval < 1) {
    return Error::invalid_argument("INTERVAL", fmt::format("expected at least 1, found {}", *interval));
  }
  scan.interval = static_cast<std::uint64_t>(interval.value_or(1000));
  if (!scan.request.filter) {
    BLOOMERY_ASSIGN_OR_RETURN(scan.request.filter, parse_filter("FirstKeyOnlyFilter()"));
  }
  BLOOMERY_RETURN_IF_ERROR(options.check_all_taken("count", kCountNames));
  return scan;
}

}  // namespace bloomery::cli
