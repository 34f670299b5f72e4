// The fuse kernel for AVX2. A batch locates the cells of four keys at once; cells are read one by one,
// because a gather is not faster.
//
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run.
#include "filter/fuse/fuse_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define BLOOMERY_FUSE_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define BLOOMERY_FUSE_VECTORS

namespace bloomery {
namespace {

BLOOMERY_FUSE_TARGET inline __m256i all(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

// Returns the low words of the products of four 64-bit numbers and a constant.
BLOOMERY_FUSE_TARGET inline __m256i times(__m256i a, std::uint64_t constant) {
  const __m256i b = all(constant);
  const __m256i crossed = _mm256_mullo_epi32(a, _mm256_shuffle_epi32(b, 0xb1));
  const __m256i high = _mm256_add_epi32(_mm256_slli_epi64(crossed, 32), crossed);
  return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_and_si256(high, all(~std::uint64_t{0} << 32)));
}

BLOOMERY_FUSE_TARGET inline __m256i xor_high(__m256i a) {
  return _mm256_xor_si256(a, _mm256_srli_epi64(a, 32));
}

// Returns the cells that are `distance` after a start, at an offset in their segments.
BLOOMERY_FUSE_TARGET inline __m256i in_segment(__m256i start, std::uint64_t distance, __m256i offset,
                                               __m256i mask) {
  return _mm256_xor_si256(_mm256_add_epi64(start, all(distance)), _mm256_and_si256(offset, mask));
}

// Writes the low halves of four 64-bit numbers.
BLOOMERY_FUSE_TARGET inline void store_halves(std::uint32_t* out, __m256i a) {
  const __m256i halves = _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(halves));
}

// Locates the keys that fill vectors of four, and returns their number.
template <std::uint32_t kArity, typename Hash, typename Located>
BLOOMERY_FUSE_TARGET inline std::size_t locate_vectors(const FuseShard& shard, std::uint64_t hash_mask,
                                                       std::span<const Hash> hashes, Located& located) {
  const std::uint64_t length = std::uint64_t{1} << shard.segment_log;
  const __m256i mask = all(length - 1);
  std::size_t i = 0;
  for (; i + 4 <= hashes.size(); i += 4) {
    const auto* const words = reinterpret_cast<const __m256i*>(hashes.data() + i);
    __m256i lows = _mm256_loadu_si256(words);
    if constexpr (sizeof(Hash) == sizeof(Hash128)) {
      // The low words of keys 0, 2, 1 and 3, in this order, which the permutation corrects.
      lows = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(lows, _mm256_loadu_si256(words + 1)), 0xd8);
    }
    const __m256i h = _mm256_and_si256(lows, all(hash_mask));
    const __m256i y = xor_high(times(_mm256_add_epi64(h, all(shard.seed_step)), kFuseKeyMix));
    const __m256i f = xor_high(times(y, kFuseFingerprintMix));
    const __m256i start =
        _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(y, 32), all(shard.starts)), 32);
    store_halves(&located.cells[0][i], start);
    store_halves(&located.cells[1][i], in_segment(start, length, y, mask));
    store_halves(&located.cells[2][i], in_segment(start, 2 * length, _mm256_srli_epi64(y, 18), mask));
    if constexpr (kArity == 4) {
      store_halves(&located.cells[3][i], in_segment(start, 3 * length, _mm256_srli_epi64(f, 40), mask));
    }
    store_halves(&located.fingerprints[i], f);
  }
  return i;
}

}  // namespace
}  // namespace bloomery

#include "filter/fuse/fuse_probe.h"

namespace bloomery {

const FuseKernel kAvx2FuseKernel = {
    .name = "avx2",
    .available = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0; },
    .may_contain = fuse_contains,
    .may_contain_batch = fuse_contains_batch<Hash128>,
    .may_contain_low = fuse_contains_batch<Hash64>};

}  // namespace bloomery

#else

namespace bloomery {

const FuseKernel kAvx2FuseKernel = {.name = "avx2",
                                    .available = [] { return false; },
                                    .may_contain = nullptr,
                                    .may_contain_batch = nullptr,
                                    .may_contain_low = nullptr};

}  // namespace bloomery

#endif
