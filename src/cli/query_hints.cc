#include "cli/query_hints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "hash/ascii_text.h"
#include "keys/field_reader.h"
#include "keys/input_files.h"
#include "keys/key_text.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kLeastDigits = 16;

bool is_upper(char character) {
  return character >= 'A' && character <= 'F';
}
bool is_lower(char character) {
  return character >= 'a' && character <= 'f';
}

// A way to split a line, and the options that select it.
struct LineCut {
  Split split;
  char delimiter;
  std::string_view option;
};
constexpr std::array<LineCut, 6> kCuts = {{{Split::kDelimiter, '\t', ""},
                                           {Split::kDelimiter, ',', " -d ,"},
                                           {Split::kDelimiter, ';', " -d ';'"},
                                           {Split::kDelimiter, '|', " -d '|'"},
                                           {Split::kDelimiter, ':', " -d :"},
                                           {Split::kBlanks, ' ', " -w"}}};
constexpr std::uint32_t kMostFieldsAsked = 8;
// A hint requires that the probability of a match by chance, over all guesses so far, is below this.
constexpr double kMostChance = 0.05;

// Returns the given field of each line that has it and at least one other field.
std::vector<std::string> fields_of(std::span<const std::string> lines, const LineCut& cut,
                                   std::uint32_t number) {
  const auto place_of = [&cut](std::uint32_t field) {
    return KeyPlace{.fields = {{field, field}}, .delimiter = cut.delimiter, .split = cut.split};
  };
  FieldReader wanted(place_of(number));
  FieldReader other(place_of(number == 1 ? 2 : 1));
  std::vector<std::string> found;
  std::vector<std::string_view> parts;
  for (const std::string& line : lines) {
    const Result<bool> has_other = other.select(line, parts);
    const Result<bool> has = wanted.select(line, parts);
    if (has && *has && has_other && *has_other) {
      found.emplace_back(parts.front());
    }
  }
  return found;
}

}  // namespace

std::optional<std::string> field_hint(std::span<const std::string> lines, const std::function<double()>& fpp,
                                      const std::function<Result<std::uint64_t>(LineBatch&)>& count_maybes) {
  int guesses = 0;
  for (const LineCut& cut : kCuts) {
    for (std::uint32_t number = 1; number <= kMostFieldsAsked; ++number) {
      const std::vector<std::string> fields = fields_of(lines, cut, number);
      if (fields.empty() || fields.size() * 2 < lines.size()) {
        break;
      }
      LineBatch batch;
      if (!fill_with_lines(fields, '\n', batch)) {
        return std::nullopt;
      }
      const Result<std::uint64_t> maybes = count_maybes(batch);
      ++guesses;
      if (maybes && *maybes * 2 >= fields.size() &&
          guesses * std::pow(fpp(), static_cast<double>(*maybes)) < kMostChance) {
        return fmt::format("nothing matched, but of {} of the first {} lines field {} does: ask with -k {}{}",
                           *maybes, lines.size(), number, number, cut.option);
      }
    }
  }
  return std::nullopt;
}

std::optional<DigestCase> digest_case(const LineBatch& batch, const KeyPlace& place) {
  KeyText keys(place);
  if (batch.header && !keys.begin_file(*batch.header)) {
    return std::nullopt;
  }
  std::size_t digits = 0;
  bool has_upper = false;
  bool has_lower = false;
  for (const std::string_view line : batch.lines) {
    const Result<std::string_view> key = keys.of(line);
    digits = digits == 0 && key ? key->size() : digits;
    if (!key || key->size() != digits || digits < kLeastDigits) {
      return std::nullopt;
    }
    for (const char character : *key) {
      if (!is_ascii_digit(character) && !is_upper(character) && !is_lower(character)) {
        return std::nullopt;
      }
    }
    has_upper = has_upper || std::ranges::any_of(*key, is_upper);
    has_lower = has_lower || std::ranges::any_of(*key, is_lower);
  }
  if (has_upper == has_lower) {
    return std::nullopt;
  }
  return has_upper ? DigestCase::kUpper : DigestCase::kLower;
}

std::string_view digest_hint(DigestCase found) {
  return found == DigestCase::kUpper
             ? "nothing matched, and the first keys are hexadecimal digits in upper case: if those of the "
               "filter "
               "are in "
               "lower case, ask with tr A-F a-f, or build it with --key-form hex, which takes both"
             : "nothing matched, and the first keys are hexadecimal digits in lower case: if those of the "
               "filter "
               "are in "
               "upper case, ask with tr a-f A-F, or build it with --key-form hex, which takes both";
}

}  // namespace bloomery::cli
