// Strategy 1 for AVX-512 (codec/probe_kernel_avx512.h).
#include "codec/guava/mitz64_kernel.h"
#include "codec/probe_kernel_avx512.h"

namespace bloomery {

#if defined(__x86_64__)

namespace {

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

// murmur3_x64_128() of keys of eight bytes: longs.
BLOOMERY_AVX512 inline avx512::Eight hashed_longs(__m512i keys) {
  const __m512i length = _mm512_set1_epi64(8);
  const __m512i mixed = times(_mm512_rol_epi64(times(keys, 0x87c37b91114253d5), 31), 0x4cf5ad432745937f);
  const __m512i sum = _mm512_add_epi64(_mm512_xor_si512(mixed, length), length);
  const __m512i first = finished(sum);
  const __m512i second = finished(_mm512_add_epi64(sum, length));
  const __m512i at = _mm512_add_epi64(first, second);
  return {.at = at, .step = _mm512_add_epi64(second, at)};
}

struct Mitz64Lanes {
  using Scheme = Mitz64;

  BLOOMERY_AVX512 static avx512::Eight longs(const Mitz64&, __m512i keys) { return hashed_longs(keys); }
  static avx512::First first(const Mitz64::Probe& probe) { return {.at = probe.at, .step = probe.step}; }
  BLOOMERY_AVX512 static __m512i positions(__m512i at) { return at; }
};

}  // namespace

constexpr Mitz64Kernel kAvx512Mitz64Kernel = avx512::kKernel<Mitz64Lanes>;

#else

constexpr Mitz64Kernel kAvx512Mitz64Kernel = kMissingKernel<Mitz64>;

#endif

}  // namespace bloomery
