// Bytes as tests like to write them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

using Bytes = std::vector<std::byte>;

inline Bytes make_bytes(std::initializer_list<unsigned> values) {
  Bytes result;
  for (const unsigned value : values) {
    result.push_back(static_cast<std::byte>(value));
  }
  return result;
}

// The characters of `text` as bytes, where they lie.
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += static_cast<char>(byte);
  }
  return text;
}

inline Bytes random_bytes(std::mt19937_64& random, std::size_t count) {
  Bytes result(count);
  for (std::byte& byte : result) {
    byte = static_cast<std::byte>(random() >> 56);
  }
  return result;
}

}  // namespace bloomery
