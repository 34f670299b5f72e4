// Every kernel of Guava's strategy 1, of Spark's versions and of Cassandra against the definition: the same bits, answers
// and changes.
#include "codec/probe_kernel.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/filter/native_filter.h"
#include "codec/cassandra/cassandra_kernel.h"
#include "codec/guava/mitz64_kernel.h"
#include "codec/spark/spark_kernel.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kProbeSeed = 20261121;

// Keys of the length, or of any up to 40 bytes where it is none.
std::vector<std::string> random_keys(std::mt19937_64& random, std::size_t count,
                                     std::optional<std::size_t> length) {
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key.resize(length.value_or(random() % 41));
    std::ranges::generate(key, [&random] { return static_cast<char>(random()); });
  }
  return keys;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

template <typename Scheme>
std::vector<bool> answers_one_by_one(const ProbeKernel<Scheme>& kernel, const WordBits& bits,
                                     const Scheme& scheme, const std::vector<std::string_view>& keys) {
  std::vector<bool> answers;
  answers.reserve(keys.size());
  for (const std::string_view key : keys) {
    answers.push_back(kernel.may_contain(bits, scheme, key));
  }
  return answers;
}

template <typename Scheme>
std::vector<bool> answers_of_batch(const ProbeKernel<Scheme>& kernel, const WordBits& bits,
                                   const Scheme& scheme, const std::vector<std::string_view>& keys) {
  std::vector<std::uint64_t> words(answer_words(keys.size()), ~std::uint64_t{0});
  kernel.may_contain_batch(bits, scheme, keys, words);
  std::vector<bool> answers;
  for (std::size_t i = 0; i < words.size() * 64; ++i) {
    const bool answer = (words[i / 64] >> (i % 64) & 1) != 0;
    if (i < keys.size()) {
      answers.push_back(answer);
    } else {
      EXPECT_FALSE(answer) << "behind the last key";
    }
  }
  return answers;
}

struct Case {
  std::uint64_t words;
  std::uint32_t hash_count;
  std::size_t keys;  // a batch, inserted; as many others are asked for
  std::optional<std::size_t> length;
};

template <typename Scheme>
Scheme scheme_of(const Case& one) {
  if constexpr (std::is_same_v<Scheme, SparkV2>) {
    return {one.words * 64, one.hash_count, static_cast<std::uint32_t>(one.keys * 0x9e3779b1)};  // any seed
  } else if constexpr (std::is_same_v<Scheme, CassandraProbes>) {
    return {one.words * 64, one.hash_count,
            one.keys % 2 == 0 ? CassandraProbeOrder::kFirstHalfFirst : CassandraProbeOrder::kSecondHalfFirst};
  } else {
    return {one.words * 64, one.hash_count};
  }
}

template <typename Scheme>
void expect_like_the_definition(const ProbeKernel<Scheme>& kernel, const Case& one, std::mt19937_64& random) {
  SCOPED_TRACE(std::string(kernel.name) + ", words " + std::to_string(one.words) + ", k " +
               std::to_string(one.hash_count) + ", keys " + std::to_string(one.keys) + ", seed " +
               std::to_string(kProbeSeed));
  const Scheme scheme = scheme_of<Scheme>(one);
  const ProbeKernel<Scheme>& definition = kScalarKernel<Scheme>;
  WordBits expected = WordBits::zeroed(one.words * 64).value();
  WordBits by_batch = WordBits::zeroed(one.words * 64).value();
  WordBits by_one = WordBits::zeroed(one.words * 64).value();
  std::vector<std::string> in = random_keys(random, one.keys, one.length);
  if (in.size() > 1) {
    in.back() = in.front();  // changes nothing the second time
  }
  const auto keys = views_of(in);
  std::uint64_t changed = 0;
  for (const std::string_view key : keys) {
    const bool changes = definition.insert(expected, scheme, key);
    EXPECT_EQ(kernel.insert(by_one, scheme, key), changes);
    changed += changes ? 1U : 0U;
  }
  EXPECT_EQ(kernel.insert_batch(by_batch, scheme, keys), changed);
  ASSERT_TRUE(std::ranges::equal(by_batch.words(), expected.words()));
  ASSERT_TRUE(std::ranges::equal(by_one.words(), expected.words()));

  std::vector<std::string> asked = random_keys(random, one.keys, one.length);
  asked.insert(asked.begin() + static_cast<std::ptrdiff_t>(asked.size() / 2), in.begin(), in.end());
  const auto questions = views_of(asked);
  const auto answers = answers_one_by_one(definition, expected, scheme, questions);
  EXPECT_GE(static_cast<std::size_t>(std::ranges::count(answers, true)), one.keys);
  EXPECT_EQ(answers_one_by_one(kernel, expected, scheme, questions), answers);
  EXPECT_EQ(answers_of_batch(kernel, expected, scheme, questions), answers);
}

