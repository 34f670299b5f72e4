// CRC-32C by carry-less products of 512 bits, in four registers.
//
//   | register 0: 64 bytes | register 1 | register 2 | register 3 | next round ...
//
// A register of 128 bits holds a polynomial lo * x^64 + hi, reflected: `lo` comes first in the file.
// Advancing it by D bits multiplies it by x^D. Two products do this, each of 64 bits by a constant of 32
// bits, and the next bytes are added:
//
//   lo * x^(D + 64)  +  hi * x^D  +  next bytes
//
// The product of two reflected registers is one bit too low in its register. A constant of 32 bits in a
// register of 64 represents its product with x^32. So the constant for x^n is x^(n - 33).
//
// At the end the crc32 instruction reduces the 16 bytes of the last register. Input shorter than two rounds
// is left to the kernel for SSE 4.2, which every machine with these instructions can run.
#include "base/crc32c.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/crc32c_polynomial.h"

#define BLOOMERY_AVX512 __attribute__((target("avx512f,avx512dq,vpclmulqdq,pclmul,sse4.2")))

namespace bloomery {
namespace {

constexpr std::size_t kRegisterBytes = 64;
constexpr std::size_t kRoundBytes = 4 * kRegisterBytes;
constexpr std::size_t kLeastBytes = 2 * kRoundBytes;

// The two constants that advance a register by kBytes: one for `lo` and one for `hi`.
template <std::size_t kBytes>
struct Move {
  static constexpr long long kLow = crc32c_power_of_x(8 * kBytes + 64 - 33);
  static constexpr long long kHigh = crc32c_power_of_x(8 * kBytes - 33);
};

// Advances all four lanes of 128 bits by the same number of bytes, and adds `next`.
template <std::size_t kBytes>
BLOOMERY_AVX512 inline __m512i moved(__m512i parts, __m512i next) {
  const __m512i by =
      _mm512_set_epi64(Move<kBytes>::kHigh, Move<kBytes>::kLow, Move<kBytes>::kHigh, Move<kBytes>::kLow,
                       Move<kBytes>::kHigh, Move<kBytes>::kLow, Move<kBytes>::kHigh, Move<kBytes>::kLow);
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(parts, by, 0x00),
                                   _mm512_clmulepi64_epi128(parts, by, 0x11), next, kXorOfThree);
}

template <std::size_t kBytes>
BLOOMERY_AVX512 inline __m128i moved(__m128i part, __m128i next) {
  const __m128i by = _mm_set_epi64x(Move<kBytes>::kHigh, Move<kBytes>::kLow);
  return _mm_xor_si128(
      _mm_xor_si128(_mm_clmulepi64_si128(part, by, 0x00), _mm_clmulepi64_si128(part, by, 0x11)), next);
}

// Joins the four lanes: each earlier one is advanced to the last, and added.
BLOOMERY_AVX512 inline __m128i joined(__m512i parts) {
  const __m128i second = moved<16>(_mm512_extracti64x2_epi64(parts, 0), _mm512_extracti64x2_epi64(parts, 1));
  const __m128i third = moved<16>(second, _mm512_extracti64x2_epi64(parts, 2));
  return moved<16>(third, _mm512_extracti64x2_epi64(parts, 3));
}

bool available() {
  return kSse42Crc32cKernel.available() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0;
}

BLOOMERY_AVX512 std::uint32_t extend_by_products(std::uint32_t state, std::span<const std::byte> bytes) {
  if (bytes.size() < kLeastBytes) {
    return kSse42Crc32cKernel.extend(state, bytes);
  }
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  __m512i r0 = _mm512_xor_si512(_mm512_loadu_si512(at), _mm512_set_epi64(0, 0, 0, 0, 0, 0, 0, state));
  __m512i r1 = _mm512_loadu_si512(at + kRegisterBytes);
  __m512i r2 = _mm512_loadu_si512(at + 2 * kRegisterBytes);
  __m512i r3 = _mm512_loadu_si512(at + 3 * kRegisterBytes);
  for (at += kRoundBytes, left -= kRoundBytes; left >= kRoundBytes; at += kRoundBytes, left -= kRoundBytes) {
    r0 = moved<kRoundBytes>(r0, _mm512_loadu_si512(at));
    r1 = moved<kRoundBytes>(r1, _mm512_loadu_si512(at + kRegisterBytes));
    r2 = moved<kRoundBytes>(r2, _mm512_loadu_si512(at + 2 * kRegisterBytes));
    r3 = moved<kRoundBytes>(r3, _mm512_loadu_si512(at + 3 * kRegisterBytes));
  }
  r1 = moved<kRegisterBytes>(r0, r1);
  r2 = moved<kRegisterBytes>(r1, r2);
  const __m128i last = joined(moved<kRegisterBytes>(r2, r3));
  std::uint64_t crc = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_extract_epi64(last, 0)));
  crc = _mm_crc32_u64(crc, static_cast<std::uint64_t>(_mm_extract_epi64(last, 1)));
  return kSse42Crc32cKernel.extend(static_cast<std::uint32_t>(crc), {at, left});
}

std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  return kSse42Crc32cKernel.multiply(a, b);
}

}  // namespace

constexpr Crc32cKernel kAvx512Crc32cKernel = {
    .name = "avx512", .available = available, .extend = extend_by_products, .multiply = multiply};

}  // namespace bloomery

#undef BLOOMERY_AVX512

#else

namespace bloomery {

constexpr Crc32cKernel kAvx512Crc32cKernel = {
    .name = "avx512", .available = [] { return false; }, .extend = nullptr, .multiply = nullptr};

}  // namespace bloomery

#endif
