// The blocked kernel for AVX2: a window is two vectors of four words, and so is a key.
//
// Functions carry the target themselves, so that nothing else in the build is compiled for a processor it may
// not meet. The thread sanitizer is told to look away: it takes a vector load for one racing access, where
// the hardware reads each aligned word of it whole, which is all that a filter needs.
#include "filter/blocked/blocked_kernel.h"

#if defined(__x86_64__)

#include <algorithm>

#include <immintrin.h>

#include "base/atomic_word.h"

#define BLOOMERY_AVX2 __attribute__((target("avx2"), no_sanitize("thread")))

namespace bloomery {
namespace {

struct Masks {
  __m256i low;   // words 0..3
  __m256i high;  // words 4..7
};

// What is the same for all keys of a batch.
struct Constants {
  __m256i salts;
  __m256i second_low;  // all ones in the words that get a second bit
  __m256i second_high;
};

BLOOMERY_AVX2 inline Constants constants_for(std::uint32_t hash_count) {
  const auto doubles = static_cast<long long>(hash_count - kMinBlockedHashes);
  const __m256i count = _mm256_set1_epi64x(doubles);
  return {.salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kWindowSalts.data())),
          .second_low = _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3)),
          .second_high = _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(4, 5, 6, 7))};
}

BLOOMERY_AVX2 inline Masks bits_at(__m256i positions) {
  const __m256i one = _mm256_set1_epi64x(1);
  return {.low = _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(positions))),
          .high = _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(positions, 1)))};
}

template <bool kSecondBits>
BLOOMERY_AVX2 inline Masks masks_of(std::uint64_t rest, const Constants& constants) {
  const __m256i a = _mm256_set1_epi32(static_cast<int>(rest >> 32));
  const __m256i first = _mm256_srli_epi32(_mm256_mullo_epi32(a, constants.salts), 26);
  Masks masks = bits_at(first);
  if constexpr (kSecondBits) {
    const __m256i b = _mm256_set1_epi32(static_cast<int>((rest * kRestMultiplier) >> 32));
    const __m256i step = _mm256_srli_epi32(_mm256_mullo_epi32(b, constants.salts), 26);
    const Masks second = bits_at(_mm256_xor_si256(first, _mm256_max_epu32(step, _mm256_set1_epi32(1))));
    masks.low = _mm256_or_si256(masks.low, _mm256_and_si256(second.low, constants.second_low));
    masks.high = _mm256_or_si256(masks.high, _mm256_and_si256(second.high, constants.second_high));
  }
  return masks;
}

BLOOMERY_AVX2 inline Masks load(const std::uint64_t* window) {
  return {.low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window)),
          .high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window + 4))};
}

BLOOMERY_AVX2 inline std::uint64_t contains(const std::uint64_t* window, const Masks& masks) {
  const Masks words = load(window);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(words.low, masks.low), _mm256_andnot_si256(words.high, masks.high));
  return static_cast<std::uint64_t>(_mm256_testz_si256(missing, missing));
}

BLOOMERY_AVX2 inline void set_exclusively(std::uint64_t* window, const Masks& masks) {
  const Masks words = load(window);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(window), _mm256_or_si256(words.low, masks.low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(window + 4), _mm256_or_si256(words.high, masks.high));
}

BLOOMERY_AVX2 inline bool set_shared(std::uint64_t* window, const Masks& masks) {
  if (contains(window, masks) != 0) {
    return false;
  }
  alignas(32) std::array<std::uint64_t, kWindowWords> bits;
  _mm256_store_si256(reinterpret_cast<__m256i*>(bits.data()), masks.low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(bits.data() + 4), masks.high);
  bool changed = false;
  for (std::size_t i = 0; i < kWindowWords; ++i) {
    changed |= relaxed_set_bits(window[i], bits[i]);
  }
  return changed;
}

