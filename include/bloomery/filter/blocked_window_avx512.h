// The window of a blocked filter for AVX-512: eight words are one vector, and an aligned window is one cache
// line.
//
// The interface is the one of blocked_window_avx2.h, which explains targets, inlining and the thread
// sanitizer. Only the foundation of AVX-512 (AVX512F) is used.
#pragma once

#if defined(__x86_64__)

#include <cstdint>

#include <immintrin.h>

#include "bloomery/filter/blocked_window.h"

#define BLOOMERY_AVX512_INLINE __attribute__((target("avx512f"), no_sanitize("thread"), always_inline)) inline

namespace bloomery {

struct WindowAvx512 {
  struct Plan {
    __mmask8 doubled;  // words that get a second bit
  };

  BLOOMERY_AVX512_INLINE static Plan plan_for(std::uint32_t hash_count) {
    return {.doubled = static_cast<__mmask8>((1U << (hash_count - kMinBlockedHashes)) - 1)};
  }

  template <bool kSecondBits>
  BLOOMERY_AVX512_INLINE static bool contains(const std::uint64_t* window, std::uint64_t rest,
                                              const Plan& plan) {
    const __m512i masks = masks_of<kSecondBits>(rest, plan);
    if constexpr (kSecondBits) {
      return missing(load(window), masks) == 0;
    } else {
      return _mm512_testn_epi64_mask(load(window), masks) == 0;  // a bit in each word, and none is clear
    }
  }

  template <bool kSecondBits>
  BLOOMERY_AVX512_INLINE static void set(std::uint64_t* window, std::uint64_t rest, const Plan& plan) {
    store(window, _mm512_or_si512(load(window), masks_of<kSecondBits>(rest, plan)));
  }

  template <bool kSecondBits>
  BLOOMERY_AVX512_INLINE static bool test_and_set(std::uint64_t* window, std::uint64_t rest,
                                                  const Plan& plan) {
    const __m512i words = load(window);
    const __m512i masks = masks_of<kSecondBits>(rest, plan);
    if (missing(words, masks) == 0) {
      return false;
    }
    store(window, _mm512_or_si512(words, masks));
    return true;
  }

  template <bool kSecondBits>
  BLOOMERY_AVX512_INLINE static void write_masks(std::uint64_t rest, const Plan& plan, std::uint64_t* masks) {
    store(masks, masks_of<kSecondBits>(rest, plan));
  }

 private:
  // Masks that select every element. The intrinsics without a mask begin with an undefined vector, and GCC
  // 12 warns about it wherever they are inlined. The instructions are the same.
  static constexpr __mmask8 kAll8 = 0xff;
  static constexpr __mmask16 kAll16 = 0xffff;

  BLOOMERY_AVX512_INLINE static __m512i load(const std::uint64_t* window) {
    return _mm512_loadu_si512(window);
  }
  BLOOMERY_AVX512_INLINE static void store(std::uint64_t* window, __m512i words) {
    _mm512_storeu_si512(window, words);
  }

  // Returns the words in which a bit of `masks` is clear.
  BLOOMERY_AVX512_INLINE static __mmask8 missing(__m512i words, __m512i masks) {
    const __m512i clear = _mm512_maskz_andnot_epi64(kAll8, words, masks);
    return _mm512_test_epi64_mask(clear, clear);
  }

  // Computes floor((factor * salt mod 2^32) / 2^26) for each salt, in the low 32 bits of its word. The high
  // 32 bits are unspecified.
  BLOOMERY_AVX512_INLINE static __m512i salted(std::uint64_t factor) {
    const __m512i salts =
        _mm512_setr_epi64(kWindowSalts[0], kWindowSalts[1], kWindowSalts[2], kWindowSalts[3], kWindowSalts[4],
                          kWindowSalts[5], kWindowSalts[6], kWindowSalts[7]);
    const __m512i products =
        _mm512_maskz_mul_epu32(kAll8, _mm512_set1_epi64(static_cast<long long>(factor)), salts);
    return _mm512_maskz_srli_epi32(kAll16, products, 26);
  }

  // A rotation uses only the six lowest bits of its count.
  BLOOMERY_AVX512_INLINE static __m512i bits_at(__m512i positions) {
    return _mm512_maskz_rolv_epi64(kAll8, _mm512_set1_epi64(1), positions);
  }

  template <bool kSecondBits>
  BLOOMERY_AVX512_INLINE static __m512i masks_of(std::uint64_t rest, const Plan& plan) {
    const __m512i first = salted(rest >> 32);
    const __m512i masks = bits_at(first);
    if constexpr (!kSecondBits) {
      return masks;
    } else {
      const __m512i steps =
          _mm512_maskz_max_epu32(kAll16, salted((rest * kRestMultiplier) >> 32), _mm512_set1_epi64(1));
      const __m512i second = bits_at(_mm512_xor_si512(first, steps));
      return _mm512_mask_or_epi64(masks, plan.doubled, masks, second);
    }
  }
};

}  // namespace bloomery

#endif
