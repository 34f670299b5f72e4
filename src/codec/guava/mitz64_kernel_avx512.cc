// Strategy 1 for AVX-512: of a batch eight keys at a time, one in each lane; of one key eight bits.
//
// A position is a word and a bit in it: with m = 64 W they are floor(c / 64) mod W and c mod 64, of the 63
// bits of c. The quotient by W is found in doubles: it is below 2^49 for W of at least kLeastWords, the
// inverse is made smaller than 1 / W by more than all rounding adds, so the quotient is right or one too
// small.
//
// Questions look at two bits of every key (of absent keys three in four end there), and at the rest for those
// that are left, eight of them side by side again. Nothing branches on an answer and nothing is fetched
// ahead: so few instructions are spent on a key that the processor itself has the words of several on their
// way.
#include "codec/guava/mitz64_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>

#include <immintrin.h>

#include "base/endian.h"

#define BLOOMERY_AVX512 __attribute__((target("avx512f,avx512dq")))

namespace bloomery {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kGroup = 64;          // keys per word of answers
constexpr std::uint64_t kLeastWords = 256;  // see above
constexpr std::uint32_t kMostProbes = 32;  // that are located ahead of being set; others go to the definition
constexpr std::uint32_t kFirstProbes = 2;  // of every key
constexpr __mmask16 kLowerHalves = 0x5555;

// What is the same for all keys, in registers.
struct Constants {
  __m512i words;
  __m512d inverse;
};

BLOOMERY_AVX512 inline Constants constants_of(const Mitz64& scheme) {
  return {.words = _mm512_set1_epi64(static_cast<long long>(scheme.words())),
          .inverse = _mm512_set1_pd(scheme.inverse())};
}

// c of eight keys, and what is added to it for the next probe.
struct Eight {
  __m512i at;
  __m512i step;
};

BLOOMERY_AVX512 inline __m512i word_of(__m512i at, const Constants& constants) {
  const __m512d twice = _mm512_cvtepu64_pd(_mm512_slli_epi64(at, 1));  // without the highest bit
  const __m512i quotient = _mm512_cvttpd_epu64(_mm512_mul_pd(twice, constants.inverse));
  // The rest is below 2 W, so the lower halves tell it.
  const __m512i rest = _mm512_sub_epi64(_mm512_srli_epi64(at, 6), _mm512_mul_epu32(quotient, constants.words));
  return _mm512_maskz_min_epu32(kLowerHalves, rest, _mm512_sub_epi32(rest, constants.words));
}

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
BLOOMERY_AVX512 inline Eight hashed_longs(__m512i keys) {
  const __m512i length = _mm512_set1_epi64(8);
  const __m512i mixed = times(_mm512_rol_epi64(times(keys, 0x87c37b91114253d5), 31), 0x4cf5ad432745937f);
  const __m512i sum = _mm512_add_epi64(_mm512_xor_si512(mixed, length), length);
  const __m512i first = finished(sum);
  const __m512i second = finished(_mm512_add_epi64(sum, length));
  const __m512i at = _mm512_add_epi64(first, second);
  return {.at = at, .step = _mm512_add_epi64(second, at)};
}

// Hashes eight keys; where there are fewer, the last one stands for the rest.
BLOOMERY_AVX512 inline Eight hashed(const Mitz64& scheme, std::span<const std::string_view> keys) {
  if (keys.size() == kLanes &&
      std::ranges::all_of(keys, [](std::string_view key) { return key.size() == 8; })) {
    const auto key = [&](std::size_t i) {
      return static_cast<long long>(load_little64(reinterpret_cast<const std::byte*>(keys[i].data())));
    };
    return hashed_longs(_mm512_setr_epi64(key(0), key(1), key(2), key(3), key(4), key(5), key(6), key(7)));
  }
  alignas(64) std::array<std::uint64_t, kLanes> at;
  alignas(64) std::array<std::uint64_t, kLanes> step;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Mitz64::Probe probe = scheme.begin(keys[std::min(i, keys.size() - 1)]);
    at[i] = probe.at;
    step[i] = probe.step;
  }
  return {.at = _mm512_load_si512(at.data()), .step = _mm512_load_si512(step.data())};
}

// The lanes of `live` whose next `count` bits are all set; `keys` moves behind them.
BLOOMERY_AVX512 inline __mmask8 all_set(const std::uint64_t* words, const Constants& constants, Eight& keys,
                                        std::uint32_t count, __mmask8 live) {
  const __m512i one = _mm512_set1_epi64(1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const __m512i word =
        _mm512_mask_i64gather_epi64(one, 0xff, word_of(keys.at, constants), words, sizeof(std::uint64_t));
    live = _mm512_mask_test_epi64_mask(live, _mm512_rorv_epi64(word, keys.at), one);
    keys.at = _mm512_add_epi64(keys.at, keys.step);
  }
  return live;
}

