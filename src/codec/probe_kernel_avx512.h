// AVX-512 kernels for schemes whose positions are c mod m with m = 64 W bits. A batch processes eight keys at
// a time, one per lane. A single key is processed eight bits at a time.
//
// Position c is bit c mod 64 of word floor(c / 64) mod W, where c has 63 bits. The kernel finds the quotient
// of floor(c / 64) by W in doubles:
//
//   - W is at least kLeastWords, so the quotient is below 2^49, which a double holds exactly.
//   - The inverse is below 1 / W by more than all rounding errors. So the quotient is exact or one too small.
//   - W is below 2^31, like the length of a Java array. So the lower 32 bits determine the remainder.
//
// A batch query tests two bits of every key first. In a half-full filter that rejects three of four absent
// keys. It then tests the other bits of the remaining keys. No branch depends on an answer.
//
// A filter that fits in the second-level cache is not prefetched: a key needs so few instructions that
// out-of-order execution overlaps the loads of several keys. In a larger filter, the kernel prefetches the
// cache lines of later keys while it tests earlier ones.
//
// A scheme is described by a class L of static functions:
//
//   L::Scheme               the scheme; it has wide(), the constants of its W
//   L::longs(scheme, keys)  the first c, and the step, of eight keys of eight bytes each
//   L::first(probe)         the first c, and the step, of what Scheme::begin() returns
//   L::positions(c)         the value whose lower 63 bits are reduced mod m; its highest bit is ignored
//   L::kReachesTop          true if that value may be exactly 2^63. Then the highest bit counts.
#pragma once

#include "codec/modulo.h"
#include "codec/probe_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>

#include <immintrin.h>

#include "base/endian.h"

#define BLOOMERY_AVX512 __attribute__((target("avx512f,avx512dq,bmi,bmi2")))

namespace bloomery::avx512 {

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kGroup = 64;  // keys per word of answers
// Distance of the prefetch of key bytes, in groups of eight keys.
inline constexpr std::size_t kKeysAhead = 6;
inline constexpr std::uint64_t kLeastWords = 256;  // see the list above
// The most probes that are located before they are set or queried.
inline constexpr std::uint32_t kMostProbes = 32;
inline constexpr std::uint32_t kFirstProbes = 2;  // tested for every key before the others
inline constexpr __mmask16 kLowerHalves = 0x5555;
// Filters of this size and above did not fit in the second-level cache of the measured machines.
inline constexpr std::size_t kAskFromBytes = std::size_t{2} << 20;

// The constants of the filter, in registers.
struct Constants {
  __m512i words;
  __m512d inverse;
  __m512i top;  // the word of position 2^63
};

BLOOMERY_AVX512 inline Constants constants_of(const WideModulo& wide) {
  return {.words = _mm512_set1_epi64(static_cast<long long>(wide.words)),
          .inverse = _mm512_set1_pd(wide.inverse),
          .top = _mm512_set1_epi64(static_cast<long long>((std::uint64_t{1} << 57) % wide.words))};
}

// c of eight keys, and the step to the c of the next probe.
struct Eight {
  __m512i at;
  __m512i step;
};

// c and the step of one key.
struct First {
  std::uint64_t at;
  std::uint64_t step;
};

template <typename L>
BLOOMERY_AVX512 inline __m512i word_of(__m512i at, const Constants& constants) {
  const __m512i positions = L::positions(at);
  const __m512d twice = _mm512_cvtepu64_pd(_mm512_slli_epi64(positions, 1));  // without the highest bit
  const __m512i quotient = _mm512_cvttpd_epu64(_mm512_mul_pd(twice, constants.inverse));
  // The remainder is below 2 W, so the lower halves determine it.
  const __m512i rest =
      _mm512_sub_epi64(_mm512_srli_epi64(positions, 6), _mm512_mul_epu32(quotient, constants.words));
  const __m512i word = _mm512_maskz_min_epu32(kLowerHalves, rest, _mm512_sub_epi32(rest, constants.words));
  if constexpr (L::kReachesTop) {
    return _mm512_mask_mov_epi64(word, _mm512_movepi64_mask(positions), constants.top);
  }
  return word;
}

// Returns the bit of a position in its word, as a mask.
template <typename L>
BLOOMERY_AVX512 inline __m512i bit_of(__m512i at) {
  return _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_and_si512(L::positions(at), _mm512_set1_epi64(63)));
}

