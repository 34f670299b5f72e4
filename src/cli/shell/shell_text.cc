#include "cli/shell/shell_text.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

std::string column_text(const CellKey& key) {
  return string_binary(key.family) + ":" + string_binary(key.qualifier);
}

}  // namespace

std::string string_binary(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      text += c;
    } else {
      text += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::string local_time(std::int64_t ms) {
  const std::int64_t millis = (ms % 1000 + 1000) % 1000;
  const std::time_t seconds = (ms - millis) / 1000;
  std::tm time{};
  if (::localtime_r(&seconds, &time) == nullptr || time.tm_year > 9999 - 1900 || time.tm_year < -1900) {
    return std::to_string(ms);
  }
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1,
                                 time.tm_mday, time.tm_hour, time.tm_min);
  if (time.tm_sec != 0 || millis != 0) {
    text += fmt::format(":{:02}", time.tm_sec);
  }
  return millis == 0 ? text : text + fmt::format(".{:03}", millis);
}

ShellText::ShellText(ShellTextForm form) : form_(form), output_(STDOUT_FILENO) {}

Status ShellText::line(std::string_view text) {
  BLOOMERY_RETURN_IF_ERROR(output_.write(text));
  return output_.write("\n");
}

// Writes two texts next to each other. On a terminal, each continues below itself.
Status ShellText::two(std::string_view margin, std::string_view first, std::string_view second,
                      std::size_t gap) {
  const std::string space(gap, ' ');
  if (!is_terminal()) {
    BLOOMERY_RETURN_IF_ERROR(output_.write(margin));
    BLOOMERY_RETURN_IF_ERROR(output_.write(first));
    BLOOMERY_RETURN_IF_ERROR(output_.write(space));
    return line(second);
  }
  const std::size_t first_width = std::max<std::size_t>(form_.columns / 4, 1);
  const std::size_t second_width = std::max<std::size_t>(form_.columns - first_width, 3) - 2;
  do {
    const std::string_view left = first.substr(0, first_width);
    const std::string_view right = second.substr(0, second_width);
    BLOOMERY_RETURN_IF_ERROR(
        line(fmt::format("{}{:<{}}{}{}", margin, left, right.empty() ? 0 : first_width, space, right)));
    first.remove_prefix(left.size());
    second.remove_prefix(right.size());
  } while (!first.empty() || !second.empty());
  return {};
}

Status ShellText::header(std::string_view first, std::string_view second) {
  return two("", first, second, 2);
}

Status ShellText::row(std::string_view first, std::string_view second) {
  return two(" ", first, second, 1);
}

std::string ShellText::time(std::int64_t ms) const {
  return form_.prints_epoch ? std::to_string(ms) : local_time(ms);
}

std::string ShellText::time_and_value(const Cell& cell, const CellLook& look) const {
  std::string text = fmt::format("timestamp={}, ", time(cell.key.timestamp));
  if (cell.key.type != CellType::kPut) {
    text += fmt::format("type={}", cell_type_name(cell.key.type));
  } else {
    const auto found = look.converters.find({std::string(cell.key.family), std::string(cell.key.qualifier)});
    text += "value=" + (found == look.converters.end() ? string_binary : found->second)(cell.value);
  }
  return look.most_bytes ? text.substr(0, *look.most_bytes) : text;
}

Status ShellText::cell_of_get(const Cell& cell, const CellLook& look) {
  return row(column_text(cell.key), time_and_value(cell, look));
}

Status ShellText::cell_of_scan(const Cell& cell, const CellLook& look) {
  return row(string_binary(cell.key.row),
             fmt::format("column={}, {}", column_text(cell.key), time_and_value(cell, look)));
}

Status ShellText::rows(std::uint64_t count) {
  return line(fmt::format("{} row(s)", count));
}

}  // namespace bloomery::cli
