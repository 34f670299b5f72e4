// The positions of a key in a filter of bits-and-blooms with m bits.
//
//   h0, h1   murmur3_x64_128(key)
//   h2, h3   murmur3_x64_128(key followed by a byte 1)
//   bit i    (h[i mod 2] + i * h[2 + ((i + i mod 2) mod 4) / 2]) mod m, in 64 bits        i = 0 .. k - 1
//
// So i is multiplied by h2, h3, h3, h2, and then the sequence repeats.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/hash/hash128.h"
#include "codec/modulo.h"
#include "hash/murmur3_x64_128.h"

namespace bloomery {

class BitsAndBloomsProbes {
 public:
  struct Probe {
    std::array<std::uint64_t, 4> hashes;
    std::uint64_t i;
  };

  // Precondition: bits > 0.
  BitsAndBloomsProbes(std::uint64_t bits, std::uint32_t hash_count) : bits_(bits), hash_count_(hash_count) {}

  std::uint32_t hash_count() const { return hash_count_; }
  Probe begin(std::string_view key) const {
    const Hash128 first = murmur3_x64_128(key);
    const Hash128 second = murmur3_x64_128(std::string(key) + '\1');
    return {.hashes = {first.low, first.high, second.low, second.high}, .i = 0};
  }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t i = probe.i++;
    return bits_.of(probe.hashes[i % 2] + i * probe.hashes[2 + ((i + i % 2) % 4) / 2]);
  }

 private:
  Modulo bits_;
  std::uint32_t hash_count_;
};

}  // namespace bloomery
