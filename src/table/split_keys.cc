#include "table/split_keys.h"

#include <algorithm>
#include <memory_resource>

#include <fmt/format.h>

#include "cli/hfile/cell_parser.h"
#include "cli/hfile/cell_text.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

Result<std::string> parse_key(std::string_view line, const std::vector<std::string>& before) {
  std::pmr::monotonic_buffer_resource arena;
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, parse_escaped(line, "split key", arena));
  if (key.empty()) {
    return Error::invalid_argument("", "split key: expected a row, found an empty line");
  }
  if (key.size() > kLongestRow) {
    return Error::invalid_argument(
        "", fmt::format("split key: expected at most {} bytes, found {}", kLongestRow, key.size()));
  }
  if (!before.empty() && key <= before.back()) {
    return Error::invalid_argument("", fmt::format("split key: expected one behind '{}', found '{}'",
                                                   escape_bytes(before.back()), escape_bytes(key)));
  }
  return std::string(key);
}

}  // namespace

Result<SplitKeys> SplitKeys::read(const std::string& file) {
  InputFiles input({file}, '\n');
  SplitKeys splits;
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      break;
    }
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      Result<std::string> key = parse_key(batch.lines[i], splits.keys_);
      if (!key) {
        return key.error().in_file(fmt::format("{}: line {}", file, input.first_line() + i));
      }
      splits.keys_.push_back(std::move(*key));
    }
  }
  if (splits.keys_.empty()) {
    return Error::invalid_argument(file, "expected split keys, one a line, found none");
  }
  return splits;
}

std::size_t SplitKeys::region_of(std::string_view row, std::size_t from) const {
  const auto next = std::upper_bound(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.end(), row);
  return static_cast<std::size_t>(next - keys_.begin());
}

}  // namespace bloomery::cli
