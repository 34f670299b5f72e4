// How many new lines a filter has dropped, from the lines that it let pass.
//
// A new key is taken for a repeat with the fpp f of the moment, so each line that passes stands for f / (1 -
// f) that did not. f is given at some moments of the run; between two of them f / (1 - f) is taken as a power
// of the number of keys, which it nearly is. What is lost between two passing lines is geometric, so that the
// sum varies by f / (1 - f)^2 a line: for a small f a Poisson number.
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
  // The filter has `keys` different keys, > 0, and `fpp`, after `passed` lines of this run. In order of
  // `passed`.
  void sample(std::uint64_t passed, double keys, double fpp);

  // Where the samples were of a model and the filter as it is at the end has another fpp: this times as much.
  void scale(double factor) { factor_ = factor; }

  double mean() const { return mean_ * factor_; }
  // Of 99.9 %.
  Interval interval() const;

 private:
  double factor_ = 1;
  double mean_ = 0;
  double variance_ = 0;
  std::uint64_t last_passed_ = 0;
  double last_keys_ = 0;
  double last_fpp_ = 0;
};

}  // namespace bloomery
