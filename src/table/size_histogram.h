// A histogram of sizes, for quantiles. It always needs 58 KiB.
//
// A size below 256 has a counter of its own. From there on every power of two has 128 counters, so that a
// quantile is at most 1/128 too large. Minimum, maximum, sum and standard deviation are exact up to the
// rounding of doubles.
//
//   counter of v < 256       v
//   counter of v >= 256      256 + 128 (e - 1) + floor(v / 2^e) - 128,   with 2^(e + 7) <= v < 2^(e + 8)
//
// Source of the layout: G. Tene, HdrHistogram. Threads: one at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bloomery::table {

class SizeHistogram {
 public:
  void add(std::uint64_t size) {
    ++counts_[counter_of(size)];
    ++count_;
    least_ = std::min(least_, size);
    most_ = std::max(most_, size);
    // Welford's recurrence: sums squared differences from the mean without cancellation.
    const double before = static_cast<double>(size) - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (static_cast<double>(size) - mean_);
  }

  std::uint64_t count() const { return count_; }
  // All are 0 while nothing is counted.
  std::uint64_t least() const { return count_ == 0 ? 0 : least_; }
  std::uint64_t most() const { return most_; }
  double mean() const { return mean_; }
  // Returns the sample standard deviation: it divides by count() - 1.
  double deviation() const { return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1)); }
  // Returns a size that is not above most(), such that at least `share` of all sizes are not above it. It is
  // at most 1/128 larger than the smallest such size.
  std::uint64_t quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen != 0) {
        return std::min(largest_of(i), most_);
      }
    }
    return most_;
  }

 private:
  static constexpr unsigned kStepBits = 7;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr std::size_t kExact = 2 * kSteps;

  static std::size_t counter_of(std::uint64_t size) {
    if (size < kExact) {
      return static_cast<std::size_t>(size);
    }
    const auto e = static_cast<unsigned>(std::bit_width(size)) - kStepBits - 1;
    return kExact + kSteps * (e - 1) + static_cast<std::size_t>(size >> e) - kSteps;
  }
  static std::uint64_t largest_of(std::size_t counter) {
    if (counter < kExact) {
      return counter;
    }
    const std::size_t e = (counter - kExact) / kSteps + 1;
    const std::uint64_t step = (counter - kExact) % kSteps + kSteps;
    return (step << e) + ((std::uint64_t{1} << e) - 1);
  }

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kExact + kSteps * (64 - kStepBits - 1));
  std::uint64_t count_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace bloomery::table
