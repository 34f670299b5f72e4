#include "keys/json_path.h"

#include <optional>

namespace bloomery {
namespace {

// Resolves ~0 and ~1. Returns nothing for any other ~.
std::optional<std::string> unescaped(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      text += step[i];
      continue;
    }
    ++i;
    if (i == step.size() || (step[i] != '0' && step[i] != '1')) {
      return std::nullopt;
    }
    text += step[i] == '0' ? '~' : '/';
  }
  return text;
}

}  // namespace

Result<JsonPath> parse_json_path(std::string_view text) {
  const bool is_pointer = text.starts_with('/');
  const char separator = is_pointer ? '/' : '.';
  JsonPath path;
  for (std::string_view rest = is_pointer ? text.substr(1) : text;;) {
    const std::size_t end = rest.find(separator);
    const std::string_view step = rest.substr(0, end);
    const std::optional<std::string> name = is_pointer ? unescaped(step) : std::string(step);
    if (!name || (step.empty() && !is_pointer)) {
      return Error::invalid_argument(
          "JSON path",
          "expected a path like user.id or a pointer like /user/id, found '" + std::string(text) + "'");
    }
    path.push_back(*name);
    if (end == std::string_view::npos) {
      return path;
    }
    rest.remove_prefix(end + 1);
  }
}

}  // namespace bloomery
