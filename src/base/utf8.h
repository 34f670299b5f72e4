// Decodes UTF-8 strictly: no surrogates, no overlong forms, nothing above U+10FFFF (Unicode, table 3-7).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

struct CodePoint {
  std::uint32_t value;
  std::size_t size_bytes;
};

// Returns the first character of `text`, which is not empty; nothing if it is not well-formed.
inline std::optional<CodePoint> decode_utf8(std::string_view text) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte_at(0);
  if (first < 0x80) {
    return CodePoint{first, 1};
  }
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) {
    return std::nullopt;
  }
  std::uint32_t value = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(i) & 0xc0U) != 0x80) {
      return std::nullopt;
    }
    value = (value << 6) | (byte_at(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[size] || value > 0x10ffff || surrogate) {
    return std::nullopt;
  }
  return CodePoint{value, size};
}

// Returns true if all of `text` is well-formed.
inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::optional<CodePoint> point = decode_utf8(text);
    if (!point) {
      return false;
    }
    text.remove_prefix(point->size_bytes);
  }
  return true;
}

}  // namespace bloomery
