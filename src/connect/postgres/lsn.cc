#include "connect/postgres/lsn.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace bloomery::postgres {
namespace {

std::optional<std::uint32_t> parse_half(std::string_view text) {
  std::uint32_t value = 0;
  const auto [stopped, code] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool is_whole = code == std::errc() && stopped == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string to_text(Lsn lsn) {
  std::array<char, 32> text{};  // at most 8 + 1 + 8 characters
  (void)std::snprintf(text.data(), text.size(), "%X/%X", static_cast<unsigned>(lsn.value >> 32),
                      static_cast<unsigned>(lsn.value & 0xffffffffu));
  return text.data();
}

std::optional<Lsn> parse_lsn(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> high = parse_half(text.substr(0, slash));
  const std::optional<std::uint32_t> low = parse_half(text.substr(slash + 1));
  if (!high || !low) {
    return std::nullopt;
  }
  return Lsn{(std::uint64_t{*high} << 32) | *low};
}

}  // namespace bloomery::postgres
