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

}  // namespace

constexpr Crc32cKernel kScalarCrc32cKernel = {
    .name = "scalar", .available = [] { return true; }, .extend = extend_by_table};

std::span<const Crc32cKernel> crc32c_kernels() {
  // The fastest is first. The definition, which every machine can run, is last.
  static const std::array<Crc32cKernel, 3> kernels = {kAvx512Crc32cKernel, kSse42Crc32cKernel,
                                                      kScalarCrc32cKernel};
  return kernels;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
  static const Crc32cKernel& kernel = chosen_of(crc32c_kernels());
  return ~kernel.extend(~previous, bytes);
}

}  // namespace bloomery
