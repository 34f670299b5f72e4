#include "dedup/loss_estimate.h"

#include <algorithm>
#include <cmath>

namespace bloomery {
namespace {

constexpr double kLevel = 0.999;
// Above this a Poisson number is summed no more: its quantiles follow the normal ones to a part in thousands.
constexpr double kLargeMean = 2000;
// The most that is believed: with an fpp of 1 nothing passes, and nothing is known.
constexpr double kMostFpp = 0.999;

// The number below which a standard normal one lies with this probability, by bisection of erfc.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return high;
}

// The least k with P(X <= k) >= probability.
double poisson_quantile(double mean, double probability) {
  if (mean > kLargeMean) {  // Cornish and Fisher's first term for the skew
    const double z = normal_quantile(probability);
    return std::max(0.0, std::floor(mean + z * std::sqrt(mean) + (z * z - 1) / 6 + 0.5));
  }
  long double term = std::exp(-static_cast<long double>(mean));
  long double sum = term;
  double k = 0;
  while (sum < probability && k < 10 * kLargeMean) {
    ++k;
    term *= mean / k;
    sum += term;
  }
  return k;
}

// The mean over keys of a power that is `first` at `from` keys and `last` at `to`.
double mean_of_power(double first, double last, double from, double to) {
  const double slope = first > 0 && last > 0 && to > from ? std::log(last / first) / std::log(to / from) : 0;
  if (first <= 0 || last <= 0 || std::abs(slope + 1) < 1e-6 || to <= from * (1 + 1e-9)) {
    return (first + last) / 2;
  }
  return (to * last - from * first) / ((slope + 1) * (to - from));
}

double odds(double fpp) {
  return fpp / (1 - fpp);
}

double variance(double fpp) {
  return fpp / ((1 - fpp) * (1 - fpp));
}

}  // namespace

Interval poisson_interval(double mean, double level) {
  const double outside = (1 - level) / 2;
  return {.low = poisson_quantile(mean, outside), .high = poisson_quantile(mean, 1 - outside)};
}

void LossEstimate::sample(std::uint64_t passed, double keys, double fpp) {
  fpp = std::clamp(fpp, 0.0, kMostFpp);
  if (passed > last_passed_) {
    const auto lines = static_cast<double>(passed - last_passed_);
    mean_ += lines * mean_of_power(odds(last_fpp_), odds(fpp), last_keys_, keys);
    variance_ += lines * mean_of_power(variance(last_fpp_), variance(fpp), last_keys_, keys);
  }
  last_passed_ = passed;
  last_keys_ = keys;
  last_fpp_ = fpp;
}

// A number whose variance is `spread` times its mean is taken as `spread` times a Poisson one.
Interval LossEstimate::interval() const {
  if (mean() <= 0) {
    return {};
  }
  const double spread = variance_ / mean_;
  const Interval unit = poisson_interval(mean() / spread, kLevel);
  return {.low = std::floor(unit.low * spread), .high = std::ceil(unit.high * spread)};
}

}  // namespace bloomery
