// FNV-1 of 64 bits: multiply, then exclusive or. FNV-1a has the opposite order.
//
// Source: Fowler, Noll and Vo; RFC 9923. It serves only filters of other systems that were made with it.
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

inline std::uint64_t fnv1_64(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) {
    hash = hash * 0x100000001b3 ^ static_cast<unsigned char>(c);
  }
  return hash;
}

}  // namespace bloomery
