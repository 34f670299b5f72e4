// The AVX-512 kernel of strategy 1 (codec/probe_kernel_avx512.h).
#include "codec/guava/mitz64_kernel.h"
#include "codec/murmur3_lanes_avx512.h"

namespace bloomery {

#if defined(__x86_64__)

namespace {

struct Mitz64Lanes {
  using Scheme = Mitz64;

  static constexpr bool kReachesTop = false;

  BLOOMERY_AVX512 static avx512::Eight longs(const Mitz64&, __m512i keys) {
    const avx512::Murmur3Lanes hash = avx512::murmur3_x64_128_of_longs(keys);
    return {.at = hash.low, .step = hash.high};
  }
  static avx512::First first(const Mitz64::Probe& probe) { return {.at = probe.at, .step = probe.step}; }
  BLOOMERY_AVX512 static __m512i positions(__m512i at) { return at; }
};

}  // namespace

constexpr Mitz64Kernel kAvx512Mitz64Kernel = avx512::kKernel<Mitz64Lanes>;

#else

constexpr Mitz64Kernel kAvx512Mitz64Kernel = kMissingKernel<Mitz64>;

#endif

}  // namespace bloomery
