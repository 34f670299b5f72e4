// The quotient kernel for processors with AVX2 and BMI2. A rank is popcnt, a select is pdep and tzcnt. It
// searches all slots of a block at once for the next free one.
//
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run. AMD's processors before Zen 3 execute pdep as a loop of microcode, which is slower than the
// definition.
#include "filter/quotient/quotient_kernel.h"

#if defined(__x86_64__)

#include <cstdint>

#include <immintrin.h>

#define BLOOMERY_QUOTIENT_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace bloomery {
namespace {

// Returns the position of the n-th set bit of a word with more than n. The lowest set bit is number 0.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t nth_set_bit(std::uint64_t word, std::uint64_t n) {
  return _tzcnt_u64(_pdep_u64(std::uint64_t{1} << n, word));
}

// Returns bit i of 32 as byte i: all ones or zero.
BLOOMERY_QUOTIENT_TARGET inline __m256i bytes_of(std::uint64_t bits) {
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
  const __m256i byte_of_bit =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit_of_byte = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(all, byte_of_bit), bit_of_byte), bit_of_byte);
}

// Returns in every byte the prefix sum of the bytes in its half.
BLOOMERY_QUOTIENT_TARGET inline __m256i sums_in_halves(__m256i bytes) {
  bytes = _mm256_add_epi8(bytes, _mm256_slli_si256(bytes, 1));
  bytes = _mm256_add_epi8(bytes, _mm256_slli_si256(bytes, 2));
  bytes = _mm256_add_epi8(bytes, _mm256_slli_si256(bytes, 4));
  return _mm256_add_epi8(bytes, _mm256_slli_si256(bytes, 8));
}

// Returns how many more closes than opens are set in the first `bits` bits.
BLOOMERY_QUOTIENT_TARGET inline char missing_before(std::uint64_t opens, std::uint64_t closes,
                                                    std::uint32_t bits) {
  return static_cast<char>(_mm_popcnt_u64(_bzhi_u64(closes, bits)) - _mm_popcnt_u64(_bzhi_u64(opens, bits)));
}

// Returns the first position i >= `from` such that bits 0 to i of `opens` and of `closes` have equally many
// ones; 64 if there is none. Computes the difference for all 64 positions at once, one byte each. Every
// sixteen bytes are summed separately, and are compared with the negated sum of the bits before them.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t first_balanced(std::uint64_t opens, std::uint64_t closes,
                                                             std::uint64_t from) {
  const __m256i low = sums_in_halves(_mm256_sub_epi8(bytes_of(closes), bytes_of(opens)));
  const __m256i high = sums_in_halves(_mm256_sub_epi8(bytes_of(closes >> 32), bytes_of(opens >> 32)));
  const __m256i low_wanted =
      _mm256_setr_m128i(_mm_setzero_si128(), _mm_set1_epi8(missing_before(opens, closes, 16)));
  const __m256i high_wanted = _mm256_setr_m128i(_mm_set1_epi8(missing_before(opens, closes, 32)),
                                                _mm_set1_epi8(missing_before(opens, closes, 48)));
  const auto low_found = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, low_wanted)));
  const auto high_found =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, high_wanted)));
  return _tzcnt_u64((std::uint64_t{high_found} << 32 | low_found) >> from << from);
}

// Returns all ones in the first `count` of four words.
BLOOMERY_QUOTIENT_TARGET inline __m256i first_words(std::uint64_t count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(count)),
                            _mm256_setr_epi64x(0, 1, 2, 3));
}

// Moves bits up over the `count` words after the first, which keeps its own bits. Each word gets the top
// `distance` bits of the word before it. Handles four words at a time, and masks the last, so that no branch
// can be mispredicted.
BLOOMERY_QUOTIENT_TARGET inline void move_words_up(std::uint64_t* words, std::uint64_t count,
                                                   std::uint32_t distance) {
  const __m128i up = _mm_cvtsi32_si128(static_cast<int>(distance));
  const __m128i down = _mm_cvtsi32_si128(static_cast<int>(64 - distance));
  for (; count >= 4; count -= 4) {
    auto* const at = reinterpret_cast<__m256i*>(words + count - 3);
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + count - 4));
    _mm256_storeu_si256(
        at, _mm256_or_si256(_mm256_sll_epi64(_mm256_loadu_si256(at), up), _mm256_srl_epi64(low, down)));
  }
  const __m256i left = first_words(count);
  auto* const at = reinterpret_cast<long long*>(words + 1);
  const __m256i low = _mm256_maskload_epi64(reinterpret_cast<const long long*>(words), left);
  _mm256_maskstore_epi64(
      at, left,
      _mm256_or_si256(_mm256_sll_epi64(_mm256_maskload_epi64(at, left), up), _mm256_srl_epi64(low, down)));
}

// Moves bits down over `count` words. Each word gets the low `distance` bits of the next word.
BLOOMERY_QUOTIENT_TARGET inline void move_words_down(std::uint64_t* words, std::uint64_t count,
                                                     std::uint32_t distance) {
  const __m128i down = _mm_cvtsi32_si128(static_cast<int>(distance));
  const __m128i up = _mm_cvtsi32_si128(static_cast<int>(64 - distance));
  for (; count >= 4; count -= 4, words += 4) {
    auto* const at = reinterpret_cast<__m256i*>(words);
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 1));
    _mm256_storeu_si256(
        at, _mm256_or_si256(_mm256_srl_epi64(_mm256_loadu_si256(at), down), _mm256_sll_epi64(high, up)));
  }
  const __m256i left = first_words(count);
  auto* const at = reinterpret_cast<long long*>(words);
  const __m256i high = _mm256_maskload_epi64(at + 1, left);
  _mm256_maskstore_epi64(
      at, left,
      _mm256_or_si256(_mm256_srl_epi64(_mm256_maskload_epi64(at, left), down), _mm256_sll_epi64(high, up)));
}

bool available() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("popcnt") != 0 &&
         __builtin_cpu_is("bdver4") == 0 && __builtin_cpu_is("znver1") == 0 &&
         __builtin_cpu_is("znver2") == 0;
}

}  // namespace
}  // namespace bloomery

#include "filter/quotient/quotient_kernel_ops.h"

namespace bloomery {

constexpr QuotientKernel kAvx2QuotientKernel = {.name = "avx2",
                                                .available = available,
                                                .contains = contains,
                                                .count = count_of,
                                                .insert = insert,
                                                .erase = erase,
                                                .first_free = first_free,
                                                .contains_batch = contains_batch,
                                                .erase_batch = erase_batch,
                                                .insert_batch = insert_batch};

}  // namespace bloomery

#else

namespace bloomery {

constexpr QuotientKernel kAvx2QuotientKernel = {.name = "avx2",
                                                .available = [] { return false; },
                                                .contains = nullptr,
                                                .count = nullptr,
                                                .insert = nullptr,
                                                .erase = nullptr,
                                                .first_free = nullptr,
                                                .contains_batch = nullptr,
                                                .erase_batch = nullptr,
                                                .insert_batch = nullptr};

}  // namespace bloomery

#endif
