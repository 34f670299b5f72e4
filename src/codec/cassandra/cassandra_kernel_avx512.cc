// The AVX-512 kernel of Cassandra's probes (codec/probe_kernel_avx512.h).
#include "codec/cassandra/cassandra_kernel.h"
#include "codec/murmur3_lanes_avx512.h"

namespace bloomery {

#if defined(__x86_64__)

namespace {

// Computes murmur3::sign_extended_bytes() of eight keys.
BLOOMERY_AVX512 inline __m512i sign_extended_bytes(__m512i keys) {
  const __m512i signs = _mm512_set1_epi64(static_cast<long long>(0x8080808080808080));
  __m512i flips = _mm512_slli_epi64(_mm512_srli_epi64(_mm512_and_si512(keys, signs), 7), 8);
  flips = _mm512_xor_si512(flips, _mm512_slli_epi64(flips, 8));
  flips = _mm512_xor_si512(flips, _mm512_slli_epi64(flips, 16));
  flips = _mm512_xor_si512(flips, _mm512_slli_epi64(flips, 32));
  // Turns each byte of 1 into 0xff: flips * 256 - flips.
  return _mm512_xor_si512(keys, _mm512_sub_epi64(_mm512_slli_epi64(flips, 8), flips));
}

struct CassandraLanes {
  using Scheme = CassandraProbes;
  static constexpr bool kReachesTop = true;  // the absolute value of -2^63 is 2^63

  BLOOMERY_AVX512 static avx512::Eight longs(const CassandraProbes& scheme, __m512i keys) {
    const avx512::Murmur3Lanes hash = avx512::murmur3_x64_128_of_longs(sign_extended_bytes(keys));
    return scheme.order() == CassandraProbeOrder::kSecondHalfFirst
               ? avx512::Eight{.at = hash.high, .step = hash.low}
               : avx512::Eight{.at = hash.low, .step = hash.high};
  }
  static avx512::First first(const CassandraProbes::Probe& probe) {
    return {.at = probe.at, .step = probe.step};
  }
  BLOOMERY_AVX512 static __m512i positions(__m512i at) { return _mm512_abs_epi64(at); }
};

}  // namespace

constexpr CassandraKernel kAvx512CassandraKernel = avx512::kKernel<CassandraLanes>;

#else

constexpr CassandraKernel kAvx512CassandraKernel = kMissingKernel<CassandraProbes>;

#endif

}  // namespace bloomery
