#include "table/layout/readable_amount.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "hash/ascii_text.h"

namespace bloomery::table {
namespace {

constexpr std::int64_t kMostAmount = std::int64_t{1} << 62;

struct AmountUnit {
  std::string_view name;    // in lower case
  std::string_view ending;  // that the name may have, too
  std::int64_t factor;
};

constexpr std::array<AmountUnit, 4> kTimes = {
    {{"day", "s", 86'400}, {"hour", "s", 3'600}, {"minute", "s", 60}, {"second", "s", 1}}};
constexpr std::array<AmountUnit, 5> kSizes = {{{"t", "b", std::int64_t{1} << 40},
                                               {"g", "b", std::int64_t{1} << 30},
                                               {"m", "b", std::int64_t{1} << 20},
                                               {"k", "b", std::int64_t{1} << 10},
                                               {"b", "", 1}}};

// Cuts the leading characters off for which `is_part` is true, and white space after them.
template <typename IsPart>
std::string_view cut_leading(std::string_view& text, IsPart is_part) {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
  const std::string_view part = text.substr(0, end);
  text = trimmed(text.substr(end));
  return part;
}

bool is_unit(const AmountUnit& unit, std::string_view name) {
  return name.starts_with(unit.name) &&
         (name.size() == unit.name.size() || name.substr(unit.name.size()) == unit.ending);
}

// Parses "1 day 2 hours".
std::optional<std::int64_t> parse_units(std::string_view text, std::span<const AmountUnit> units) {
  if (text.empty()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  while (!text.empty()) {
    const auto number = number_from_text<std::int64_t>(cut_leading(text, is_ascii_digit));
    const std::string_view name = cut_leading(text, [](char c) { return c >= 'a' && c <= 'z'; });
    const auto unit =
        std::ranges::find_if(units, [&](const AmountUnit& each) { return is_unit(each, name); });
    if (!number || unit == units.end() || *number > (kMostAmount - sum) / unit->factor) {
      return std::nullopt;
    }
    sum += *number * unit->factor;
    units = units.subspan(static_cast<std::size_t>(unit - units.begin()) + 1);
  }
  return sum;
}

std::optional<std::int64_t> parse_amount(std::string_view given, std::span<const AmountUnit> units) {
  const std::string folded_text = folded(given);
  const std::string_view text = trimmed(folded_text);
  if (std::ranges::all_of(text, is_ascii_digit)) {
    return number_from_text<std::int64_t>(text);
  }
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') {
    return parse_units(text, units);
  }
  const auto first = parse_units(trimmed(text.substr(0, open)), units);
  const auto second = parse_units(trimmed(text.substr(open + 1, text.size() - open - 2)), units);
  return first == second ? first : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_seconds(std::string_view text) {
  return parse_amount(text, kTimes);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  return parse_amount(text, kSizes);
}

}  // namespace bloomery::table
