// Keys for tests of filters: numbered, hashed as the library hashes 64-bit integers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "bloomery/filter/bloom_filter.h"

namespace bloomery {

inline constexpr std::uint64_t kAbsentKeys = std::uint64_t{1} << 40;  // no test inserts numbers from here on
inline constexpr std::uint64_t kWhiteKeys = std::uint64_t{1} << 37;   // numbers from here on are no members
inline constexpr std::uint64_t kGreatest = ~std::uint64_t{0};
inline constexpr std::uint64_t kTestSeed = 20261121;

using Hashes = std::vector<Hash128>;
using LowHashes = std::vector<std::uint64_t>;  // what filters use of them

// How many operations a test does against a model; more where that is asked for.
inline std::uint64_t model_operations(std::uint64_t usual) {
  const char* const asked = std::getenv("BLOOMERY_MODEL_OPERATIONS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

// hashes of the keys first, first + 1, ...
inline std::vector<Hash128> numbered_hashes(std::uint64_t first, std::size_t count, const HashSpec& spec) {
  std::vector<Hash128> hashes(count);
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = hash_key(first + i, spec);
  }
  return hashes;
}
inline std::vector<Hash128> numbered_hashes(std::uint64_t first, std::size_t count, std::uint64_t seed = 0) {
  return numbered_hashes(first, count, HashSpec{.seed = seed});
}

inline constexpr std::size_t kTestBatch = 4096;

template <typename Filter>
void insert_numbered(Filter& filter, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t done = 0; done < count; done += kTestBatch) {
    ASSERT_EQ(filter.insert_batch(numbered_hashes(
                  first + done, std::min<std::uint64_t>(kTestBatch, count - done), filter.hash_spec())),
              0u);
  }
}

// How many of the keys first, first + 1, ... may be in.
template <typename Filter>
std::uint64_t count_maybes(const Filter& filter, std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> answers(answer_words(kTestBatch));
  std::uint64_t maybes = 0;
  for (std::uint64_t done = 0; done < count; done += kTestBatch) {
    const auto hashes =
        numbered_hashes(first + done, std::min<std::uint64_t>(kTestBatch, count - done), filter.hash_spec());
    filter.may_contain_batch(hashes, answers);
    for (std::size_t word = 0; word < answer_words(hashes.size()); ++word) {
      maybes += static_cast<std::uint64_t>(std::popcount(answers[word]));
    }
  }
  return maybes;
}

// How many of `hashes` may be in.
template <typename Filter>
std::uint64_t maybes(const Filter& filter, std::span<const Hash128> hashes) {
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter.may_contain_batch(hashes, answers);
  std::uint64_t count = 0;
  for (const std::uint64_t word : answers) {
    count += static_cast<std::uint64_t>(std::popcount(word));
  }
  return count;
}

// Half the width of the 99.9 % confidence interval of a binomial count.
inline double confidence(double expected) {
  return 3.2905 * std::sqrt(expected);
}

}  // namespace bloomery
