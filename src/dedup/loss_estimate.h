// Estimates how many new lines a filter has dropped, from the lines that passed.
//
// A line is lost if its key has never passed and is a false positive. Such a key sets no bits, so it is
// dropped each time it comes. It counts once.
//
//   1. A new key is a false positive with the current fpp f. So each line that passes represents f / (1 - f)
//      lines that did not.
//   2. f is known at some moments, the samples. Between two samples it is modelled as a power of the number
//      of different keys, lost ones included, which it nearly is.
//   3. If m is the mean fpp over n keys, (1 - m) n of them pass. So the number of passing lines determines
//      the number of lost ones.
//   4. The losses between two passing lines are geometric. So each passing line adds f / (1 - f)^2 to the
//      variance. For a small f the sum is a Poisson number.
//   5. The interval is widened at both ends by the error of the assumption in step 2.
#pragma once

#include <cstdint>

namespace bloomery {

struct Interval {
  double low = 0;
  double high = 0;
};

// Returns the interval that contains a Poisson variable of this mean with probability `level`. Both tails
// have the same probability.
Interval poisson_interval(double mean, double level);

class LossEstimate {
 public:
  // Above this fpp the estimate would be a guess, because each line that passes represents too many others.
  static constexpr double kMostFpp = 0.9;

  // The filter already has `start_keys` different keys.
  explicit LossEstimate(double start_keys = 0) : keys_(start_keys) {}

  // Records that the filter has `fpp` after `passed` lines of this run. `passed` must not fall from call to
  // call.
  void sample(std::uint64_t passed, double fpp);

  // Multiplies all losses so far. Corrects samples that came from a model when the bits show another fpp.
  void scale(double factor);

  // Returns the different keys at the last sample: those at the start, those that passed and the lost ones.
  double keys() const { return keys_; }
  // Returns the different keys after `passed` lines, if the filter then has `fpp`.
  double keys_at(std::uint64_t passed, double fpp) const;

  // Returns the expected number of lost lines.
  double mean() const { return mean_; }
  // Returns the interval that contains the number with a probability of 99.9 %.
  Interval interval() const;
  // Returns true if the fpp has stayed at or below kMostFpp.
  bool is_known() const { return most_fpp_ <= kMostFpp; }

 private:
  // The losses between the last sample and the next one.
  struct Step {
    double lost = 0;
    double variance = 0;
    double doubt = 0;  // possible error of `lost`, because f is only assumed between the samples
  };
  Step step_to(std::uint64_t passed, double fpp) const;

  double keys_;
  double mean_ = 0;
  double variance_ = 0;
  double doubt_ = 0;
  double last_fpp_ = 0;
  double most_fpp_ = 0;
  std::uint64_t last_passed_ = 0;
};

}  // namespace bloomery
