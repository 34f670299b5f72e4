// The window of a blocked filter for AVX2: eight words are two vectors of four.
//
// The functions carry their own target attribute. So the library can compile them into a kernel that it
// chooses at run time, and a program that is compiled for AVX2 inlines them. A function's body is the same
// in every translation unit.
//
// The functions are hidden from the thread sanitizer, which regards a vector load as one access and reports
// a race. The hardware reads each aligned word of the vector atomically, and a filter needs no more than
// that.
#pragma once

#if defined(__x86_64__)

#include <cstdint>

#include <immintrin.h>

#include "bloomery/filter/blocked_window.h"

#define BLOOMERY_AVX2_INLINE __attribute__((target("avx2"), no_sanitize("thread"), always_inline)) inline

namespace bloomery {

struct WindowAvx2 {
  // One value for each of the eight words: `low` has words 0 to 3, `high` has words 4 to 7.
  struct Words {
    __m256i low;
    __m256i high;
  };

  // The values that depend on k alone: `doubled` is all ones in the words that get a second bit.
  struct Plan {
    Words doubled;
  };

  BLOOMERY_AVX2_INLINE static Plan plan_for(std::uint32_t hash_count) {
    const __m256i doubles = _mm256_set1_epi64x(static_cast<long long>(hash_count - kMinBlockedHashes));
    return {.doubled = {.low = _mm256_cmpgt_epi64(doubles, _mm256_setr_epi64x(0, 1, 2, 3)),
                        .high = _mm256_cmpgt_epi64(doubles, _mm256_setr_epi64x(4, 5, 6, 7))}};
  }

  template <bool kSecondBits>
  BLOOMERY_AVX2_INLINE static bool contains(const std::uint64_t* window, std::uint64_t rest,
                                            const Plan& plan) {
    // This shifts each word until its bit is the lowest, with fewer instructions than making the bit and
    // comparing.
    const Words words = load(window);
    const Words first = first_bits(rest);
    Words found = shifted_right(words, first);
    if constexpr (kSecondBits) {
      const Words second = shifted_right(words, second_bits(rest, first));
      const __m256i ones = _mm256_set1_epi64x(-1);
      found.low =
          _mm256_and_si256(found.low, _mm256_or_si256(second.low, _mm256_xor_si256(plan.doubled.low, ones)));
      found.high = _mm256_and_si256(found.high,
                                    _mm256_or_si256(second.high, _mm256_xor_si256(plan.doubled.high, ones)));
    }
    return _mm256_testc_si256(_mm256_and_si256(found.low, found.high), _mm256_set1_epi64x(1)) != 0;
  }

  // Sets the key's bits. Precondition: no other thread accesses the window.
  template <bool kSecondBits>
  BLOOMERY_AVX2_INLINE static void set(std::uint64_t* window, std::uint64_t rest, const Plan& plan) {
    store(window, united(load(window), masks_of<kSecondBits>(rest, plan)));
  }

  // Sets the key's bits and returns true if one was clear. A window that has all of them is not written.
  // Precondition: no other thread accesses the window.
  template <bool kSecondBits>
  BLOOMERY_AVX2_INLINE static bool test_and_set(std::uint64_t* window, std::uint64_t rest, const Plan& plan) {
    const Words words = load(window);
    const Words masks = masks_of<kSecondBits>(rest, plan);
    const __m256i missing = _mm256_or_si256(_mm256_andnot_si256(words.low, masks.low),
                                            _mm256_andnot_si256(words.high, masks.high));
    if (_mm256_testz_si256(missing, missing) != 0) {
      return false;
    }
    store(window, united(words, masks));
    return true;
  }

  // Writes the key's bits, word by word, to `masks`, which has room for eight words.
  template <bool kSecondBits>
  BLOOMERY_AVX2_INLINE static void write_masks(std::uint64_t rest, const Plan& plan, std::uint64_t* masks) {
    store(masks, masks_of<kSecondBits>(rest, plan));
  }

 private:
  BLOOMERY_AVX2_INLINE static Words load(const std::uint64_t* window) {
    return {.low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window)),
            .high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window + 4))};
  }

  BLOOMERY_AVX2_INLINE static void store(std::uint64_t* window, const Words& words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(window), words.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(window + 4), words.high);
  }

  BLOOMERY_AVX2_INLINE static Words united(const Words& left, const Words& right) {
    return {.low = _mm256_or_si256(left.low, right.low), .high = _mm256_or_si256(left.high, right.high)};
  }

  BLOOMERY_AVX2_INLINE static Words shifted_right(const Words& words, const Words& counts) {
    return {.low = _mm256_srlv_epi64(words.low, counts.low),
            .high = _mm256_srlv_epi64(words.high, counts.high)};
  }

  // Computes floor((factor * salt mod 2^32) / 2^26) for each of four salts.
  BLOOMERY_AVX2_INLINE static __m256i positions(__m256i factor, long long salt0, long long salt1,
                                                long long salt2, long long salt3) {
    const __m256i product = _mm256_mul_epu32(factor, _mm256_setr_epi64x(salt0, salt1, salt2, salt3));
    // The high halves hold the bits of the products above 2^32, so they are cleared.
    return _mm256_blend_epi32(_mm256_srli_epi32(product, 26), _mm256_setzero_si256(), 0xaa);
  }

  BLOOMERY_AVX2_INLINE static Words salted(std::uint64_t factor) {
    const __m256i factors = _mm256_set1_epi64x(static_cast<long long>(factor));
    return {.low = positions(factors, kWindowSalts[0], kWindowSalts[1], kWindowSalts[2], kWindowSalts[3]),
            .high = positions(factors, kWindowSalts[4], kWindowSalts[5], kWindowSalts[6], kWindowSalts[7])};
  }

  BLOOMERY_AVX2_INLINE static Words first_bits(std::uint64_t rest) { return salted(rest >> 32); }

  BLOOMERY_AVX2_INLINE static Words second_bits(std::uint64_t rest, const Words& first) {
    const Words steps = salted((rest * kRestMultiplier) >> 32);
    const __m256i one = _mm256_set1_epi64x(1);
    return {.low = _mm256_xor_si256(first.low, _mm256_max_epu32(steps.low, one)),
            .high = _mm256_xor_si256(first.high, _mm256_max_epu32(steps.high, one))};
  }

  BLOOMERY_AVX2_INLINE static Words bits_at(const Words& positions) {
    const __m256i one = _mm256_set1_epi64x(1);
    return {.low = _mm256_sllv_epi64(one, positions.low), .high = _mm256_sllv_epi64(one, positions.high)};
  }

  template <bool kSecondBits>
  BLOOMERY_AVX2_INLINE static Words masks_of(std::uint64_t rest, const Plan& plan) {
    const Words first = first_bits(rest);
    Words masks = bits_at(first);
    if constexpr (kSecondBits) {
      const Words second = bits_at(second_bits(rest, first));
      masks = united(masks, {.low = _mm256_and_si256(second.low, plan.doubled.low),
                             .high = _mm256_and_si256(second.high, plan.doubled.high)});
    }
    return masks;
  }
};

}  // namespace bloomery

#endif