// Hashes up to eight keys; the last key fills the unused lanes.
template <typename L>
BLOOMERY_AVX512 inline Eight hashed(const typename L::Scheme& scheme,
                                    std::span<const std::string_view> keys) {
  if (keys.size() == kLanes &&
      std::ranges::all_of(keys, [](std::string_view key) { return key.size() == 8; })) {
    const auto key = [&](std::size_t i) {
      return static_cast<long long>(load_little64(reinterpret_cast<const std::byte*>(keys[i].data())));
    };
    return L::longs(scheme,
                    _mm512_setr_epi64(key(0), key(1), key(2), key(3), key(4), key(5), key(6), key(7)));
  }
  alignas(64) std::array<std::uint64_t, kLanes> at;
  alignas(64) std::array<std::uint64_t, kLanes> step;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const First first = L::first(scheme.begin(keys[std::min(i, keys.size() - 1)]));
    at[i] = first.at;
    step[i] = first.step;
  }
  return {.at = _mm512_load_si512(at.data()), .step = _mm512_load_si512(step.data())};
}

// Returns the lanes of `live` whose bits `at` are set in the words at `places`.
template <typename L>
BLOOMERY_AVX512 inline __mmask8 set_lanes(const std::uint64_t* words, __m512i places, __m512i at,
                                          __mmask8 live) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i word = _mm512_mask_i64gather_epi64(one, live, places, words, sizeof(std::uint64_t));
  return _mm512_mask_test_epi64_mask(live, _mm512_rorv_epi64(word, L::positions(at)), one);
}

// Returns the lanes of `live` whose next `count` bits are all set, and advances `keys` past those bits.
template <typename L>
BLOOMERY_AVX512 inline __mmask8 all_set(const std::uint64_t* words, const Constants& constants, Eight& keys,
                                        std::uint32_t count, __mmask8 live) {
  for (std::uint32_t i = 0; i < count; ++i) {
    live &= set_lanes<L>(words, word_of<L>(keys.at, constants), keys.at,
                         0xff);  // independent of the previous test
    keys.at = _mm512_add_epi64(keys.at, keys.step);
  }
  return live;
}

// Keys whose first bits are set, packed. Eight entries are spare, since a write stores eight.
struct Survivors {
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> at{};
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> step{};
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> number{};  // index of the key in its group
  std::size_t count = 0;

  BLOOMERY_AVX512 void add(const Eight& keys, std::size_t first, __mmask8 live) {
    const __m512i numbers = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                             _mm512_set1_epi64(static_cast<long long>(first)));
    _mm512_storeu_si512(at.data() + count, _mm512_maskz_compress_epi64(live, keys.at));
    _mm512_storeu_si512(step.data() + count, _mm512_maskz_compress_epi64(live, keys.step));
    _mm512_storeu_si512(number.data() + count, _mm512_maskz_compress_epi64(live, numbers));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(live)));
  }
  BLOOMERY_AVX512 Eight eight(std::size_t first) const {
    return {.at = _mm512_load_si512(at.data() + first), .step = _mm512_load_si512(step.data() + first)};
  }
};

BLOOMERY_AVX512 inline __mmask8 first_lanes(std::size_t count) {
  return static_cast<__mmask8>(count >= kLanes ? 0xff : (1U << count) - 1);
}

template <typename L>
BLOOMERY_AVX512 inline std::uint64_t answer(const std::uint64_t* words, const Constants& constants,
                                            std::uint32_t probes_left, const Survivors& survivors) {
  const __m512i one = _mm512_set1_epi64(1);
  __m512i answers = _mm512_setzero_si512();
  for (std::size_t i = 0; i < survivors.count; i += kLanes) {
    Eight keys = survivors.eight(i);
    const __mmask8 live = all_set<L>(words, constants, keys, probes_left, first_lanes(survivors.count - i));
    const __m512i numbers = _mm512_load_si512(survivors.number.data() + i);
    answers = _mm512_mask_or_epi64(answers, live, answers, _mm512_sllv_epi64(one, numbers));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(answers));
}

