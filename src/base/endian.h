// Loads and stores that name their byte order, so that a file means the same on every machine.
//
// Never reinterpret_cast the bytes of a file: their alignment and order are not the machine's. Compilers turn
// each of these functions into one move (and a byte swap if the machine's order differs).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bloomery {

template <std::unsigned_integral T>
constexpr T byte_swapped(T value) {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

// Reads sizeof(T) bytes at `bytes`, which need no alignment.
template <std::unsigned_integral T>
T load_little(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return std::endian::native == std::endian::little ? value : byte_swapped(value);
}

template <std::unsigned_integral T>
T load_big(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return std::endian::native == std::endian::big ? value : byte_swapped(value);
}

// Writes sizeof(T) bytes at `bytes`, which need no alignment.
template <std::unsigned_integral T>
void store_little(std::byte* bytes, T value) {
  const T ordered = std::endian::native == std::endian::little ? value : byte_swapped(value);
  std::memcpy(bytes, &ordered, sizeof(T));
}

template <std::unsigned_integral T>
void store_big(std::byte* bytes, T value) {
  const T ordered = std::endian::native == std::endian::big ? value : byte_swapped(value);
  std::memcpy(bytes, &ordered, sizeof(T));
}

inline std::uint16_t load_little16(const std::byte* bytes) {
  return load_little<std::uint16_t>(bytes);
}
inline std::uint32_t load_little32(const std::byte* bytes) {
  return load_little<std::uint32_t>(bytes);
}
inline std::uint64_t load_little64(const std::byte* bytes) {
  return load_little<std::uint64_t>(bytes);
}
inline std::uint16_t load_big16(const std::byte* bytes) {
  return load_big<std::uint16_t>(bytes);
}
inline std::uint32_t load_big32(const std::byte* bytes) {
  return load_big<std::uint32_t>(bytes);
}
inline std::uint64_t load_big64(const std::byte* bytes) {
  return load_big<std::uint64_t>(bytes);
}

}  // namespace bloomery
