#include "cli/hfile/cell_batch.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/file.h"

namespace bloomery::cli {
namespace {

// Counts the newlines in the first `bytes` bytes of the file, as far as it can be read.
std::uint64_t count_lines(const std::string& name, std::uint64_t bytes) {
  std::uint64_t count = 0;
  Result<File> file = FileSystem::real().open(name, OpenFor::kReading);
  std::vector<std::byte> buffer(std::size_t{128} << 10);
  for (std::uint64_t at = 0; file && at < bytes;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), bytes - at));
    const Result<std::size_t> found = FileSystem::real().read_at(*file, at, std::span(buffer).first(wanted));
    if (!found || *found == 0) {
      break;
    }
    count += static_cast<std::uint64_t>(std::ranges::count(std::span(buffer).first(*found), std::byte{'\n'}));
    at += *found;
  }
  return count;
}

}  // namespace

std::string WindowPlace::show(std::size_t index) const {
  return fmt::format("{}: line {}", file, (begin == 0 ? 0 : count_lines(file, begin)) + line + index);
}

Result<bool> InputLines::next(LineBatch& batch, WindowPlace& place) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool more, input_.next(batch));
  place.file = input_.current_name();
  place.line = input_.first_line();
  return more;
}

// A read error becomes a batch without cells, so that it is reported in the order of the input.
bool CellBatch::fill(LineSource& source, const CellParser& parser) {
  cells_.clear();
  memory_.release();
  error_.reset();
  const Result<bool> more = source.next(lines_, place_);
  bytes_read_ = source.bytes_read();
  if (!more) {
    error_ = more.error();
    return true;
  }
  if (!*more) {
    return false;
  }
  for (const std::string_view line : lines_.lines) {
    const Result<Cell> cell = parser.parse(line, memory_);
    if (!cell) {
      error_ = at_cell(cells_.size(), cell.error());
      break;
    }
    cells_.push_back(*cell);
  }
  return true;
}

}  // namespace bloomery::cli
