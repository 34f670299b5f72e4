// Computes x mod m for one m and many 32-bit x, with two multiplications and no correction.
//
// Let M = ceil(2^64 / m). The low 64 bits of M x are the fraction of x / m, scaled by 2^64. That fraction
// times m, divided by 2^64, is the remainder. This is exact for every x and m of 32 bits.
// Source: Lemire, Kaser, Kurz: "Faster remainder by direct computation", 2019.
//
// An m of 2^32 or more leaves x unchanged, so the constructor replaces every such m by 2^32.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/base/uint128.h"

namespace bloomery {

class Modulo32 {
 public:
  // Precondition: divisor > 0.
  explicit Modulo32(std::uint64_t divisor)
      : divisor_(std::min(divisor, std::uint64_t{1} << 32)), multiplier_(~std::uint64_t{0} / divisor_ + 1) {}

  std::uint64_t divisor() const { return divisor_; }
  std::uint64_t of(std::uint32_t value) const {
    const std::uint64_t fraction = multiplier_ * value;
    return static_cast<std::uint64_t>((Uint128{fraction} * divisor_) >> 64);
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t multiplier_;
};

}  // namespace bloomery
