// The positions of a key in DCSO's filter: a multiplicative chain that begins with FNV-1, modulo the largest
// 64-bit prime.
//
//   x = fnv1_64(key) mod q
//   k times: x = (x g mod 2^64) mod q, position x mod m
//
//   q = 2^64 - 59             g = 18446744073709550147
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/modulo.h"
#include "hash/fnv1_64.h"

namespace bloomery {

class DcsoProbes {
 public:
  struct Probe {
    std::uint64_t state;
  };

  DcsoProbes(std::uint64_t bits, std::uint32_t hash_count) : bits_(bits), hash_count_(hash_count) {}

  std::uint32_t hash_count() const { return hash_count_; }
  Probe begin(std::string_view key) const { return {.state = reduced(fnv1_64(key))}; }
  std::uint64_t next(Probe& probe) const {
    probe.state = reduced(probe.state * kGenerator);
    return bits_.of(probe.state);
  }

 private:
  static constexpr std::uint64_t kPrime = 18446744073709551557U;
  static constexpr std::uint64_t kGenerator = 18446744073709550147U;

  static std::uint64_t reduced(std::uint64_t value) { return value >= kPrime ? value - kPrime : value; }

  Modulo bits_;
  std::uint32_t hash_count_;
};

}  // namespace bloomery
