// A search of sorted hashes finds what is there and nothing else, also where somebody has chosen the hashes.
#include "filter/any/sorted_hashes.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

bool is_less(const Hash128& a, const Hash128& b) {
  return std::tie(a.low, a.high) < std::tie(b.low, b.high);
}

// Hashes as a law makes them.
using Law = Hash128 (*)(std::mt19937_64&);

constexpr Law kLaws[] = {
    [](std::mt19937_64& random) { return Hash128{.low = random(), .high = random()}; },
    [](std::mt19937_64& random) { return Hash128{.low = 7, .high = random()}; },
    [](std::mt19937_64& random) { return Hash128{.low = random() % 50, .high = random() % 50}; },
    // Each a factor of the next: guesses go wrong.
    [](std::mt19937_64& random) { return Hash128{.low = random() >> random() % 64, .high = random() % 3}; },
    [](std::mt19937_64& random) {
      return Hash128{.low = ~(random() >> random() % 64), .high = random() % 3};
    },
    [](std::mt19937_64& random) {
      return Hash128{.low = random() % 2 == 0 ? 0 : ~std::uint64_t{0}, .high = random() % 1000};
    }};

TEST(SortedHashes, FindsWhatAModelFinds) {
  RecordProperty("seed", std::to_string(kModuleSeed));
  std::mt19937_64 random(kModuleSeed);
  for (int turn = 0; turn < 300; ++turn) {
    const Law law = kLaws[static_cast<std::size_t>(turn) % std::size(kLaws)];
    std::vector<Hash128> entries(turn < 12 ? static_cast<std::size_t>(turn) / 6 : random() % 3000);
    std::ranges::generate(entries, [&] { return law(random); });
    std::ranges::sort(entries, is_less);
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    std::vector<Hash128> asked(random() % 300);
    std::ranges::generate(asked, [&] {
      return entries.empty() || random() % 2 == 0 ? law(random) : entries[random() % entries.size()];
    });
    const SortedHashes hashes(std::as_bytes(std::span(entries)));
    std::vector<std::uint64_t> answers((asked.size() + 63) / 64, ~std::uint64_t{0});
    hashes.contains(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto place = std::ranges::lower_bound(entries, asked[i], is_less);
      const bool is_in = place != entries.end() && *place == asked[i];
      ASSERT_EQ((answers[i / 64] >> (i % 64) & 1) != 0, is_in)
          << "turn " << turn << " of seed " << kModuleSeed;
      const auto found = hashes.find(asked[i]);
      ASSERT_EQ(found.has_value(), is_in);
      ASSERT_TRUE(!is_in || *found == static_cast<std::uint64_t>(place - entries.begin()));
    }
    ASSERT_TRUE(asked.empty() || asked.size() % 64 == 0 || answers.back() >> (asked.size() % 64) == 0);
  }
}

TEST(SortedHashes, BytesThatAreInNoOrderAreSearchedToAnEnd) {
  std::mt19937_64 random(kModuleSeed);
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<Hash128> entries(1 + random() % 500);
    std::ranges::generate(entries, [&] { return kLaws[turn % 4](random); });
    const SortedHashes hashes(std::as_bytes(std::span(entries)));
    for (int i = 0; i < 100; ++i) {
      const auto found = hashes.find(kLaws[i % 4](random));
      ASSERT_TRUE(!found || *found < entries.size());
    }
  }
}

}  // namespace
}  // namespace bloomery::redis_module
