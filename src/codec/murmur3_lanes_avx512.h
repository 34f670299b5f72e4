// Computes murmur3_x64_128_of_long() of eight keys at once, one per lane (hash/murmur3_x64_128.h
// is the definition).
#pragma once

#include "codec/probe_kernel_avx512.h"

#if defined(__x86_64__)

namespace bloomery::avx512 {

// The low and high halves of eight digests.
struct Murmur3Lanes {
  __m512i low;
  __m512i high;
};

namespace murmur3 {

BLOOMERY_AVX512 inline __m512i xor_shifted(__m512i state, unsigned bits) {
  return _mm512_xor_si512(state, _mm512_srli_epi64(state, bits));
}

BLOOMERY_AVX512 inline __m512i times(__m512i state, std::uint64_t factor) {
  return _mm512_mullo_epi64(state, _mm512_set1_epi64(static_cast<long long>(factor)));
}

BLOOMERY_AVX512 inline __m512i finished(__m512i state) {
  state = times(xor_shifted(state, 33), 0xff51afd7ed558ccd);
  state = times(xor_shifted(state, 33), 0xc4ceb9fe1a85ec53);
  return xor_shifted(state, 33);
}

}  // namespace murmur3

BLOOMERY_AVX512 inline Murmur3Lanes murmur3_x64_128_of_longs(__m512i keys) {
  const __m512i length = _mm512_set1_epi64(8);
  const __m512i mixed = murmur3::times(_mm512_rol_epi64(murmur3::times(keys, bloomery::murmur3::kFirst), 31),
                                       bloomery::murmur3::kSecond);
  const __m512i sum = _mm512_add_epi64(_mm512_xor_si512(mixed, length), length);
  const __m512i first = murmur3::finished(sum);
  const __m512i second = murmur3::finished(_mm512_add_epi64(sum, length));
  const __m512i low = _mm512_add_epi64(first, second);
  return {.low = low, .high = _mm512_add_epi64(second, low)};
}

}  // namespace bloomery::avx512

#endif
