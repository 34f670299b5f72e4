// The positions of a key's bits under Guava's two strategies, in a filter of m = 64 W bits.
//
//   h = murmur3_x64_128(key)
//   h1, h2 are the words of h; a and b are the lower and the upper half of h1
//   mitz32  c = a + i b for i = 1..k in 32 bits, or ~c if it is negative; the bit is c mod m
//   mitz64  c = h1, h1 + h2, h1 + 2 h2, ... in 64 bits; the bit is the low 63 bits of c, mod m
#pragma once

#include <cstdint>
#include <string_view>

#include "base/endian.h"
#include "bloomery/hash/hash128.h"
#include "codec/int_steps.h"
#include "codec/modulo.h"
#include "codec/stepped_fpp.h"
#include "hash/murmur3_x64_128.h"

namespace bloomery {

class Mitz32 : public IntSteps {
 public:
  using IntSteps::IntSteps;

  Probe begin(std::string_view key) const {
    const std::uint64_t hash = murmur3_x64_128(key).low;
    return {.at = static_cast<std::uint32_t>(hash), .step = static_cast<std::uint32_t>(hash >> 32)};
  }
};

class Mitz64 {
 public:
  struct Probe {
    std::uint64_t at;
    std::uint64_t step;
  };

  Mitz64(std::uint64_t bits, std::uint32_t hash_count) : bits_(bits), wide_(bits), hash_count_(hash_count) {}

  std::uint32_t hash_count() const { return hash_count_; }
  const WideModulo& wide() const { return wide_; }
  // Returns the probe of a random key with these first two positions.
  Probe sample(std::uint64_t first, std::uint64_t second, SampleNumbers& numbers) const {
    const auto value = [&](std::uint64_t position) {
      return numbers.with_rest(position, bits_.divisor(), ~std::uint64_t{0} >> 1) |
             numbers.next() >> 63 << 63;
    };
    const std::uint64_t at = value(first);
    return {.at = at, .step = value(second) - at};
  }
  Probe begin(std::string_view key) const {
    const Hash128 hash =
        key.size() == 8
            ? murmur3_x64_128_of_long(load_little64(reinterpret_cast<const std::byte*>(key.data())))
            : murmur3_x64_128(key);
    return {.at = hash.low, .step = hash.high};
  }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t position = bits_.of(probe.at & (~std::uint64_t{0} >> 1));
    probe.at += probe.step;
    return position;
  }

 private:
  Modulo bits_;
  WideModulo wide_;
  std::uint32_t hash_count_;
};

}  // namespace bloomery
