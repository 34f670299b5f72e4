// Turns a typed value into the bytes that are hashed. They are the same on every machine and in every
// language.
//
//   bytes, strings    the bytes as they are
//   integers          their width in bytes, little-endian two's complement
//   enums             their underlying integer
//   bool              one byte, 0 or 1
//   pairs, tuples     length (varint) and bytes of each part, so that ("ab", "c") is not ("a", "bc")
//
// Your own type becomes a key by a function append_key() in its namespace, which argument-dependent lookup
// finds. Guava calls such a function a funnel:
//
//   struct Point { std::int32_t x, y; };
//   void append_key(bloomery::KeyWriter& writer, const Point& point) {
//     writer.append_part(point.x);
//     writer.append_part(point.y);
//   }
//
// Example:
//    const Hash128 hash = hash_key(std::pair("ab", 42), HashSpec());
//
// There are no floating-point keys: with 0.0 == -0.0 and NaN != NaN, equality and bytes disagree. Source:
// docs/formats/native.md, section "Keys".
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Collects the bytes of one key. Short keys stay in the writer itself; longer ones are allocated.
class KeyWriter {
 public:
  // Appends raw bytes. Several raw appends concatenate; use append_part() to keep parts apart.
  void append_raw(std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      std::memcpy(room_for(bytes.size()), bytes.data(), bytes.size());
    }
  }

  // Appends one part of a composite key: its length, then the bytes of append_key(value).
  template <typename T>
  void append_part(const T& value);
  // Appends a part by several calls: begin_part append_raw* end_part(start).
  std::size_t begin_part() const { return size_; }
  void end_part(std::size_t start);

  // Forgets the key and keeps the memory.
  void clear() { size_ = 0; }
  std::span<const std::byte> bytes() const { return {data(), size_}; }

 private:
  static constexpr std::size_t kInside = 64;

  // Returns space for the next `count` bytes, which belong to the key from now on.
  std::byte* room_for(std::size_t count) {
    if (count > capacity() - size_) [[unlikely]] {
      move_to_heap(count);
    }
    size_ += count;
    return data() + size_ - count;
  }
  void move_to_heap(std::size_t count);
  std::size_t capacity() const { return heap_.empty() ? kInside : heap_.size(); }
  std::byte* data() { return heap_.empty() ? inside_.data() : heap_.data(); }
  const std::byte* data() const { return heap_.empty() ? inside_.data() : heap_.data(); }

  std::array<std::byte, kInside> inside_;
  std::vector<std::byte> heap_;  // holds every key once one was longer than kInside
  std::size_t size_ = 0;
};

inline void append_key(KeyWriter& writer, std::span<const std::byte> value) {
  writer.append_raw(value);
}
inline void append_key(KeyWriter& writer, std::string_view value) {
  writer.append_raw(std::as_bytes(std::span(value)));
}

// This is a template so that no pointer converts to bool.
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

// A type that append_key() can write.
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

// A key that hash_key() hashes in place, without a writer.
template <typename T>
concept StringKey = std::convertible_to<const T&, std::string_view> &&
    (!std::is_class_v<T> || std::same_as<T, std::string> || std::same_as<T, std::string_view>);

// Returns the number whose sizeof(T) little-endian bytes are those of an integer key.
template <std::integral T>
constexpr std::uint64_t little_endian_value(T key) {
  if constexpr (std::same_as<T, bool>) {
    return key ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(key);
  }
}

// Returns the hash of a key of any Key type under `spec`, which must be the HashSpec of the filter.
// NativeFilter::hash() uses the filter's own.
template <Key T>
Hash128 hash_key(const T& key, const HashSpec& spec) {
  if constexpr (StringKey<T>) {
    return hash_bytes(std::string_view(key), spec);
  } else if constexpr (std::integral<T>) {
    return hash_little_endian(little_endian_value(key), sizeof(T), spec);
  } else {
    KeyWriter writer;
    append_key(writer, key);
    return hash_bytes(writer.bytes(), spec);
  }
}

}  // namespace bloomery
