#include "base/crc32c.h"

#include <array>

#include "base/crc32c_polynomial.h"
#include "base/kernel_choice.h"

namespace bloomery {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1) ^ ((state & 1) != 0 ? kCrc32cPolynomial : 0);
    }
    table[byte] = state;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

std::uint32_t extend_by_table(std::uint32_t state, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    state = kTable[(state ^ std::to_integer<std::uint32_t>(byte)) & 0xff] ^ (state >> 8);
  }
  return state;
}

std::uint32_t multiply_by_bits(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kFactor = crc32c_power_of_x(33);
  return crc32c_product(crc32c_product(a, b), kFactor);
}

}  // namespace

constexpr Crc32cKernel kScalarCrc32cKernel = {.name = "scalar",
                                              .available = [] { return true; },
                                              .extend = extend_by_table,
                                              .multiply = multiply_by_bits};

std::span<const Crc32cKernel> crc32c_kernels() {
  // The fastest is first. The definition, which every machine can run, is last.
  static const std::array<Crc32cKernel, 3> kernels = {kAvx512Crc32cKernel, kSse42Crc32cKernel,
                                                      kScalarCrc32cKernel};
  return kernels;
}

const Crc32cKernel& chosen_crc32c_kernel() {
  static const Crc32cKernel& kernel = chosen_of(crc32c_kernels());
  return kernel;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
  return ~chosen_crc32c_kernel().extend(~previous, bytes);
}

}  // namespace bloomery
