// x mod m for one m and many 32-bit x, by two multiplications and no correction.
//
// With M = ceil(2^64 / m), the low 64 bits of M x are the fraction of x / m, so that times m, over 2^64, is
// the rest: exact for every x and m of 32 bits (Lemire, Kaser, Kurz: "Faster remainder by direct
// computation", 2019). A larger m leaves x as it is, and so does 2^32, which stands for it.
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

  std::uint64_t of(std::uint32_t value) const {
    const std::uint64_t fraction = multiplier_ * value;
    return static_cast<std::uint64_t>((Uint128{fraction} * divisor_) >> 64);
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t multiplier_;
};

}  // namespace bloomery