// Keys of a group whose first bits are set, packed; eight more than there can be, since eight are written.
struct Survivors {
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> at{};
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> step{};
  alignas(64) std::array<std::uint64_t, kGroup + kLanes> number{};  // of the key in its group
  std::size_t count = 0;

  BLOOMERY_AVX512 void add(const Eight& keys, std::size_t first, __mmask8 live) {
    const __m512i numbers = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                             _mm512_set1_epi64(static_cast<long long>(first)));
    _mm512_storeu_si512(at.data() + count, _mm512_maskz_compress_epi64(live, keys.at));
    _mm512_storeu_si512(step.data() + count, _mm512_maskz_compress_epi64(live, keys.step));
    _mm512_storeu_si512(number.data() + count, _mm512_maskz_compress_epi64(live, numbers));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(live)));
  }
};

BLOOMERY_AVX512 inline __mmask8 first_lanes(std::size_t count) {
  return static_cast<__mmask8>(count >= kLanes ? 0xff : (1U << count) - 1);
}

BLOOMERY_AVX512 inline std::uint64_t answer(const std::uint64_t* words, const Constants& constants,
                                            std::uint32_t probes_left, const Survivors& survivors) {
  const __m512i one = _mm512_set1_epi64(1);
  __m512i answers = _mm512_setzero_si512();
  for (std::size_t i = 0; i < survivors.count; i += kLanes) {
    Eight keys{.at = _mm512_load_si512(survivors.at.data() + i),
               .step = _mm512_load_si512(survivors.step.data() + i)};
    const __mmask8 live = all_set(words, constants, keys, probes_left, first_lanes(survivors.count - i));
    const __m512i numbers = _mm512_load_si512(survivors.number.data() + i);
    answers = _mm512_mask_or_epi64(answers, live, answers, _mm512_sllv_epi64(one, numbers));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(answers));
}

BLOOMERY_AVX512 void may_contain_batch(const WordBits& bits, const Mitz64& scheme,
                                       std::span<const std::string_view> keys,
                                       std::span<std::uint64_t> answers) {
  if (scheme.words() < kLeastWords) {
    kScalarMitz64Kernel.may_contain_batch(bits, scheme, keys, answers);
    return;
  }
  const std::uint64_t* const words = bits.words().data();
  const Constants constants = constants_of(scheme);
  const std::uint32_t first = std::min(scheme.hash_count(), kFirstProbes);
  Survivors survivors;
  for (std::size_t start = 0; start < keys.size(); start += kGroup) {
    const auto group = keys.subspan(start, std::min(kGroup, keys.size() - start));
    survivors.count = 0;
    for (std::size_t i = 0; i < group.size(); i += kLanes) {
      const auto few = group.subspan(i, std::min(kLanes, group.size() - i));
      Eight eight = hashed(scheme, few);
      const __mmask8 live = all_set(words, constants, eight, first, first_lanes(few.size()));
      survivors.add(eight, i, live);
    }
    answers[start / kGroup] = answer(words, constants, scheme.hash_count() - first, survivors);
  }
}

// Where eight keys have their bits: probe by probe, all eight side by side.
struct Located {
  alignas(64) std::array<std::array<std::uint64_t, kLanes>, kMostProbes> words;
  alignas(64) std::array<std::array<std::uint64_t, kLanes>, kMostProbes> at;  // its low six bits: the bit
};

BLOOMERY_AVX512 inline void locate(const Mitz64& scheme, const Constants& constants,
                                   std::span<const std::string_view> keys, Located& located) {
  Eight eight = hashed(scheme, keys);
  for (std::uint32_t i = 0; i < scheme.hash_count(); ++i) {
    _mm512_store_si512(located.words[i].data(), word_of(eight.at, constants));
    _mm512_store_si512(located.at[i].data(), eight.at);
    eight.at = _mm512_add_epi64(eight.at, eight.step);
  }
}

// Returns how many of the first `count` keys changed a bit, in order.
std::uint64_t set(std::span<std::uint64_t> words, std::uint32_t probes, std::size_t count,
                  const Located& located) {
  std::uint64_t changed_keys = 0;
  for (std::size_t key = 0; key < count; ++key) {
    std::uint64_t changed = 0;
    for (std::uint32_t i = 0; i < probes; ++i) {
      std::uint64_t& word = words[located.words[i][key]];
      const std::uint64_t before = word;
      word = before | std::uint64_t{1} << (located.at[i][key] % 64);
      changed |= word ^ before;
    }
    changed_keys += changed != 0 ? 1U : 0U;
  }
  return changed_keys;
}

