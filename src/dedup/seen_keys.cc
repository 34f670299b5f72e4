#include "dedup/seen_keys.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/bit_count.h"

namespace bloomery {
namespace {

// From this fpp on, the fpp is read from the bits regularly.
constexpr double kReadFpp = 0.01;
// The growth of the keys from one sample to the next: kStep below kReadFpp, kReadStep from there on.
constexpr double kStep = 1.0 / 8;
constexpr double kReadStep = 1.0 / 64;
// A filter of up to kSmallBytes has its bits read at every sample, one above kReadBytes never.
constexpr std::uint64_t kSmallBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 30;
// The number of keys whose answers fill one word.
constexpr std::uint64_t kWordKeys = 64;
// With less than 1/64 of a key per window, no window has enough keys to match an absent key, so the first
// sample waits until then.
constexpr std::uint64_t kEmptyWindows = 64;
// After a reading of B bytes of bits, at least B / kBytesReadPerKey keys come before the next one. A key
// costs some 30 ns with its line, so the share of readings in the time is:
//
//   fpp_of_bits()             0.7 ns per byte, a tenth
//   fill ratio of a window    0.1 ns per byte, a hundredth
constexpr std::uint64_t kBytesReadPerKey = 4;

}  // namespace

Status SeenHashes::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  return set_.test_and_insert_batch(batch.hashes, fresh);
}

Losses SeenHashes::losses() {
  const auto keys = static_cast<double>(set_.size());
  const double mean = std::ldexp(keys * keys, -65);
  return {.mean = mean, .interval = poisson_interval(mean, 0.999)};
}

Status SeenLines::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  return table_.test_and_insert_batch(batch.keys, batch.hashes, batch.lines.lines, fresh);
}

SeenFilter::SeenFilter(AnyFilter& filter)
    : filter_(filter),
      blocked_filter_(std::get_if<BlockedBloomFilter>(&filter.variant())),
      window_filter_(std::get_if<WindowedFilter>(&filter.variant())),
      estimate_(blocked_filter_ == nullptr || filter.native().inserted() == 0 ? 0
                                                                              : filter.estimated_count()) {
  if (blocked_filter_ != nullptr) {
    reads_all_along_ = blocked_filter_->byte_size() <= kSmallBytes;
    sample_blocked_filter();
    next_sample_ = std::max(next_sample_, blocked_filter_->shape().windows() / kEmptyWindows);
  } else {
    sample_window();
  }
}

void SeenFilter::add_to_window(std::span<const Hash128> hashes, std::span<std::uint64_t> fresh) {
  window_filter_->test_and_insert_batch(hashes, fresh);
  passed_ += count_set_bits(fresh.first(answer_words(hashes.size())));
  asked_ += hashes.size();
  if (asked_ >= next_reading_) {
    sample_window();
  }
  look_for_overfull();
}

Status SeenFilter::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  if (window_filter_ != nullptr) {
    add_to_window(batch.hashes, fresh);
    return {};
  }
  std::span<const Hash128> left = batch.hashes;
  while (!left.empty()) {
    const std::span<const Hash128> piece =
        left.first(std::min<std::uint64_t>(left.size(), until_next_sample()));
    blocked_filter_->test_and_insert_batch(piece, fresh, Sharing::kExclusive);
    passed_ += count_set_bits(fresh.first(answer_words(piece.size())));
    asked_ += piece.size();
    if (passed_ >= next_sample_) {
      sample_blocked_filter();
    }
    left = left.subspan(piece.size());
    fresh = fresh.subspan(piece.size() / kWordKeys);
  }
  return {};
}

// Returns the keys until the next sample, rounded up to full words of answers.
std::uint64_t SeenFilter::until_next_sample() const {
  return (std::max(next_sample_, passed_ + 1) - passed_ + kWordKeys - 1) / kWordKeys * kWordKeys;
}

// Returns the model's fpp, scaled by bits_over_model_. The number of keys depends on that fpp, so this is a
// fixed point.
double SeenFilter::model_fpp() const {
  constexpr int kSampleRounds = 2;  // enough, because a step is short
  double fpp = fpp_;
  for (int round = 0; round < kSampleRounds; ++round) {
    fpp = std::min(1.0, bits_over_model_ * predicted_at(estimate_.keys_at(passed_, fpp)));
  }
  return fpp;
}

