#include "cli/hfile/split_keys_file.h"

#include <cstddef>
#include <memory_resource>
#include <string_view>

#include <fmt/format.h>

#include "cli/hfile/cell_parser.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

Status append_split_key(SplitKeys& splits, std::string_view line) {
  std::pmr::monotonic_buffer_resource arena;
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, parse_escaped(line, "split key", arena));
  return splits.append(key);
}

}  // namespace

Result<SplitKeys> read_split_keys(const std::string& file) {
  InputFiles input({file}, '\n');
  SplitKeys splits;
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      break;
    }
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      if (const Status appended = append_split_key(splits, batch.lines[i]); !appended) {
        return appended.error().in_file(fmt::format("{}: line {}", file, input.first_line() + i));
      }
    }
  }
  if (splits.region_count() == 1) {
    return Error::invalid_argument(file, "expected split keys, one a line, found none");
  }
  return splits;
}

}  // namespace bloomery::cli