template <typename L>
BLOOMERY_AVX512 void answer_from_cache(const WordBits& bits, const typename L::Scheme& scheme,
                                       std::span<const std::string_view> keys, std::uint64_t* answers) {
  const std::uint64_t* const words = bits.words().data();
  const Constants constants = constants_of(scheme.wide());
  const std::uint32_t first = std::min(scheme.hash_count(), kFirstProbes);
  Survivors survivors;
  for (std::size_t start = 0; start < keys.size(); start += kGroup) {
    const auto group = keys.subspan(start, std::min(kGroup, keys.size() - start));
    survivors.count = 0;
    for (std::size_t i = 0; i < group.size(); i += kLanes) {
      const auto few = group.subspan(i, std::min(kLanes, group.size() - i));
      Eight eight = hashed<L>(scheme, few);
      const __mmask8 live = all_set<L>(words, constants, eight, first, first_lanes(few.size()));
      survivors.add(eight, i, live);
    }
    *answers++ = answer<L>(words, constants, scheme.hash_count() - first, survivors);
  }
}

// The word indexes of the bits of eight keys: one row per probe, one column per key.
using Places = std::array<std::array<std::uint64_t, kLanes>, kMostProbes>;

// Stores the word indexes of the next `count` bits of eight keys, and advances `keys` past those bits.
template <typename L>
BLOOMERY_AVX512 inline void locate(const Constants& constants, Eight& keys, std::uint32_t count,
                                   Places& places) {
  for (std::uint32_t i = 0; i < count; ++i) {
    _mm512_store_si512(places[i].data(), word_of<L>(keys.at, constants));
    keys.at = _mm512_add_epi64(keys.at, keys.step);
  }
}

// Does the same as all_set(), with the word indexes that locate() has stored.
template <typename L>
BLOOMERY_AVX512 inline __mmask8 all_set_at(const std::uint64_t* words, const Places& places, Eight& keys,
                                           std::uint32_t count, __mmask8 live) {
  const __mmask8 asked = live;
  for (std::uint32_t i = 0; i < count; ++i) {
    live &= set_lanes<L>(words, _mm512_load_si512(places[i].data()), keys.at, asked);
    keys.at = _mm512_add_epi64(keys.at, keys.step);
  }
  return live;
}

inline void ask(const std::uint64_t* words, std::uint32_t probes, std::size_t keys, const Places& places) {
  for (std::uint32_t i = 0; i < probes; ++i) {
    for (std::size_t key = 0; key < keys; ++key) {
      __builtin_prefetch(words + places[i][key]);
    }
  }
}

// Prefetches the bytes of the keys that are hashed kKeysAhead groups later. Eight keys of 8 bytes share a
// cache line.
inline void ask_for_keys(std::span<const std::string_view> keys, std::size_t eight) {
  if ((eight + kKeysAhead) * kLanes < keys.size()) {
    __builtin_prefetch(keys[(eight + kKeysAhead) * kLanes].data());
  }
}

inline std::span<const std::string_view> eight_of(std::span<const std::string_view> keys, std::size_t eight) {
  return keys.subspan(eight * kLanes, std::min(kLanes, keys.size() - eight * kLanes));
}

// The state of eight keys in the pipeline of answer_from_memory().
struct Waiting {
  Eight keys;     // past their first bits; after sift() packed, only those of `live`
  __mmask8 live;  // the lanes whose bits so far are set
  std::size_t left;
  alignas(64) Places places;  // word indexes of the bits that are tested next
};

// Tests the first bits, and locates the other bits of the keys that pass.
template <typename L>
BLOOMERY_AVX512 inline void sift(const std::uint64_t* words, const Constants& constants, std::uint32_t first,
                                 std::uint32_t rest, Waiting& eight) {
  eight.live = all_set_at<L>(words, eight.places, eight.keys, first, eight.live);
  eight.left = static_cast<std::size_t>(std::popcount(static_cast<unsigned>(eight.live)));
  eight.keys = {.at = _mm512_maskz_compress_epi64(eight.live, eight.keys.at),
                .step = _mm512_maskz_compress_epi64(eight.live, eight.keys.step)};
  Eight packed = eight.keys;
  locate<L>(constants, packed, rest, eight.places);
}

