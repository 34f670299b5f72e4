// The AVX-512 kernels of Spark's versions (codec/probe_kernel_avx512.h).
//
// Hashes of longs are computed in the lower halves of eight 64-bit lanes. The upper halves hold garbage.
// The combined hash c of version 1 is the lower half of a lane too, because the lower half of a 64-bit sum
// is the sum of the lower halves.
#include "codec/probe_kernel_avx512.h"
#include "codec/spark/spark_kernel.h"

namespace bloomery {

#if defined(__x86_64__)

namespace {

using avx512::Eight;
using avx512::First;

BLOOMERY_AVX512 inline __m512i all(std::uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}

BLOOMERY_AVX512 inline __m512i times(__m512i state, std::uint32_t factor) {
  return _mm512_mullo_epi32(state, all(factor));
}

BLOOMERY_AVX512 inline __m512i xor_shifted(__m512i state, unsigned bits) {
  return _mm512_xor_si512(state, _mm512_srli_epi32(state, bits));
}

// A round of murmur3_32::with_word() whose word is already mixed.
BLOOMERY_AVX512 inline __m512i with_mixed(__m512i hash, __m512i mixed) {
  const __m512i rotated = _mm512_rol_epi32(_mm512_xor_si512(hash, mixed), 13);
  return _mm512_add_epi32(_mm512_add_epi32(rotated, _mm512_slli_epi32(rotated, 2)), all(0xe6546b64));
}

// murmur3_x86_32_of_long() of words whose halves are already mixed.
BLOOMERY_AVX512 inline __m512i hashed(__m512i mixed_low, __m512i mixed_high, __m512i seed) {
  __m512i hash = with_mixed(with_mixed(seed, mixed_low), mixed_high);
  hash = times(xor_shifted(_mm512_xor_si512(hash, all(8)), 16), 0x85ebca6b);
  hash = times(xor_shifted(hash, 13), 0xc2b2ae35);
  return xor_shifted(hash, 16);
}

// Returns both hashes of eight longs, in the lower halves.
BLOOMERY_AVX512 inline Eight hashed_twice(__m512i keys, std::uint32_t seed) {
  const __m512i mixed = times(_mm512_rol_epi32(times(keys, 0xcc9e2d51), 15), 0x1b873593);
  const __m512i high = _mm512_srli_epi64(mixed, 32);
  const __m512i first = hashed(mixed, high, all(seed));
  return {.at = first, .step = hashed(mixed, high, first)};
}

// Returns the lower halves as 64-bit numbers.
BLOOMERY_AVX512 inline __m512i sign_extended(__m512i lanes) {
  return _mm512_srai_epi64(_mm512_slli_epi64(lanes, 32), 32);
}

// Returns ~c for a negative c, and c for any other.
BLOOMERY_AVX512 inline __m512i not_negative(__m512i at) {
  return _mm512_xor_si512(at, _mm512_srai_epi64(at, 63));
}

struct V1Lanes {
  using Scheme = SparkV1;
  static constexpr bool kReachesTop = false;

  BLOOMERY_AVX512 static Eight longs(const SparkV1&, __m512i keys) {
    const Eight hashes = hashed_twice(keys, 0);
    return {.at = _mm512_add_epi64(hashes.at, hashes.step), .step = hashes.step};
  }
  static First first(const SparkV1::Probe& probe) {
    return {.at = std::uint64_t{probe.at} + probe.step, .step = probe.step};
  }
  BLOOMERY_AVX512 static __m512i positions(__m512i at) { return not_negative(sign_extended(at)); }
};

struct V2Lanes {
  using Scheme = SparkV2;
  static constexpr bool kReachesTop = false;

  BLOOMERY_AVX512 static Eight longs(const SparkV2& scheme, __m512i keys) {
    const Eight hashes = hashed_twice(keys, scheme.seed());
    const __m512i first = sign_extended(hashes.at);
    const __m512i step = sign_extended(hashes.step);
    const __m512i begin = _mm512_sub_epi64(_mm512_slli_epi64(first, 31), first);  // times 2^31 - 1
    return {.at = _mm512_add_epi64(begin, step), .step = step};
  }
  static First first(const SparkV2::Probe& probe) {
    return {.at = probe.at + probe.step, .step = probe.step};
  }
  BLOOMERY_AVX512 static __m512i positions(__m512i at) { return not_negative(at); }
};

}  // namespace

constexpr ProbeKernel<SparkV1> kAvx512SparkV1Kernel = avx512::kKernel<V1Lanes>;
constexpr ProbeKernel<SparkV2> kAvx512SparkV2Kernel = avx512::kKernel<V2Lanes>;

#else

constexpr ProbeKernel<SparkV1> kAvx512SparkV1Kernel = kMissingKernel<SparkV1>;
constexpr ProbeKernel<SparkV2> kAvx512SparkV2Kernel = kMissingKernel<SparkV2>;

#endif

}  // namespace bloomery