// The table of each scheme.
std::span<const Mitz64Kernel> kernels_of(const Mitz64*) {
  return mitz64_kernels();
}
std::span<const ProbeKernel<SparkV1>> kernels_of(const SparkV1*) {
  return spark_v1_kernels();
}
std::span<const ProbeKernel<SparkV2>> kernels_of(const SparkV2*) {
  return spark_v2_kernels();
}

std::span<const CassandraKernel> kernels_of(const CassandraProbes*) {
  return cassandra_kernels();
}

template <typename Scheme>
class ProbeKernelTest : public testing::Test {
 protected:
  static std::span<const ProbeKernel<Scheme>> kernels() {
    return kernels_of(static_cast<const Scheme*>(nullptr));
  }
};

using Schemes = testing::Types<Mitz64, SparkV1, SparkV2, CassandraProbes>;
TYPED_TEST_SUITE(ProbeKernelTest, Schemes);

TYPED_TEST(ProbeKernelTest, EveryKernelGivesTheBitsAndAnswersOfTheDefinition) {
  std::mt19937_64 random(kProbeSeed);
  for (const auto& kernel : this->kernels()) {
    if (!kernel.available()) {
      continue;
    }
    for (const unsigned words : {1U, 2U, 17U, 255U, 256U, 257U, 300U, 1000U, 4096U, 99991U, 1U << 20}) {
      for (const unsigned k : {1U, 2U, 3U, 7U, 8U, 9U, 16U, 17U, 32U, 33U, 255U}) {
        const std::size_t keys = random() % 200;
        expect_like_the_definition(kernel, {.words = words, .hash_count = k, .keys = keys, .length = 8},
                                   random);
        expect_like_the_definition(kernel, {.words = words, .hash_count = k, .keys = keys, .length = {}},
                                   random);
      }
    }
  }
}

// Where the quotients are largest: many keys, with a few bits each, that leave most bits clear.
TYPED_TEST(ProbeKernelTest, SmallFiltersHaveTheirWordsRight) {
  std::mt19937_64 random(kProbeSeed);
  for (const auto& kernel : this->kernels()) {
    for (std::uint64_t words = 200; kernel.available() && words < 700; words += 1 + random() % 3) {
      expect_like_the_definition(kernel, {.words = words, .hash_count = 2, .keys = 3000, .length = 8},
                                 random);
    }
  }
}

TYPED_TEST(ProbeKernelTest, BatchesOfAnySize) {
  std::mt19937_64 random(kProbeSeed);
  for (const auto& kernel : this->kernels()) {
    for (std::size_t keys = 0; kernel.available() && keys < 140; ++keys) {
      expect_like_the_definition(kernel, {.words = 500, .hash_count = 5, .keys = keys, .length = 8}, random);
      // From 2 MiB on, bits are asked for ahead.
      expect_like_the_definition(kernel, {.words = 1U << 18, .hash_count = 5, .keys = keys, .length = 8},
                                 random);
    }
  }
}

// The absolute value of -2^63 is 2^63, which no signed number holds. The first c of each key is -2^63.
TEST(CassandraKernelTest, TheLeastSignedNumberHasItsAbsoluteValue) {
  struct Least {
    std::uint64_t words[2];  // the key
    CassandraProbeOrder order;
  };
  const Least least[] = {
      {{0xc6e0d20f0d1ac55, 0x8090703ee488e126}, CassandraProbeOrder::kFirstHalfFirst},
      {{0x51fb111e696dbf2e, 0xb4afec001db345f9}, CassandraProbeOrder::kSecondHalfFirst},
  };
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  for (const Least& one : least) {
    std::string key(16, '\0');
    store_little(reinterpret_cast<std::byte*>(key.data()), one.words[0]);
    store_little(reinterpret_cast<std::byte*>(key.data()) + 8, one.words[1]);
    for (const auto& kernel : cassandra_kernels()) {
      for (std::uint64_t words = 256; kernel.available() && words < 700; ++words) {
        const CassandraProbes scheme(words * 64, 1, one.order);
        ASSERT_EQ(scheme.begin(key).at, kTop);
        WordBits bits = WordBits::zeroed(words * 64).value();
        EXPECT_TRUE(kernel.insert(bits, scheme, key));
        EXPECT_NE(bits.test(kTop % (words * 64)), 0U) << kernel.name << ", words " << words;
        WordBits by_batch = WordBits::zeroed(words * 64).value();
        const std::string_view view = key;
        EXPECT_EQ(kernel.insert_batch(by_batch, scheme, {&view, 1}), 1U);
        EXPECT_TRUE(std::ranges::equal(by_batch.words(), bits.words()));
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
