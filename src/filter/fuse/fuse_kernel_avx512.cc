// The fuse kernel for AVX-512. A batch locates the cells of eight keys at once, and reads those of sixteen
// keys by gathers of 32 bits.
//
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run.
#include "filter/fuse/fuse_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define BLOOMERY_FUSE_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,bmi,bmi2")))
#define BLOOMERY_FUSE_VECTORS
#define BLOOMERY_FUSE_GATHERS

namespace bloomery {
namespace {

BLOOMERY_FUSE_TARGET inline __m512i all(std::uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

BLOOMERY_FUSE_TARGET inline __m512i xor_high(__m512i a) {
  return _mm512_xor_si512(a, _mm512_srli_epi64(a, 32));
}

// Returns the cells that are `distance` after a start, at an offset in their segments.
BLOOMERY_FUSE_TARGET inline __m512i in_segment(__m512i start, std::uint64_t distance, __m512i offset,
                                               __m512i mask) {
  return _mm512_xor_si512(_mm512_add_epi64(start, all(distance)), _mm512_and_si512(offset, mask));
}

// Writes the low halves of eight 64-bit numbers.
BLOOMERY_FUSE_TARGET inline void store_halves(std::uint32_t* out, __m512i a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi64_epi32(a));
}

// Locates the keys that fill vectors of eight, and returns their number.
template <std::uint32_t kArity, typename Hash, typename Located>
BLOOMERY_FUSE_TARGET inline std::size_t locate_vectors(const FuseShard& shard, std::uint64_t hash_mask,
                                                       std::span<const Hash> hashes, Located& located) {
  const std::uint64_t length = std::uint64_t{1} << shard.segment_log;
  const __m512i mask = all(length - 1);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  std::size_t i = 0;
  for (; i + 8 <= hashes.size(); i += 8) {
    const Hash* const first = hashes.data() + i;
    __m512i lows = _mm512_loadu_si512(first);
    if constexpr (sizeof(Hash) == sizeof(Hash128)) {
      lows = _mm512_permutex2var_epi64(lows, even, _mm512_loadu_si512(first + 4));
    }
    const __m512i h = _mm512_add_epi64(_mm512_and_si512(lows, all(hash_mask)), all(shard.seed_step));
    const __m512i y = xor_high(_mm512_mullo_epi64(h, all(kFuseKeyMix)));
    const __m512i f = xor_high(_mm512_mullo_epi64(y, all(kFuseFingerprintMix)));
    const __m512i start =
        _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(y, 32), all(shard.starts)), 32);
    store_halves(&located.cells[0][i], start);
    store_halves(&located.cells[1][i], in_segment(start, length, y, mask));
    store_halves(&located.cells[2][i], in_segment(start, 2 * length, _mm512_srli_epi64(y, 18), mask));
    if constexpr (kArity == 4) {
      store_halves(&located.cells[3][i], in_segment(start, 3 * length, _mm512_srli_epi64(f, 40), mask));
    }
    store_halves(&located.fingerprints[i], f);
  }
  return i;
}

// Without optimisation, GCC's gather is a macro that passes its mask as a signed number.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

// Returns the cells of 8 or 16 bits in the lowest bits of 32. Reads aligned words of 32 bits, so no read
// leaves the words of the shard.
template <std::uint32_t kBits>
BLOOMERY_FUSE_TARGET inline __m512i gathered(const std::byte* bytes, const std::uint32_t* cells) {
  constexpr unsigned kLog = kBits == 8 ? 2 : 1;  // cells of a word of 32 bits
  const __m512i at = _mm512_loadu_si512(cells);
  const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(at, kLog), bytes, 4);
  const __m512i in_word = _mm512_and_si512(at, _mm512_set1_epi32((1 << kLog) - 1));
  return _mm512_srlv_epi32(words, _mm512_slli_epi32(in_word, kBits == 8 ? 3 : 4));
}

#pragma GCC diagnostic pop

// Returns the answers of the keys that fill vectors of sixteen, and advances `i` past them.
template <std::uint32_t kArity, std::uint32_t kBits, typename Located>
BLOOMERY_FUSE_TARGET inline std::uint64_t decide_vectors(const std::byte* bytes, std::size_t count,
                                                         const Located& located, std::size_t& i) {
  std::uint64_t word = 0;
  const __m512i mask = _mm512_set1_epi32((1 << kBits) - 1);
  for (; i + 16 <= count; i += 16) {
    __m512i f = _mm512_loadu_si512(&located.fingerprints[i]);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      f = _mm512_xor_si512(f, gathered<kBits>(bytes, &located.cells[place][i]));
    }
    word |= std::uint64_t{_mm512_testn_epi32_mask(f, mask)} << i;
  }
  return word;
}

}  // namespace
}  // namespace bloomery

#include "filter/fuse/fuse_probe.h"

namespace bloomery {

const FuseKernel kAvx512FuseKernel = {.name = "avx512",
                                      .available =
                                          [] {
                                            return __builtin_cpu_supports("avx512f") != 0 &&
                                                   __builtin_cpu_supports("avx512dq") != 0 &&
                                                   __builtin_cpu_supports("avx512vl") != 0 &&
                                                   __builtin_cpu_supports("bmi2") != 0;
                                          },
                                      .may_contain = fuse_contains,
                                      .may_contain_batch = fuse_contains_batch<Hash128>,
                                      .may_contain_low = fuse_contains_batch<Hash64>};

}  // namespace bloomery

#else

namespace bloomery {

const FuseKernel kAvx512FuseKernel = {.name = "avx512",
                                      .available = [] { return false; },
                                      .may_contain = nullptr,
                                      .may_contain_batch = nullptr,
                                      .may_contain_low = nullptr};

}  // namespace bloomery

#endif
