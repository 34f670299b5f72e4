#include "cli/digest_hint.h"

#include <algorithm>

#include "hash/ascii_text.h"
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

}  // namespace

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
