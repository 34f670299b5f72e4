#include "base/crc32c_change.h"

#include <array>
#include <cassert>

#include "base/crc32c.h"
#include "base/crc32c_polynomial.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kOne = 0x80000000;
constexpr unsigned kDigitBits = 10;
constexpr std::size_t kDigits = 5;
constexpr std::uint64_t kDigitValues = std::uint64_t{1} << kDigitBits;

// The multiply() of a kernel adds a factor x^33, so every power in the tables omits it. The powers of x
// repeat after 2^31 - 1.
constexpr std::uint32_t kLess33 = crc32c_power_of_x((std::uint64_t{1} << 31) - 1 - 33);
static_assert(crc32c_product(kLess33, crc32c_power_of_x(33)) == kOne);

// powers[i][d] is x^(8 d 2^(10 i) - 33).
using Powers = std::array<std::array<std::uint32_t, kDigitValues>, kDigits>;

Powers make_powers() {
  Powers powers;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const std::uint32_t step = crc32c_power_of_x(std::uint64_t{8} << (kDigitBits * i));
    powers[i][0] = kLess33;
    for (std::uint64_t d = 1; d < kDigitValues; ++d) {
      powers[i][d] = crc32c_product(powers[i][d - 1], step);
    }
  }
  return powers;
}

// Returns a register after that many zero bytes.
std::uint32_t moved(std::uint32_t state, std::uint64_t bytes) {
  static const Powers powers = make_powers();
  assert(bytes >> (kDigitBits * kDigits) == 0);
  const Crc32cKernel& kernel = chosen_crc32c_kernel();
  for (std::size_t i = 0; i < kDigits && bytes != 0; ++i, bytes >>= kDigitBits) {
    state = kernel.multiply(state, powers[i][bytes % kDigitValues]);
  }
  return state;
}

}  // namespace

std::uint32_t crc32c_of_both(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return moved(first, second_bytes) ^ second;
}

std::uint32_t crc32c_of_zeros(std::uint64_t bytes) {
  return ~moved(~std::uint32_t{0}, bytes);
}

std::uint32_t crc32c_of_change(std::span<const std::byte> difference, std::uint64_t bytes_behind) {
  return moved(chosen_crc32c_kernel().extend(0, difference), bytes_behind);
}

}  // namespace bloomery
