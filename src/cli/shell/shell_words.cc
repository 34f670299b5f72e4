#include "cli/shell/shell_words.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "bloomery/table/family_text.h"

namespace bloomery::cli {
namespace {

// Words that are no attributes of tables or families. Commands refuse those that they do not know, by name.
constexpr std::string_view kReadWords =
    "ALLOW_PARTIAL_RESULTS ALL_METRICS ATTRIBUTES AUTHORIZATIONS BATCH CACHE CACHE_BLOCKS COLUMN "
    "COLUMNS CONFIGURATION CONSISTENCY ENDKEY ENDROW FILTER FOREVER FORMATTER FORMATTER_CLASS "
    "INTERVAL ISOLATION_LEVEL LIMIT MAXLENGTH MAX_RESULT_SIZE METADATA METHOD METRICS NAME NONE "
    "NUMREGIONS RAW READ_TYPE REGION_REPLICATION REGION_REPLICA_ID REVERSED ROWPREFIXFILTER "
    "SKIP_FLUSH SPLITALGO SPLITS SPLITS_FILE STARTKEY STARTROW STOPROW TIMERANGE TIMESTAMP "
    "VISIBILITY";

std::vector<std::string> all_constants() {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < kReadWords.size();) {
    const std::size_t end = std::min(kReadWords.find(' ', begin), kReadWords.size());
    names.emplace_back(kReadWords.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const auto& attributes : {family_attribute_names(), table_attribute_names()}) {
    std::ranges::copy_if(attributes, std::back_inserter(names), [](const std::string& name) {
      return std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
    });
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::span<const std::string> shell_constants() {
  static const std::vector<std::string> names = all_constants();
  return names;
}

std::optional<std::string> shell_constant(std::string_view name) {
  if (!std::ranges::binary_search(shell_constants(), name)) {
    return std::nullopt;
  }
  return std::string(name == "STARTKEY"                     ? "STARTROW"
                     : name == "ENDROW" || name == "ENDKEY" ? "STOPROW"
                                                            : name);
}

}  // namespace bloomery::cli
