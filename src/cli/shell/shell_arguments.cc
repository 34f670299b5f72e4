#include "cli/shell/shell_arguments.h"

#include <fmt/format.h>

#include "base/byte_text.h"

namespace bloomery::cli {
namespace {

Error wrong_argument(std::string_view name, std::string_view expected, const ShellValue& found) {
  const bool is_listed = found.get_if<ShellList>() != nullptr || found.get_if<ShellHash>() != nullptr;
  return Error::invalid_argument(
      std::string(name),
      is_listed || found.is_nil()
          ? fmt::format("expected {}, found {}", expected, kind_of(found))
          : fmt::format("expected {}, found '{}'", expected, printable_text(text_of(found).substr(0, 40))));
}

}  // namespace

Result<std::string> text_argument(std::string_view name, const ShellValue& value) {
  if (value.is_nil() || value.get_if<ShellList>() != nullptr || value.get_if<ShellHash>() != nullptr) {
    return wrong_argument(name, "a text", value);
  }
  return text_of(value);
}

Result<std::int64_t> whole_argument(std::string_view name, const ShellValue& value) {
  const auto* const number = value.get_if<std::int64_t>();
  return number != nullptr ? Result<std::int64_t>(*number) : wrong_argument(name, "a whole number", value);
}

Result<bool> truth_argument(std::string_view name, const ShellValue& value) {
  const auto* const truth = value.get_if<bool>();
  return truth != nullptr ? Result<bool>(*truth) : wrong_argument(name, "true or false", value);
}

Result<std::vector<std::string>> texts_argument(std::string_view name, const ShellValue& value) {
  const auto* const list = value.get_if<ShellList>();
  std::vector<std::string> texts;
  if (list == nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(std::string text, text_argument(name, value));
    texts.push_back(std::move(text));
    return texts;
  }
  for (const ShellValue& each : *list) {
    BLOOMERY_ASSIGN_OR_RETURN(std::string text, text_argument(name, each));
    texts.push_back(std::move(text));
  }
  return texts;
}

RequestedColumn column_of_text(std::string_view text) {
  const std::size_t colon = text.find(':');
  RequestedColumn column{.family = std::string(text.substr(0, colon)), .qualifier = {}};
  if (colon != std::string_view::npos && colon + 1 < text.size()) {
    column.qualifier = text.substr(colon + 1);
  }
  return column;
}

Result<std::int64_t> timestamp_argument(const ShellValue& value) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t time, whole_argument("TIMESTAMP", value));
  return time >= 0 ? Result<std::int64_t>(time)
                   : wrong_argument("TIMESTAMP", "milliseconds since 1970, at least 0", value);
}

const ShellValue* ShellOptions::take(std::string_view name) {
  for (std::size_t i = 0; i < hash_.size(); ++i) {
    if (hash_[i].first == name) {
      is_taken_[i] = true;
      return hash_[i].second.is_nil() ? nullptr : &hash_[i].second;
    }
  }
  return nullptr;
}

Result<std::optional<std::string>> ShellOptions::take_text(std::string_view name) {
  const ShellValue* const value = take(name);
  if (value == nullptr) {
    return std::optional<std::string>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::string text, text_argument(name, *value));
  return std::optional(std::move(text));
}

Result<std::optional<std::int64_t>> ShellOptions::take_whole(std::string_view name) {
  const ShellValue* const value = take(name);
  if (value == nullptr) {
    return std::optional<std::int64_t>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t number, whole_argument(name, *value));
  return std::optional(number);
}

Result<bool> ShellOptions::take_truth(std::string_view name) {
  const ShellValue* const value = take(name);
  return value == nullptr ? Result<bool>(false) : truth_argument(name, *value);
}

Status ShellOptions::check_all_taken(std::string_view command, std::string_view known) const {
  for (std::size_t i = 0; i < hash_.size(); ++i) {
    if (!is_taken_[i]) {
      return Error::invalid_argument(
          std::string(command), fmt::format("expected {}, found {}", known, printable_text(hash_[i].first)));
    }
  }
  return {};
}

}  // namespace bloomery::cli