// Places are stored one step before they are prefetched: scalar reads of eight words right after one vector
// store are slow.
template <typename L>
BLOOMERY_AVX512 void answer_from_memory(const WordBits& bits, const typename L::Scheme& scheme,
                                        std::span<const std::string_view> keys, std::uint64_t* answers) {
  const std::uint64_t* const words = bits.words().data();
  const Constants constants = constants_of(scheme.wide());
  const std::uint32_t first = std::min(scheme.hash_count(), kFirstProbes);
  const std::uint32_t rest = scheme.hash_count() - first;
  const std::size_t eights = (keys.size() + kLanes - 1) / kLanes;
  std::array<Waiting, 8> ring;
  const auto at = [&ring](std::size_t eight) -> Waiting& { return ring[eight % ring.size()]; };
  // i - 1 and so on wrap around below 0, and fail the test `< eights`.
  for (std::size_t i = 0; i < eights + 5; ++i) {
    if (i < eights) {
      ask_for_keys(keys, i);
      at(i).keys = hashed<L>(scheme, eight_of(keys, i));
      at(i).live = first_lanes(eight_of(keys, i).size());
      Eight moving = at(i).keys;
      locate<L>(constants, moving, first, at(i).places);
    }
    if (i - 1 < eights) {
      ask(words, first, kLanes, at(i - 1).places);
    }
    if (i - 2 < eights) {
      sift<L>(words, constants, first, rest, at(i - 2));
    }
    if (i - 3 < eights) {
      ask(words, rest, at(i - 3).left, at(i - 3).places);
    }
    if (const std::size_t done = i - 5; done < eights) {
      Waiting& eight = at(done);
      const __mmask8 packed = all_set_at<L>(words, eight.places, eight.keys, rest, first_lanes(eight.left));
      const std::uint64_t found = std::uint64_t{_pdep_u32(packed, eight.live)} << (done % 8 * kLanes);
      answers[done / 8] = done % 8 == 0 ? found : answers[done / 8] | found;
    }
  }
}

template <typename L>
BLOOMERY_AVX512 void may_contain_batch(const WordBits& bits, const typename L::Scheme& scheme,
                                       std::span<const std::string_view> keys,
                                       std::span<std::uint64_t> answers) {
  if (scheme.wide().words < kLeastWords) {
    kScalarKernel<typename L::Scheme>.may_contain_batch(bits, scheme, keys, answers);
  } else if (bits.byte_size() < kAskFromBytes || scheme.hash_count() > kMostProbes) {
    answer_from_cache<L>(bits, scheme, keys, answers.data());
  } else {
    answer_from_memory<L>(bits, scheme, keys, answers.data());
  }
}

struct Located {
  alignas(64) Places places;
  alignas(64) Places bits;  // the bits in those words, as masks
  alignas(64)
      // Padding: without it the elements of a ring would share their sets in the cache.
      std::array<std::byte, kCacheLineBytes> apart;
};

template <typename L>
BLOOMERY_AVX512 inline void locate_bits(const typename L::Scheme& scheme, const Constants& constants,
                                        std::span<const std::string_view> keys, Located& located) {
  Eight eight = hashed<L>(scheme, keys);
  for (std::uint32_t i = 0; i < scheme.hash_count(); ++i) {
    _mm512_store_si512(located.places[i].data(), word_of<L>(eight.at, constants));
    _mm512_store_si512(located.bits[i].data(), bit_of<L>(eight.at));
    eight.at = _mm512_add_epi64(eight.at, eight.step);
  }
}

// Returns how many of the first `count` keys changed a bit, in order. With every bit that is set, one word of
// `later` is prefetched: a burst of prefetches would leave no room for other instructions.
template <bool kAsks>
BLOOMERY_AVX512 inline std::uint64_t set(std::uint64_t* words, std::uint32_t probes, std::size_t count,
                                         const Located& located, const Located& later) {
  std::uint64_t changed_keys = 0;
  for (std::size_t key = 0; key < count; ++key) {
    std::uint64_t changed = 0;
    for (std::uint32_t i = 0; i < probes; ++i) {
      if constexpr (kAsks) {
        __builtin_prefetch(words + later.places[i][key]);
      }
      std::uint64_t& word = words[located.places[i][key]];
      changed |= ~word & located.bits[i][key];
      word |= located.bits[i][key];
    }
    changed_keys += changed != 0 ? 1U : 0U;
  }
  return changed_keys;
}

