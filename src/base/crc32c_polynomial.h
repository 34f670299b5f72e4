// Arithmetic of polynomials modulo that of CRC-32C, for the constants of its kernels.
//
// All polynomials are reflected: bit 31 of a register is the coefficient of x^0.
#pragma once

#include <cstdint>

namespace bloomery {

inline constexpr std::uint32_t kCrc32cPolynomial = 0x82f63b78;

// Returns the product of two polynomials modulo the CRC's; bit 31 is the coefficient of x^0.
constexpr std::uint32_t crc32c_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x80000000; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) {
      product ^= b;
    }
    b = (b >> 1) ^ ((b & 1) != 0 ? kCrc32cPolynomial : 0);
  }
  return product;
}

// Returns x^exponent modulo the polynomial.
constexpr std::uint32_t crc32c_power_of_x(std::uint64_t exponent) {
  std::uint32_t result = 0x80000000;
  for (std::uint32_t square = 0x40000000; exponent != 0;
       exponent >>= 1, square = crc32c_product(square, square)) {
    if ((exponent & 1) != 0) {
      result = crc32c_product(result, square);
    }
  }
  return result;
}

}  // namespace bloomery