// The ring: while one key is worked on, the cache lines of the next kAhead are on their way. Deeper than what
// one core can have outstanding, so that it never waits for the ring; interleaved, so that it never waits for
// a burst.
constexpr std::size_t kAhead = 32;
constexpr std::size_t kRing = 2 * kAhead;  // a power of two
constexpr std::size_t kGroup = 64;         // keys per word of answers

enum class Lines { kInCache, kOne, kTwo };  // what a key asks for ahead of its turn

template <Lines kLines>
inline WindowPlace located(const BlockedTable& table, const Hash128& hash) {
  const WindowPlace place = place_of(table, hash.low);
  if constexpr (kLines != Lines::kInCache) {
    __builtin_prefetch(place.window);
  }
  if constexpr (kLines == Lines::kTwo) {
    __builtin_prefetch(place.window + kWindowWords - 1);
  }
  return place;
}

// Calls use.key(i, place) for every hash in order.
template <Lines kLines, typename Use>
BLOOMERY_AVX2 inline void for_each_place(const BlockedTable& table, std::span<const Hash128> hashes,
                                         Use& use) {
  std::array<WindowPlace, kRing> ring;
  const std::size_t ahead = std::min(kAhead, hashes.size());
  for (std::size_t i = 0; i < ahead; ++i) {
    ring[i] = located<kLines>(table, hashes[i]);
  }
  const std::size_t steady = hashes.size() - ahead;
  for (std::size_t i = 0; i < steady; ++i) {
    ring[(i + kAhead) % kRing] = located<kLines>(table, hashes[i + kAhead]);
    use.key(i, ring[i % kRing]);
  }
  for (std::size_t i = steady; i < hashes.size(); ++i) {
    use.key(i, ring[i % kRing]);
  }
}

template <bool kSecondBits>
struct Answer {
  Constants constants;
  std::uint64_t* answers;
  std::uint64_t word = 0;

  BLOOMERY_AVX2 void key(std::size_t i, const WindowPlace& place) {
    word |= contains(place.window, masks_of<kSecondBits>(place.rest, constants)) << (i % kGroup);
    if (i % kGroup == kGroup - 1) {
      flush(i);
    }
  }
  // Writes the word that key `i` belongs to.
  void flush(std::size_t i) {
    answers[i / kGroup] = word;
    word = 0;
  }
};

// Answers whether a bit was clear, and sets all: the window is written only where it changes, so that the
// cache line of a key that is in stays clean.
template <bool kSecondBits>
struct TestAndSet {
  Constants constants;
  std::uint64_t* answers;
  std::uint64_t word = 0;

  BLOOMERY_AVX2 void key(std::size_t i, const WindowPlace& place) {
    const Masks masks = masks_of<kSecondBits>(place.rest, constants);
    const std::uint64_t is_new = contains(place.window, masks) ^ 1;
    if (is_new != 0) {
      set_exclusively(place.window, masks);
    }
    word |= is_new << (i % kGroup);
    if (i % kGroup == kGroup - 1) {
      flush(i);
    }
  }
  void flush(std::size_t i) {
    answers[i / kGroup] = word;
    word = 0;
  }
};

template <bool kSecondBits, Sharing kSharing>
struct Set {
  Constants constants;

  BLOOMERY_AVX2 void key(std::size_t, const WindowPlace& place) {
    const Masks masks = masks_of<kSecondBits>(place.rest, constants);
    if constexpr (kSharing == Sharing::kExclusive) {
      set_exclusively(place.window, masks);
    } else {
      set_shared(place.window, masks);
    }
  }
};

template <typename Use>
BLOOMERY_AVX2 void run(const BlockedTable& table, std::span<const Hash128> hashes, Use& use) {
  if (!prefetches(table)) {
    for_each_place<Lines::kInCache>(table, hashes, use);
  } else if (table.stride_words == kWindowWords) {
    for_each_place<Lines::kOne>(table, hashes, use);
  } else {
    for_each_place<Lines::kTwo>(table, hashes, use);
  }
}

