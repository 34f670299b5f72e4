#include "dedup/loss_estimate.h"

#include <algorithm>
#include <cmath>

namespace bloomery {
namespace {

constexpr double kLevel = 0.999;
// Above this mean, quantiles come from the normal distribution. They agree to within about a thousandth.
constexpr double kLargeMean = 2000;
// The largest fpp used in computations. With an fpp of 1 no line would pass.
constexpr double kNearlyAll = 0.999;
// Let x be the logarithm of the number of keys. The second derivative by x of log f, where f is the fpp, is
// at most 4 in magnitude (for k from 8 to 16). So the mean of a power over a step is off by at most a third
// of the step's square in x.
constexpr double kBend = 1.0 / 3;
constexpr int kRounds = 30;

// Returns the quantile of the standard normal distribution. Bisects erfc.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return high;
}

// Returns the least k with P(X <= k) >= probability, for a Poisson variable X.
double poisson_quantile(double mean, double probability) {
  if (mean > kLargeMean) {  // normal quantile, with the first term of Cornish and Fisher for the skew
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

// Returns the mean over [from, to] of the power function c x^s that has the values `first` and `last` at the
// ends.
double mean_of_power(double first, double last, double from, double to) {
  const double slope = first > 0 && last > 0 && to > from ? std::log(last / first) / std::log(to / from) : 0;
  if (first <= 0 || last <= 0 || std::abs(slope + 1) < 1e-6 || to <= from * (1 + 1e-9)) {
    return (first + last) / 2;
  }
  return (to * last - from * first) / ((slope + 1) * (to - from));
}

}  // namespace

Interval poisson_interval(double mean, double level) {
  const double outside = (1 - level) / 2;
  return {.low = poisson_quantile(mean, outside), .high = poisson_quantile(mean, 1 - outside)};
}

LossEstimate::Step LossEstimate::step_to(std::uint64_t passed, double fpp) const {
  const auto lines = static_cast<double>(passed - last_passed_);
  const double first = std::min(last_fpp_, kNearlyAll);
  const double from = std::max(keys_, 1.0);
  const double last = std::min(fpp, kNearlyAll);
  double mean_fpp = (first + last) / 2;
  // A fixed point: more losses make the step longer, and a longer step means other losses. It converges fast.
  for (int round = 0; round < kRounds; ++round) {
    const double before = mean_fpp;
    mean_fpp = mean_of_power(first, last, from, from + lines / (1 - before));
    if (std::abs(mean_fpp - before) <= 1e-12 * before) {
      break;
    }
  }
  const double lost = lines * mean_fpp / (1 - mean_fpp);
  const double width = std::min(1.0, std::log1p((lines + lost) / from));
  // An fpp of 0 at the start means that there are hardly any keys, so the error of the power function is
  // negligible.
  const double doubt = first > 0 ? kBend * width * width / (1 - mean_fpp) * lost : 0;
  return {.lost = lost, .variance = lost / (1 - mean_fpp), .doubt = doubt};
}

void LossEstimate::sample(std::uint64_t passed, double fpp) {
  if (passed > last_passed_) {
    const Step step = step_to(passed, fpp);
    keys_ += static_cast<double>(passed - last_passed_) + step.lost;
    mean_ += step.lost;
    variance_ += step.variance;
    doubt_ += step.doubt;
  }
  last_passed_ = passed;
  last_fpp_ = fpp;
  most_fpp_ = std::max(most_fpp_, fpp);
}

double LossEstimate::keys_at(std::uint64_t passed, double fpp) const {
  return keys_ + static_cast<double>(passed - last_passed_) + step_to(passed, fpp).lost;
}

void LossEstimate::scale(double factor) {
  keys_ += (factor - 1) * mean_;
  mean_ *= factor;
  variance_ *= factor;
  doubt_ *= factor;
}

// The losses are modelled as `spread` times a Poisson variable with the mean mean_ / spread. Their mean is
// then mean_ and their variance is variance_. `since` bounds the losses after the last line that passed: more
// than `since` new lines in a row are dropped with a probability below (1 - kLevel) / 2.
Interval LossEstimate::interval() const {
  const double fpp = std::min(last_fpp_, kNearlyAll);
  const double since = fpp > 0 ? std::floor(std::log((1 - kLevel) / 2) / std::log(fpp)) : 0;
  if (mean_ <= 0) {
    return {.low = 0, .high = since};
  }
  const double spread = variance_ / mean_;
  const Interval unit = poisson_interval(mean_ / spread, kLevel);
  return {.low = std::max(0.0, std::floor(unit.low * spread - doubt_)),
          .high = std::ceil(unit.high * spread + doubt_) + since};
}

}  // namespace bloomery
