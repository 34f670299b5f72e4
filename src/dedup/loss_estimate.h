// How many new lines a filter has dropped, from the lines that it let pass.
//
// A line is lost when its key has never been let through and is taken for a repeat. Such a key sets no bits,
// so it is dropped each time it comes; it counts once.
//
// A new key is taken for a repeat with the fpp f of the moment, so each line that passes stands for f / (1 -
// f) that did not. f is given at some moments of the run; between two of them it is taken as a power of the
// number of different keys, lost ones too, which it nearly is. How many were lost follows from how many
// passed: n keys with a mean fpp of m let (1 - m) n pass. What is lost between two passing lines is
// geometric, so that the sum varies by f / (1 - f)^2 a line: for a small f a Poisson number.
//
// What the power does not follow is added to the interval at both ends.
#pragma once

#include <cstdint>

namespace bloomery {

struct Interval {
  double low = 0;
  double high = 0;
};

// The interval that a Poisson number of this mean lies in with probability `level`; as much beyond either
// end.
Interval poisson_interval(double mean, double level);

class LossEstimate {
 public:
  // Above this fpp a line that passes stands for so many that the estimate would be a guess.
  static constexpr double kMostFpp = 0.9;

  // The filter has so many different keys already.
  explicit LossEstimate(double start_keys = 0) : keys_(start_keys) {}

  // The filter has `fpp` after `passed` lines of this run. In order of `passed`.
  void sample(std::uint64_t passed, double fpp);

  // Where the samples so far were of a model, and the filter has another fpp: this times as much is lost.
  void scale(double factor);

  // Those at the start, those that passed and those that were lost, at the last sample.
  double keys() const { return keys_; }
  // Those at `passed`, had the filter `fpp` then.
  double keys_at(std::uint64_t passed, double fpp) const;

  double mean() const { return mean_; }
  // Of 99.9 %.
  Interval interval() const;
  // Whether there was no fpp above the most.
  bool is_known() const { return most_fpp_ <= kMostFpp; }

 private:
  // Between the last sample and the next one.
  struct Step {
    double lost = 0;
    double variance = 0;
    double doubt = 0;  // of `lost`, from how f runs between the samples
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
