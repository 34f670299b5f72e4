// How a typed value becomes the bytes that are hashed: the same on every machine and in every language.
//
//   bytes, strings       as they are
//   integers             their width in bytes, little-endian two's complement
//   enums                their underlying integer
//   bool                 one byte, 0 or 1
//   pairs, tuples        every part as: length (varint), bytes       so ("ab", "c") is not ("a", "bc")
//
// One customization point, found by argument-dependent lookup, what Guava calls a funnel:
//
//   void append_key(bloomery::KeyWriter& writer, const Point& point) {
//     writer.append_part(point.x);
//     writer.append_part(point.y);
//   }
//
// Floating-point keys are left out on purpose: 0.0 == -0.0 and NaN != NaN make equality and bytes disagree.
// Source: docs/formats/native.md, section "Keys".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/hash/hash128.h"

namespace bloomery {

class KeyWriter {
 public:
  // Appends raw bytes. A key made of several raw appends is their concatenation; use append_part() to keep
  // them apart.
  void append_raw(std::span<const std::byte> bytes);

  // Appends one part of a composite key: append_key(value) behind its length.
  template <typename T>
  void append_part(const T& value);

  // The same in two steps, for a part that is appended piece by piece:  begin_part() append_raw()*
  // end_part(start).
  std::size_t begin_part() const { return bytes_.size(); }
  void end_part(std::size_t start);

  // Forgets the key and keeps the memory.
  void clear() { bytes_.clear(); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

inline void append_key(KeyWriter& writer, std::span<const std::byte> value) {
  writer.append_raw(value);
}
inline void append_key(KeyWriter& writer, std::string_view value) {
  writer.append_raw(std::as_bytes(std::span(value)));
}

// A template, so that no pointer turns into a bool on its way here.
template <std::integral T>
requires(sizeof(T) <= sizeof(std::uint64_t)) void append_key(KeyWriter& writer, T value) {
  std::byte bytes[sizeof(T)];
  auto rest = static_cast<std::uint64_t>(value);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(rest & 0xff);
    rest >>= 8;
  }
  writer.append_raw(bytes);
}

template <typename T>
requires std::is_enum_v<T>
void append_key(KeyWriter& writer, T value) {
  append_key(writer, static_cast<std::underlying_type_t<T>>(value));
}

template <typename First, typename Second>
void append_key(KeyWriter& writer, const std::pair<First, Second>& value) {
  writer.append_part(value.first);
  writer.append_part(value.second);
}

template <typename... Parts>
void append_key(KeyWriter& writer, const std::tuple<Parts...>& value) {
  std::apply([&writer](const Parts&... parts) { (writer.append_part(parts), ...); }, value);
}

// A type that append_key() knows how to write.
template <typename T>
concept Key = requires(KeyWriter& writer, const T& value) {
  append_key(writer, value);
};

template <typename T>
void KeyWriter::append_part(const T& value) {
  const std::size_t start = begin_part();
  append_key(*this, value);
  end_part(start);
}

// Returns the hash of a key of any Key type. Strings are hashed where they lie.
//   how  a seed of XXH3-128, or a HashSpec
template <Key T, typename How = std::uint64_t>
Hash128 hash_key(const T& key, const How& how = {}) {
  if constexpr (std::convertible_to<const T&, std::string_view> &&
                (!std::is_class_v<T> || std::same_as<T, std::string> || std::same_as<T, std::string_view>)) {
    return hash_bytes(std::string_view(key), how);
  } else {
    KeyWriter writer;
    append_key(writer, key);
    return hash_bytes(writer.bytes(), how);
  }
}

}  // namespace bloomery
