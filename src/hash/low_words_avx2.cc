// The kernel of low_words() for AVX2: four keys at a time.
#include "hash/low_words_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "bloomery/hash/short_key_mix.h"

namespace bloomery::short_key_mix {
namespace {

#define BLOOMERY_LANES __attribute__((target("avx2"), always_inline)) inline

BLOOMERY_LANES __m256i in_all_lanes(std::uint64_t word) {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}

// AVX2 multiplies 32-bit halves. The high half of each factor is in the low half of its lane in `*_high`.
BLOOMERY_LANES __m256i low_words_of(__m256i x) {
  const __m256i first = in_all_lanes(kFirst);
  const __m256i first_high = in_all_lanes(kFirst >> 32);
  const __m256i x_high = _mm256_srli_epi64(x, 32);
  const __m256i low_low = _mm256_mul_epu32(x, first);
  const __m256i low_high = _mm256_mul_epu32(x, first_high);
  // The middle terms are below 2^64 in sum: (2^32 - 1) + (2^32 - 1) + (2^32 - 1)^2.
  const __m256i middle =
      _mm256_add_epi64(_mm256_add_epi64(_mm256_srli_epi64(low_low, 32),
                                        _mm256_blend_epi32(low_high, _mm256_setzero_si256(), 0xaa)),
                       _mm256_mul_epu32(x_high, first));
  const __m256i high = _mm256_add_epi64(
      _mm256_add_epi64(_mm256_mul_epu32(x_high, first_high), _mm256_srli_epi64(low_high, 32)),
      _mm256_srli_epi64(middle, 32));
  const __m256i low = _mm256_blend_epi32(low_low, _mm256_slli_epi64(middle, 32), 0xaa);

  const __m256i folded = _mm256_xor_si256(low, high);
  const __m256i second = in_all_lanes(kSecond);
  const __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(folded, in_all_lanes(kSecond >> 32)),
                                           _mm256_mul_epu32(_mm256_srli_epi64(folded, 32), second));
  return _mm256_add_epi64(_mm256_mul_epu32(folded, second), _mm256_slli_epi64(crossed, 32));
}

__attribute__((target("avx2"))) void run_avx2(std::span<const std::uint64_t> values, std::uint64_t base,
                                              std::span<Hash64> hashes) {
  const std::size_t whole = values.size() / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&values[i]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&hashes[i]),
                        low_words_of(_mm256_xor_si256(x, in_all_lanes(base))));
  }
  low_words_one_by_one(values.subspan(whole), base, hashes.subspan(whole));
}

}  // namespace

const LowWordsKernel kAvx2LowWordsKernel = {
    .name = "avx2", .available = [] { return __builtin_cpu_supports("avx2") != 0; }, .run = run_avx2};

}  // namespace bloomery::short_key_mix

#else

namespace bloomery::short_key_mix {

const LowWordsKernel kAvx2LowWordsKernel = {
    .name = "avx2", .available = [] { return false; }, .run = nullptr};

}  // namespace bloomery::short_key_mix

#endif
