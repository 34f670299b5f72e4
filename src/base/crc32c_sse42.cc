// CRC-32C by the SSE 4.2 instruction, three streams side by side.
//
//   | stream 0: L bytes | stream 1: L bytes | stream 2: L bytes | next round ...
//
// A register that runs over L zero bytes is multiplied by x^(8L) modulo the polynomial, so the three
// registers join as  s0 * x^(16L)  +  s1 * x^(8L)  +  s2.  The multiplication is 32 steps of shift and xor; L
// is large enough that it does not show.
#include "base/crc32c.h"
#include "base/endian.h"

#if defined(__x86_64__)

#include <nmmintrin.h>

namespace bloomery::crc32c_kernel {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;
constexpr std::size_t kStreamBytes = 16384;

// Product of two polynomials modulo the CRC's; bit 31 is the coefficient of x^0.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x80000000; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) {
      product ^= b;
    }
    b = (b >> 1) ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

// x^exponent modulo the polynomial.
constexpr std::uint32_t power_of_x(std::uint64_t exponent) {
  std::uint32_t result = 0x80000000;
  for (std::uint32_t square = 0x40000000; exponent != 0; exponent >>= 1, square = multiply(square, square)) {
    if ((exponent & 1) != 0) {
      result = multiply(result, square);
    }
  }
  return result;
}

constexpr std::uint32_t kOneStream = power_of_x(8 * kStreamBytes);
constexpr std::uint32_t kTwoStreams = power_of_x(16 * kStreamBytes);

}  // namespace

bool sse42_available() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) std::uint32_t extend_sse42(std::uint32_t state,
                                                             std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t s0 = state;
  while (left >= 3 * kStreamBytes) {
    std::uint64_t s1 = 0;
    std::uint64_t s2 = 0;
    for (std::size_t i = 0; i < kStreamBytes; i += 8) {
      s0 = _mm_crc32_u64(s0, load_little64(at + i));
      s1 = _mm_crc32_u64(s1, load_little64(at + kStreamBytes + i));
      s2 = _mm_crc32_u64(s2, load_little64(at + 2 * kStreamBytes + i));
    }
    s0 = multiply(kTwoStreams, static_cast<std::uint32_t>(s0)) ^
         multiply(kOneStream, static_cast<std::uint32_t>(s1)) ^ s2;
    at += 3 * kStreamBytes;
    left -= 3 * kStreamBytes;
  }
  for (; left >= 8; at += 8, left -= 8) {
    s0 = _mm_crc32_u64(s0, load_little64(at));
  }
  auto tail = static_cast<std::uint32_t>(s0);
  for (; left > 0; ++at, --left) {
    tail = _mm_crc32_u8(tail, std::to_integer<unsigned char>(*at));
  }
  return tail;
}

}  // namespace bloomery::crc32c_kernel

#else

namespace bloomery::crc32c_kernel {

bool sse42_available() {
  return false;
}

std::uint32_t extend_sse42(std::uint32_t state, std::span<const std::byte> bytes) {
  return extend_table(state, bytes);
}

}  // namespace bloomery::crc32c_kernel

#endif
