// CRC-32C by the SSE 4.2 instruction, in three interleaved streams.
//
//   | stream 0: L bytes | stream 1: L bytes | stream 2: L bytes | next round ...
//
// Running a register over L zero bytes multiplies it by x^(8L) modulo the polynomial. So the three registers
// join as
//
//   s0 * x^(16L)  +  s1 * x^(8L)  +  s2
//
// A multiplication is one carry-less product by a constant. The crc32 instruction itself reduces the product:
// it maps 64 bits v to v * x^32. The product of two reflected registers is one bit too low in its register,
// so the constant for x^n is x^(n - 33).
//
// L is 1 KiB, and 256 bytes for the rest, because files have checksums of runs of 4 to 64 KiB.
#include "base/crc32c.h"
#include "base/crc32c_polynomial.h"
#include "base/endian.h"

#if defined(__x86_64__)

#include <wmmintrin.h>

#include <nmmintrin.h>

namespace bloomery {
namespace {

#define BLOOMERY_CRC __attribute__((target("sse4.2,pclmul")))

// Returns register * x^(8 kZeroBytes), by a product with its constant.
template <std::size_t kZeroBytes>
BLOOMERY_CRC std::uint64_t moved(std::uint64_t state) {
  constexpr std::uint32_t kConstant = crc32c_power_of_x(8 * kZeroBytes - 33);
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(state)),
                                               _mm_cvtsi32_si128(static_cast<int>(kConstant)), 0);
  return _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)));
}

// Runs the register over all full rounds of three streams at the front of `bytes`, and removes them from
// `bytes`.
template <std::size_t kStreamBytes>
BLOOMERY_CRC std::uint64_t extend_by_rounds(std::uint64_t s0, std::span<const std::byte>& bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kStreamBytes; at += 3 * kStreamBytes, left -= 3 * kStreamBytes) {
    std::uint64_t s1 = 0;
    std::uint64_t s2 = 0;
    for (std::size_t i = 0; i < kStreamBytes; i += 8) {
      s0 = _mm_crc32_u64(s0, load_little64(at + i));
      s1 = _mm_crc32_u64(s1, load_little64(at + kStreamBytes + i));
      s2 = _mm_crc32_u64(s2, load_little64(at + 2 * kStreamBytes + i));
    }
    s0 = moved<2 * kStreamBytes>(s0) ^ moved<kStreamBytes>(s1) ^ s2;
  }
  bytes = {at, left};
  return s0;
}

bool available() {
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

BLOOMERY_CRC std::uint32_t extend_by_instruction(std::uint32_t state, std::span<const std::byte> bytes) {
  std::uint64_t s0 = extend_by_rounds<1024>(state, bytes);
  s0 = extend_by_rounds<256>(s0, bytes);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    s0 = _mm_crc32_u64(s0, load_little64(at));
  }
  auto tail = static_cast<std::uint32_t>(s0);
  for (; left > 0; ++at, --left) {
    tail = _mm_crc32_u8(tail, std::to_integer<unsigned char>(*at));
  }
  return tail;
}

BLOOMERY_CRC std::uint32_t multiply_by_instruction(std::uint32_t a, std::uint32_t b) {
  const __m128i product =
      _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(a)), _mm_cvtsi32_si128(static_cast<int>(b)), 0);
  return static_cast<std::uint32_t>(_mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product))));
}

#undef BLOOMERY_CRC

}  // namespace

constexpr Crc32cKernel kSse42Crc32cKernel = {.name = "sse42",
                                             .available = available,
                                             .extend = extend_by_instruction,
                                             .multiply = multiply_by_instruction};

}  // namespace bloomery

#else

namespace bloomery {

constexpr Crc32cKernel kSse42Crc32cKernel = {
    .name = "sse42", .available = [] { return false; }, .extend = nullptr, .multiply = nullptr};

}  // namespace bloomery

#endif