template <bool kSecondBits>
BLOOMERY_AVX2 void answer_all(const BlockedTable& table, std::span<const Hash128> hashes,
                              std::uint64_t* answers) {
  Answer<kSecondBits> use{constants_for(table.hash_count), answers};
  run(table, hashes, use);
  if (hashes.size() % kGroup != 0) {
    use.flush(hashes.size() - 1);
  }
}

BLOOMERY_AVX2 Masks masks_for(const BlockedTable& table, std::uint64_t rest) {
  const Constants constants = constants_for(table.hash_count);
  return table.hash_count > kMinBlockedHashes ? masks_of<true>(rest, constants)
                                              : masks_of<false>(rest, constants);
}

bool available() {
  return __builtin_cpu_supports("avx2") != 0;
}

BLOOMERY_AVX2 bool may_contain(const BlockedTable& table, std::uint64_t hash) {
  const WindowPlace place = place_of(table, hash);
  return contains(place.window, masks_for(table, place.rest)) != 0;
}

BLOOMERY_AVX2 bool insert(const BlockedTable& table, std::uint64_t hash) {
  const WindowPlace place = place_of(table, hash);
  return set_shared(place.window, masks_for(table, place.rest));
}

BLOOMERY_AVX2 void may_contain_batch(const BlockedTable& table, std::span<const Hash128> hashes,
                                     std::uint64_t* answers) {
  if (table.hash_count > kMinBlockedHashes) {
    answer_all<true>(table, hashes, answers);
  } else {
    answer_all<false>(table, hashes, answers);
  }
}

template <bool kSecondBits>
BLOOMERY_AVX2 void insert_all(const BlockedTable& table, std::span<const Hash128> hashes, Sharing sharing) {
  const Constants constants = constants_for(table.hash_count);
  if (sharing == Sharing::kExclusive) {
    Set<kSecondBits, Sharing::kExclusive> use{constants};
    run(table, hashes, use);
  } else {
    Set<kSecondBits, Sharing::kShared> use{constants};
    run(table, hashes, use);
  }
}

BLOOMERY_AVX2 void insert_batch(const BlockedTable& table, std::span<const Hash128> hashes, Sharing sharing) {
  if (table.hash_count > kMinBlockedHashes) {
    insert_all<true>(table, hashes, sharing);
  } else {
    insert_all<false>(table, hashes, sharing);
  }
}

template <bool kSecondBits>
BLOOMERY_AVX2 void test_and_insert_all(const BlockedTable& table, std::span<const Hash128> hashes,
                                       std::uint64_t* answers) {
  TestAndSet<kSecondBits> use{constants_for(table.hash_count), answers};
  run(table, hashes, use);
  if (hashes.size() % kGroup != 0) {
    use.flush(hashes.size() - 1);
  }
}

BLOOMERY_AVX2 void test_and_insert_batch(const BlockedTable& table, std::span<const Hash128> hashes,
                                         std::uint64_t* answers) {
  if (table.hash_count > kMinBlockedHashes) {
    test_and_insert_all<true>(table, hashes, answers);
  } else {
    test_and_insert_all<false>(table, hashes, answers);
  }
}

}  // namespace

constexpr BlockedKernel kAvx2BlockedKernel = {.name = "avx2",
                                              .available = available,
                                              .may_contain = may_contain,
                                              .insert = insert,
                                              .may_contain_batch = may_contain_batch,
                                              .insert_batch = insert_batch,
                                              .test_and_insert_batch = test_and_insert_batch};

}  // namespace bloomery

#else

namespace bloomery {

constexpr BlockedKernel kAvx2BlockedKernel = {.name = "avx2",
                                              .available = [] { return false; },
                                              .may_contain = nullptr,
                                              .insert = nullptr,
                                              .may_contain_batch = nullptr,
                                              .insert_batch = nullptr,
                                              .test_and_insert_batch = nullptr};

}  // namespace bloomery

#endif