double SeenFilter::predicted_at(double keys) const {
  return predicted_fpp(blocked_filter_->shape(), static_cast<std::uint64_t>(std::llround(keys)));
}

void SeenFilter::sample_blocked_filter() {
  if (reads_all_along_ && asked_ >= next_reading_) {
    sample_bits(estimate_);
  } else {
    sample_model(estimate_);
    if (fpp_ >= kReadFpp && !reads_all_along_ && blocked_filter_->byte_size() <= kReadBytes) {
      correct_by_bits(estimate_);
      reads_all_along_ = true;
    }
  }
  next_sample_ = passed_ + step();
}

void SeenFilter::sample_model(LossEstimate& estimate) {
  fpp_ = model_fpp();
  estimate.sample(passed_, fpp_);
}

void SeenFilter::sample_bits(LossEstimate& estimate) {
  fpp_ = blocked_filter_->fpp_of_bits();
  estimate.sample(passed_, fpp_);
  if (blocked_filter_->byte_size() > kSmallBytes) {
    next_reading_ = asked_ + blocked_filter_->byte_size() / kBytesReadPerKey;
    const double predicted = predicted_at(estimate.keys());
    bits_over_model_ = predicted > 0 ? fpp_ / predicted : 1;
  }
}

// Replaces the model's samples by those of the bits. Precondition: all samples so far, and one now, came from
// the model.
void SeenFilter::correct_by_bits(LossEstimate& estimate) {
  const double model = fpp_;
  sample_bits(estimate);
  if (model > 0) {
    estimate.scale(fpp_ / model);
  }
}

// Returns how many lines pass until the next sample.
std::uint64_t SeenFilter::step() const {
  const double growth = fpp_ < kReadFpp ? kStep : kReadStep;
  return static_cast<std::uint64_t>(estimate_.keys() * growth * std::max(0.0, 1 - fpp_)) + kWordKeys;
}

void SeenFilter::sample_window() {
  fpp_ = filter_.current_fpp();
  estimate_.sample(passed_, fpp_);
  next_reading_ = asked_ + window_filter_->byte_size() / kBytesReadPerKey;
}

// The check is costly only if a generation has more keys, repeats included, than its capacity.
void SeenFilter::look_for_overfull() {
  if (was_overfull_ || asked_ < next_overfull_look_) {
    return;
  }
  (void)has_overfull_generation();
  const std::uint64_t generation_bytes =
      window_filter_->byte_size() / (window_filter_->window().generations + 1);
  next_overfull_look_ = asked_ + generation_bytes / kBytesReadPerKey;
}

bool SeenFilter::has_overfull_generation() {
  was_overfull_ = was_overfull_ || (window_filter_ != nullptr && window_filter_->over_capacity());
  return was_overfull_;
}

Losses SeenFilter::losses() {
  LossEstimate whole = estimate_;
  if (window_filter_ != nullptr) {
    fpp_ = filter_.current_fpp();
    whole.sample(passed_, fpp_);
  } else if (reads_all_along_) {
    sample_bits(whole);
  } else {
    sample_model(whole);
    if (blocked_filter_->byte_size() <= kReadBytes) {
      correct_by_bits(whole);
    }
  }
  return {.mean = whole.mean(), .interval = whole.interval(), .is_known = whole.is_known()};
}

SeenGrowing::SeenGrowing(ScalableFilter& filter)
    : filter_(filter), estimate_(filter.inserted() == 0 ? 0 : filter.estimated_count()) {
  sample();
}

Status SeenGrowing::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  const std::uint64_t refused = filter_.test_and_insert_batch(batch.hashes, fresh, Sharing::kExclusive);
  passed_ += count_set_bits(fresh.first(answer_words(batch.hashes.size())));
  if (passed_ >= next_sample_) {
    sample();
  }
  return refused == 0
             ? Status()
             : Status(Error::capacity("filter", "expected memory for its next layer, found too little"));
}

void SeenGrowing::sample() {
  fpp_ = filter_.current_fpp();
  estimate_.sample(passed_, fpp_);
  next_sample_ = passed_ + static_cast<std::uint64_t>(estimate_.keys() * kStep) + kWordKeys;
}

Losses SeenGrowing::losses() {
  sample();
  return {.mean = estimate_.mean(), .interval = estimate_.interval(), .is_known = estimate_.is_known()};
}

}  // namespace bloomery
