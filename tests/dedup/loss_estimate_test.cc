// The number of lost lines that is printed, against filters whose losses are counted.
#include "dedup/loss_estimate.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dedup/seen_keys.h"

namespace bloomery {
namespace {

// P(X <= k), summed from logarithms.
double poisson_cdf(double mean, double k) {
  double sum = 0;
  for (double i = 0; i <= k; ++i) {
    sum += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
  }
  return sum;
}

TEST(PoissonInterval, LeavesAsMuchOnEitherSide) {
  for (const double mean : {0.001, 0.3, 1.0, 10.0, 84.0, 700.0, 1999.0}) {
    const Interval interval = poisson_interval(mean, 0.999);
    EXPECT_LE(interval.low == 0 ? 0 : poisson_cdf(mean, interval.low - 1), 0.0005) << mean;
    EXPECT_GE(poisson_cdf(mean, interval.low), 0.0005) << mean;
    EXPECT_LT(interval.high == 0 ? 0 : poisson_cdf(mean, interval.high - 1), 0.9995) << mean;
    EXPECT_GE(poisson_cdf(mean, interval.high), 0.9995) << mean;
  }
}

// Above the sum's limit the approximation may be off by one step, whose probability is small.
TEST(PoissonInterval, LargeMeansToo) {
  for (const double mean : {2001.0, 5000.0, 40'000.0}) {
    const Interval interval = poisson_interval(mean, 0.999);
    EXPECT_NEAR(poisson_cdf(mean, interval.low), 0.0005, 0.00006) << mean;
    EXPECT_NEAR(poisson_cdf(mean, interval.high), 0.9995, 0.00006) << mean;
  }
}

TEST(LossEstimate, APowerIsIntegratedExactly) {
  LossEstimate estimate;
  estimate.sample(0, 0);
  const auto small = [](double keys) { return 1e-20 * keys * keys * keys * keys; };  // odds and fpp are equal
  for (std::uint64_t keys = 100; keys <= 10'000; keys *= 10) {
    estimate.sample(keys - 1, small(static_cast<double>(keys)));
  }
  EXPECT_NEAR(estimate.mean() / (1e-20 * std::pow(1e4, 5) / 5), 1, 1e-3);
}

TEST(LossEstimate, NothingIsNothing) {
  const LossEstimate estimate;
  EXPECT_EQ(estimate.mean(), 0);
  EXPECT_EQ(estimate.interval().high, 0);
}

struct Outcome {
  std::uint64_t lost = 0;
  Losses said;
};

// `keys` different keys through a filter; `start` of them before the run begins.
Outcome run_filter(AnyFilter filter, std::uint64_t start, std::uint64_t keys, std::mt19937_64& random) {
  KeyedBatch batch;
  std::vector<std::uint64_t> fresh;
  const auto fill = [&](std::size_t size) {
    batch.hashes.resize(size);
    for (Hash128& hash : batch.hashes) {
      hash = {.low = random(), .high = random()};
    }
    fresh.resize(answer_words(size));
  };
  fill(start);
  EXPECT_EQ(filter.insert_batch(batch.hashes), 0u);
  SeenFilter seen(filter);
  std::uint64_t passed = 0;
  for (std::uint64_t done = 0; done < keys; done += batch.hashes.size()) {
    fill(std::min<std::uint64_t>(keys - done, 500));
    EXPECT_TRUE(seen.add(batch, fresh));
    for (const std::uint64_t word : fresh) {
      passed += static_cast<std::uint64_t>(__builtin_popcountll(word));
    }
  }
  return {.lost = keys - passed, .said = seen.losses()};
}

struct Runs {
  int count = 250;
  int most_outside = 4;  // P(Binomial(250, 0.001) > 4) = 7e-6
  double spread = 1.5;   // of the number lost: its variance over its mean
};

// Over many seeds: at most so many outside of the 99.9 % interval as a binomial number exceeds once in 10^5,
// and the means agree within four of their standard errors.
template <typename Make>
void expect_honest(Make make, std::uint64_t start, std::uint64_t keys, Runs runs = {}) {
  constexpr std::uint64_t kSeed = 20261121;
  std::mt19937_64 random(kSeed);
  int outside = 0;
  double lost = 0;
  double said = 0;
  for (int run = 0; run < runs.count; ++run) {
    const Outcome outcome = run_filter(make(), start, keys, random);
    const auto count = static_cast<double>(outcome.lost);
    outside += count < outcome.said.interval.low || count > outcome.said.interval.high ? 1 : 0;
    lost += count;
    said += outcome.said.mean;
  }
  EXPECT_LE(outside, runs.most_outside) << "seed " << kSeed;
  EXPECT_GT(lost, 1000) << "nothing to compare";
  EXPECT_NEAR(lost / said, 1, 4 * std::sqrt(runs.spread / lost)) << "lost " << lost << ", said " << said;
}

AnyFilter line_filter(std::uint64_t capacity, double fpp) {
  return std::move(BlockedBloomFilter::for_capacity(capacity, fpp)).value();
}

TEST(SeenFilter, SaysWhatABlockedFilterLoses) {
  expect_honest([] { return line_filter(4000, 0.01); }, 0, 4000);
}

TEST(SeenFilter, SaysWhatAnOverfullFilterLoses) {
  expect_honest([] { return line_filter(2000, 0.01); }, 0, 4000);
}

TEST(SeenFilter, BeginsWithWhatAStateHas) {
  expect_honest([] { return line_filter(4000, 0.01); }, 3000, 2000);
}

// Too large for its bits to be read all along.
TEST(SeenFilter, SaysWhatALargeFilterLoses) {
  expect_honest([] { return line_filter(165'000, 0.003); }, 155'000, 20'000);
}

// Seven times as many lines as it is made for: 34 % of them are lost. The fpp ends at 0.89, where f / (1 -
// f)^2 a line that passes comes to four times the number lost.
TEST(SeenFilter, SaysWhatAFilterLosesFarAboveItsCapacity) {
  expect_honest([] { return line_filter(4000, 1e-4); }, 0, 28'000, {.spread = 4});
}

// Its bits are read for a part of the time.
TEST(SeenFilter, SaysWhatALargeFilterLosesFarAboveItsCapacity) {
  const Runs few{.count = 25, .most_outside = 2, .spread = 4};  // P(Binomial(25, 0.001) > 2) = 2e-6
  expect_honest([] { return line_filter(100'000, 1e-4); }, 0, 700'000, few);
}

// Nothing passes, so that nothing is known.
TEST(SeenFilter, AFullFilterSaysThatNothingIsKnown) {
  std::mt19937_64 random(20261122);
  const Outcome outcome = run_filter(line_filter(100, 1e-4), 20'000, 5000, random);
  EXPECT_GT(outcome.lost, 4900);
  EXPECT_FALSE(outcome.said.is_known);
}

// One new line in three is lost, and none has come that would tell: all of a few may be new.
TEST(SeenFilter, AFewDroppedLinesMayAllBeNew) {
  LossEstimate estimate(1000);
  estimate.sample(0, 0.3);
  EXPECT_TRUE(estimate.is_known());
  EXPECT_EQ(estimate.interval().low, 0);
  EXPECT_EQ(estimate.interval().high, 6);  // 0.3^7 < 0.0005
}

TEST(SeenFilter, FiltersOfAFewLines) {
  expect_honest([] { return line_filter(300, 0.05); }, 0, 400);
}

// What is said counts every line so far, also between two samples of the filter's fpp.
TEST(SeenFilter, EveryLineThatPassesAddsToWhatIsLost) {
  const auto expect_growth = [](AnyFilter filter) {
    std::mt19937_64 random(20261122);
    SeenFilter seen(filter);
    KeyedBatch batch;
    std::vector<std::uint64_t> fresh(answer_words(3000));
    batch.hashes.resize(3000);
    std::ranges::generate(batch.hashes, [&random] { return Hash128{.low = random(), .high = random()}; });
    ASSERT_TRUE(seen.add(batch, fresh));
    batch.hashes.resize(1);
    double before = seen.losses().mean;
    EXPECT_GT(before, 0);
    int unmoved = 0;
    for (int i = 0; i < 100; ++i) {
      batch.hashes.front() = {.low = random(), .high = random()};
      ASSERT_TRUE(seen.add(batch, fresh));
      const double after = seen.losses().mean;
      unmoved += (fresh.front() & 1) != 0 && after <= before ? 1 : 0;
      before = after;
    }
    EXPECT_LE(unmoved, 2) << "where a sample corrects the ones before it the mean may fall";
  };
  FilterOptions options;
  options.window = Window::keys(2000);
  expect_growth(line_filter(2000, 0.01));
  expect_growth(std::move(WindowedFilter::for_capacity(0, 0.05, options)).value());
}

// Behind the last line that passed others may have been lost: the fuller the filter, the more.
TEST(LossEstimate, LinesBehindTheLastThatPassedWidenTheInterval) {
  const auto estimate_at = [](double last_fpp) {
    LossEstimate estimate;
    estimate.sample(1000, 0.01);
    estimate.sample(1000, last_fpp);  // nothing passed since
    return estimate;
  };
  const LossEstimate low = estimate_at(0.01);
  const LossEstimate high = estimate_at(0.9);
  EXPECT_GT(low.mean(), 0);
  EXPECT_EQ(low.mean(), high.mean());
  EXPECT_EQ(low.interval().low, high.interval().low);
  // floor(ln 0.0005 / ln f) lines in a row are lost with a probability of 0.0005 at least.
  EXPECT_EQ(high.interval().high - low.interval().high, 72 - 1);
  EXPECT_EQ(low.interval().high, std::ceil(low.interval().high));
  EXPECT_GE(low.interval().high, low.mean());
}

}  // namespace
}  // namespace bloomery
