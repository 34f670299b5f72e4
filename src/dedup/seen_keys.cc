#include "dedup/seen_keys.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "filter/kernel/bit_count.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

// From one sample of the model to the next the keys grow by an eighth.
constexpr double kStep = 1.125;
// Up to this size all bits are read at every sample, up to the other one once.
constexpr std::uint64_t kSmallBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 30;
// Keys of a word of answers.
constexpr std::uint64_t kWordKeys = 64;
// Below 1/64 of a key a window no window has as many as it takes to match anything.
constexpr std::uint64_t kEmptyWindows = 64;
// Bits are read again when this many times the last reading has passed.
constexpr int kPauses = 100;

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
      line_filter_(std::get_if<BlockedBloomFilter>(&filter.variant())),
      window_filter_(std::get_if<WindowedFilter>(&filter.variant())),
      start_keys_(filter.native().inserted() == 0 ? 0 : filter.estimated_count()) {
  if (line_filter_ != nullptr) {
    sample_line_filter();
    next_sample_ = std::max(next_sample_, line_filter_->shape().windows() / kEmptyWindows);
  } else {
    sample_window();
  }
}

Status SeenFilter::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  if (window_filter_ != nullptr) {
    window_filter_->test_and_insert_batch(batch.hashes, fresh);
    passed_ += count_set_bits(fresh.first(answer_words(batch.hashes.size())));
    if (Clock::now() >= next_look_) {
      sample_window();
    }
    return {};
  }
  std::span<const Hash128> left = batch.hashes;
  while (!left.empty()) {
    const std::span<const Hash128> piece =
        left.first(std::min<std::uint64_t>(left.size(), until_next_sample()));
    line_filter_->test_and_insert_batch(piece, fresh, Sharing::kExclusive);
    passed_ += count_set_bits(fresh.first(answer_words(piece.size())));
    if (passed_ >= next_sample_) {
      sample_line_filter();
    }
    left = left.subspan(piece.size());
    fresh = fresh.subspan(piece.size() / kWordKeys);
  }
  return {};
}

// In whole words of answers.
std::uint64_t SeenFilter::until_next_sample() const {
  return (std::max(next_sample_, passed_ + 1) - passed_ + kWordKeys - 1) / kWordKeys * kWordKeys;
}

double SeenFilter::keys() const {
  return start_keys_ + static_cast<double>(passed_) + estimate_.mean();
}

void SeenFilter::sample_line_filter() {
  const double found = keys();
  fpp_ = line_filter_->byte_size() <= kSmallBytes
             ? line_filter_->fpp_of_bits()
             : predicted_fpp(line_filter_->shape(), static_cast<std::uint64_t>(std::llround(found)));
  estimate_.sample(passed_, std::max(found, 1.0), fpp_);
  next_sample_ = passed_ + static_cast<std::uint64_t>(found * (kStep - 1)) + kWordKeys;
}

void SeenFilter::sample_window() {
  const Clock::time_point start = Clock::now();
  fpp_ = filter_.current_fpp();
  estimate_.sample(passed_, std::max(static_cast<double>(passed_), 1.0), fpp_);
  const Clock::time_point end = Clock::now();
  next_look_ = end + kPauses * (end - start);
}

Losses SeenFilter::losses() {
  if (window_filter_ != nullptr) {
    sample_window();
    return {.mean = estimate_.mean(), .interval = estimate_.interval()};
  }
  sample_line_filter();
  if (line_filter_->byte_size() > kSmallBytes && line_filter_->byte_size() <= kReadBytes && fpp_ > 0) {
    estimate_.scale(line_filter_->fpp_of_bits() / fpp_);
  }
  const Losses losses{.mean = estimate_.mean(), .interval = estimate_.interval()};
  estimate_.scale(1);
  return losses;
}

}  // namespace bloomery
