// The positions c mod m of a key's bits if c is computed in Java's int. Guava's strategy 0 and Spark's
// version 1 share this; they differ in the hash at the start.
//
//   c = a + i b for i = 1..k in 32 bits with overflow; a negative c is replaced by ~c
//
// So every position is below 2^31, however large m is.
#pragma once

#include <cstdint>

#include "codec/modulo32.h"
#include "codec/stepped_fpp.h"

namespace bloomery {

class IntSteps {
 public:
  struct Probe {
    std::uint32_t at;
    std::uint32_t step;
  };

  // Precondition: bits > 0.
  IntSteps(std::uint64_t bits, std::uint32_t hash_count) : bits_(bits), hash_count_(hash_count) {}

  std::uint32_t hash_count() const { return hash_count_; }
  // Returns the probe of a random key with these first two positions.
  Probe sample(std::uint64_t first, std::uint64_t second, SampleNumbers& numbers) const {
    const auto value = [&](std::uint64_t position) {
      const auto number =
          static_cast<std::uint32_t>(numbers.with_rest(position, bits_.divisor(), 0x7fffffff));
      return numbers.next() >> 63 != 0 ? ~number : number;
    };
    const std::uint32_t at = value(first);
    const std::uint32_t step = value(second) - at;
    return {.at = at - step, .step = step};
  }
  std::uint64_t next(Probe& probe) const {
    probe.at += probe.step;
    const bool negative = (probe.at >> 31) != 0;
    return bits_.of(negative ? ~probe.at : probe.at);
  }

 private:
  Modulo32 bits_;
  std::uint32_t hash_count_;
};

}  // namespace bloomery