// Locates two groups of eight ahead of the group that it sets, and prefetches one ahead.
template <typename L, bool kAsks>
BLOOMERY_AVX512 std::uint64_t insert_eights(WordBits& bits, const typename L::Scheme& scheme,
                                            std::span<const std::string_view> keys) {
  const Constants constants = constants_of(scheme.wide());
  std::uint64_t* const words = bits.words().data();
  const std::size_t eights = (keys.size() + kLanes - 1) / kLanes;
  std::array<Located, 4> ring;
  const auto at = [&ring](std::size_t eight) -> Located& { return ring[eight % ring.size()]; };
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < eights + 2; ++i) {
    if (i < eights) {
      ask_for_keys(keys, i);
      locate_bits<L>(scheme, constants, eight_of(keys, i), at(i));
    }
    if (const std::size_t now = i - 2; now < eights) {
      changed += set<kAsks>(words, scheme.hash_count(), eight_of(keys, now).size(), at(now),
                            at(std::min(now + 1, eights - 1)));
    }
  }
  return changed;
}

template <typename L>
BLOOMERY_AVX512 std::uint64_t insert_batch(WordBits& bits, const typename L::Scheme& scheme,
                                           std::span<const std::string_view> keys) {
  if (scheme.wide().words < kLeastWords || scheme.hash_count() > kMostProbes) {
    return kScalarKernel<typename L::Scheme>.insert_batch(bits, scheme, keys);
  }
  return bits.byte_size() < kAskFromBytes ? insert_eights<L, false>(bits, scheme, keys)
                                          : insert_eights<L, true>(bits, scheme, keys);
}

// The first eight probes of one key; the next eight are `step` away.
struct Octet {
  __m512i at;
  __m512i step;
};

BLOOMERY_AVX512 inline Octet octet_of(const First& first) {
  const __m512i step = _mm512_set1_epi64(static_cast<long long>(first.step));
  const __m512i multiples = _mm512_mullo_epi64(step, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  return {.at = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first.at)), multiples),
          .step = _mm512_slli_epi64(step, 3)};
}

template <typename L>
BLOOMERY_AVX512 bool may_contain(const WordBits& bits, const typename L::Scheme& scheme,
                                 std::string_view key) {
  if (scheme.wide().words < kLeastWords) {
    return kScalarKernel<typename L::Scheme>.may_contain(bits, scheme, key);
  }
  // begin() may be a call, so it precedes everything that is kept in registers.
  const First first = L::first(scheme.begin(key));
  const Constants constants = constants_of(scheme.wide());
  const std::uint64_t* const words = bits.words().data();
  Octet octet = octet_of(first);
  std::size_t left = scheme.hash_count();
  for (; left > kLanes; left -= kLanes) {
    if (set_lanes<L>(words, word_of<L>(octet.at, constants), octet.at, 0xff) != 0xff) {
      return false;
    }
    octet.at = _mm512_add_epi64(octet.at, octet.step);
  }
  const __mmask8 lanes = first_lanes(left);
  // Does not branch, since a branch would wait for the words.
  return set_lanes<L>(words, word_of<L>(octet.at, constants), octet.at, lanes) == lanes;
}

template <typename L>
BLOOMERY_AVX512 bool insert(WordBits& bits, const typename L::Scheme& scheme, std::string_view key) {
  if (scheme.wide().words < kLeastWords) {
    return kScalarKernel<typename L::Scheme>.insert(bits, scheme, key);
  }
  const First first = L::first(scheme.begin(key));
  const Constants constants = constants_of(scheme.wide());
  std::uint64_t* const words = bits.words().data();
  Octet octet = octet_of(first);
  std::uint64_t changed = 0;
  for (std::uint32_t i = 0; i < scheme.hash_count(); i += kLanes) {
    alignas(64) std::array<std::uint64_t, kLanes> word;
    alignas(64) std::array<std::uint64_t, kLanes> bit;
    _mm512_store_si512(word.data(), word_of<L>(octet.at, constants));
    _mm512_store_si512(bit.data(), bit_of<L>(octet.at));
    const std::size_t count = std::min<std::size_t>(scheme.hash_count() - i, kLanes);
    for (std::size_t j = 0; j < count; ++j) {
      changed |= ~words[word[j]] & bit[j];
      words[word[j]] |= bit[j];
    }
    octet.at = _mm512_add_epi64(octet.at, octet.step);
  }
  return changed != 0;
}

inline bool available() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

template <typename L>
inline constexpr ProbeKernel<typename L::Scheme> kKernel = {.name = "avx512",
                                                            .available = available,
                                                            .may_contain = may_contain<L>,
                                                            .insert = insert<L>,
                                                            .may_contain_batch = may_contain_batch<L>,
                                                            .insert_batch = insert_batch<L>};

}  // namespace bloomery::avx512

#endif