BLOOMERY_AVX512 std::uint64_t insert_batch(WordBits& bits, const Mitz64& scheme,
                                           std::span<const std::string_view> keys) {
  if (scheme.words() < kLeastWords || scheme.hash_count() > kMostProbes) {
    return kScalarMitz64Kernel.insert_batch(bits, scheme, keys);
  }
  const Constants constants = constants_of(scheme);
  Located located;
  std::uint64_t changed = 0;
  for (std::size_t start = 0; start < keys.size(); start += kLanes) {
    const auto few = keys.subspan(start, std::min(kLanes, keys.size() - start));
    locate(scheme, constants, few, located);
    changed += set(bits.words(), scheme.hash_count(), few.size(), located);
  }
  return changed;
}

// The first eight probes of one key; the next eight are `step` away.
struct Octet {
  __m512i at;
  __m512i step;
};

BLOOMERY_AVX512 inline Octet octet_of(const Mitz64::Probe& probe) {
  const __m512i step = _mm512_set1_epi64(static_cast<long long>(probe.step));
  const __m512i multiples = _mm512_mullo_epi64(step, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  return {.at = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(probe.at)), multiples),
          .step = _mm512_slli_epi64(step, 3)};
}

// The lanes whose bits are set.
BLOOMERY_AVX512 inline __mmask8 set_lanes(const std::uint64_t* words, const Constants& constants, __m512i at,
                                          __mmask8 lanes) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i word =
      _mm512_mask_i64gather_epi64(one, lanes, word_of(at, constants), words, sizeof(std::uint64_t));
  return _mm512_mask_test_epi64_mask(lanes, _mm512_rorv_epi64(word, at), one);
}

BLOOMERY_AVX512 bool may_contain(const WordBits& bits, const Mitz64& scheme, std::string_view key) {
  if (scheme.words() < kLeastWords) {
    return kScalarMitz64Kernel.may_contain(bits, scheme, key);
  }
  const Mitz64::Probe probe = scheme.begin(key);  // a call, for some keys: before registers hold anything
  const Constants constants = constants_of(scheme);
  const std::uint64_t* const words = bits.words().data();
  Octet octet = octet_of(probe);
  std::size_t left = scheme.hash_count();
  for (; left > kLanes; left -= kLanes) {
    if (set_lanes(words, constants, octet.at, 0xff) != 0xff) {
      return false;
    }
    octet.at = _mm512_add_epi64(octet.at, octet.step);
  }
  const __mmask8 lanes = first_lanes(left);
  return set_lanes(words, constants, octet.at, lanes) == lanes;  // no branch: it would wait for the words
}

BLOOMERY_AVX512 bool insert(WordBits& bits, const Mitz64& scheme, std::string_view key) {
  if (scheme.words() < kLeastWords) {
    return kScalarMitz64Kernel.insert(bits, scheme, key);
  }
  const Mitz64::Probe probe = scheme.begin(key);
  const Constants constants = constants_of(scheme);
  std::uint64_t* const words = bits.words().data();
  Octet octet = octet_of(probe);
  std::uint64_t changed = 0;
  for (std::uint32_t i = 0; i < scheme.hash_count(); i += kLanes) {
    alignas(64) std::array<std::uint64_t, kLanes> word;
    alignas(64) std::array<std::uint64_t, kLanes> bit;
    _mm512_store_si512(word.data(), word_of(octet.at, constants));
    _mm512_store_si512(bit.data(), _mm512_sllv_epi64(_mm512_set1_epi64(1),
                                                     _mm512_and_si512(octet.at, _mm512_set1_epi64(63))));
    const std::size_t count = std::min<std::size_t>(scheme.hash_count() - i, kLanes);
    for (std::size_t j = 0; j < count; ++j) {
      changed |= ~words[word[j]] & bit[j];
      words[word[j]] |= bit[j];
    }
    octet.at = _mm512_add_epi64(octet.at, octet.step);
  }
  return changed != 0;
}

bool available() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

}  // namespace

constexpr Mitz64Kernel kAvx512Mitz64Kernel = {.name = "avx512",
                                              .available = available,
                                              .may_contain = may_contain,
                                              .insert = insert,
                                              .may_contain_batch = may_contain_batch,
                                              .insert_batch = insert_batch};

}  // namespace bloomery

#else

namespace bloomery {

constexpr Mitz64Kernel kAvx512Mitz64Kernel = {.name = "avx512",
                                              .available = [] { return false; },
                                              .may_contain = nullptr,
                                              .insert = nullptr,
                                              .may_contain_batch = nullptr,
                                              .insert_batch = nullptr};

}  // namespace bloomery

#endif
