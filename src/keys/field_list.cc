#include "keys/field_list.h"

#include <algorithm>
#include <optional>
#include <string>

#include "bloomery/hash/key_form.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

std::optional<std::uint32_t> parse_number(std::string_view text) {
  const auto value = number_from_text<std::uint32_t>(text);
  return value && *value != 0 && *value <= kMaxFields ? value : std::nullopt;
}

// Parses "3", "2-4", "-2" or "3-". Returns nothing for any other text.
std::optional<FieldRange> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto number = parse_number(text);
    return number ? std::optional(FieldRange{*number, *number}) : std::nullopt;
  }
  if (text.size() == 1) {
    return std::nullopt;
  }
  const auto first = dash == 0 ? std::optional<std::uint32_t>(1) : parse_number(text.substr(0, dash));
  const auto last = dash + 1 == text.size() ? std::optional(kToTheEnd) : parse_number(text.substr(dash + 1));
  if (!first || !last || *first > *last) {
    return std::nullopt;
  }
  return FieldRange{*first, *last};
}

}  // namespace

Result<FieldList> parse_field_list(std::string_view text) {
  FieldList fields;
  std::uint64_t total = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::optional<FieldRange> range = parse_range(rest.substr(0, comma));
    if (range && range->last != kToTheEnd) {
      total += range->last - range->first + 1;
    }
    if (!range || total > kMaxFields) {
      return Error::invalid_argument(
          "fields",
          "expected numbers from 1 to 10000 and ranges like 2-4 or 3-, found '" + std::string(text) + "'");
    }
    fields.push_back(*range);
    if (comma == std::string_view::npos) {
      return fields;
    }
    rest.remove_prefix(comma + 1);
  }
}

std::uint16_t part_count(const FieldList& fields) {
  if (fields.empty()) {
    return 1;
  }
  std::uint32_t count = 0;
  for (const FieldRange& range : fields) {
    if (range.last == kToTheEnd) {
      return kVariableParts;
    }
    count += range.last - range.first + 1;
  }
  return static_cast<std::uint16_t>(count);
}

}  // namespace bloomery
