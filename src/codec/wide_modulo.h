// The constants with which the AVX-512 kernels reduce positions modulo m = 64 W (probe_kernel_avx512.h).
#pragma once

#include <cstdint>

namespace bloomery {

struct WideModulo {
  explicit WideModulo(std::uint64_t bits)
      : words(bits / 64), inverse((1 - 0x1p-50) / 128 / static_cast<double>(words)) {}

  std::uint64_t words;  // W
  double inverse;       // below 1 / (128 W) by more than the sum of three rounding errors
};

}  // namespace bloomery
