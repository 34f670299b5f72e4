// Computes x mod m for one m and many x, with a multiplication instead of a division.
//
// With M = floor((2^64 - 1) / m), floor(x M / 2^64) is the quotient or one less, for every x and every m. So
// the remainder needs at most one correction.
#pragma once

#include <cstdint>

#include "bloomery/base/uint128.h"

namespace bloomery {

class Modulo {
 public:
  // Precondition: divisor > 0.
  explicit Modulo(std::uint64_t divisor) : divisor_(divisor), multiplier_(~std::uint64_t{0} / divisor) {}

  std::uint64_t divisor() const { return divisor_; }
  std::uint64_t of(std::uint64_t value) const {
    const auto quotient = static_cast<std::uint64_t>((Uint128{value} * multiplier_) >> 64);
    const std::uint64_t rest = value - quotient * divisor_;
    return rest < divisor_ ? rest : rest - divisor_;
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t multiplier_;
};

// The constants with which the AVX-512 kernels reduce positions modulo m = 64 W (probe_kernel_avx512.h).

struct WideModulo {
  explicit WideModulo(std::uint64_t bits)
      : words(bits / 64), inverse((1 - 0x1p-50) / 128 / static_cast<double>(words)) {}

  std::uint64_t words;  // W
  double inverse;       // below 1 / (128 W) by more than the sum of three rounding errors
};

}  // namespace bloomery
