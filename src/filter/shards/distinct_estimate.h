// Estimates how many distinct hashes a stream has, from the smallest 4,096 of them. The count is exact below
// 4,096. Above, one standard deviation is 1.6 per cent (1 / sqrt(4,096)). It depends on the set alone, not on
// order or repeats.
//
// If n hashes are spread evenly over [0, 2^64), the k-th smallest is near k / n of this range. The unbiased
// estimate of n is (k - 1) 2^64 / kth. Source: Bar-Yossef et al., "Counting Distinct Elements in a Data
// Stream" (2002).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "filter/spool/sort_hashes.h"

namespace bloomery {

class DistinctEstimate {
 public:
  void add(std::span<const Hash128> hashes, std::uint64_t mask) {
    for (const Hash128& hash : hashes) {
      if ((hash.low & mask) <= largest_) {
        smallest_.push_back(hash.low & mask);
        if (smallest_.size() >= 4 * kKept) {
          shrink();
        }
      }
    }
  }

  std::uint64_t count() {
    shrink();
    if (smallest_.size() < kKept) {
      return smallest_.size();
    }
    constexpr double kHashes = 18446744073709551616.0;  // 2^64
    const double estimate = (kKept - 1) * (kHashes / std::max(static_cast<double>(smallest_.back()), 1.0));
    return static_cast<std::uint64_t>(std::min(estimate, kHashes / 4));
  }

 private:
  static constexpr std::size_t kKept = 4096;

  // Keeps the smallest kKept of the distinct hashes, ascending, or all if there are fewer.
  void shrink() {
    // Most hashes will be dropped and need no sorting.
    if (sort_front(move_likely_to_front()) < kKept) {
      sort_front(smallest_.size());
    }
    if (smallest_.size() >= kKept) {
      smallest_.resize(kKept);
      largest_ = smallest_.back();
    }
  }

  // Moves the smallest hashes to the front and returns their number, about 9/8 kKept if hashes are spread
  // evenly.
  std::size_t move_likely_to_front() {
    constexpr std::size_t kLikely = kKept + kKept / 8;
    const std::uint64_t limit = largest_ / std::max(smallest_.size(), kLikely) * kLikely;
    std::size_t likely = 0;
    for (std::uint64_t& hash : smallest_) {
      const bool is_likely = hash <= limit;
      std::swap(hash, smallest_[likely]);
      likely += is_likely ? 1 : 0;
    }
    return likely;
  }

  // Sorts the first `count` hashes and drops repeats among them. Returns how many of them are left.
  std::size_t sort_front(std::size_t count) {
    const std::span<std::uint64_t> front = std::span(smallest_).first(count);
    sorter_.sort(front);
    const auto left = static_cast<std::size_t>(std::unique(front.begin(), front.end()) - front.begin());
    smallest_.erase(smallest_.begin() + static_cast<std::ptrdiff_t>(left),
                    smallest_.begin() + static_cast<std::ptrdiff_t>(count));
    return left;
  }

  std::vector<std::uint64_t> smallest_;
  std::uint64_t largest_ = ~std::uint64_t{0};
  HashSorter sorter_;
};

}  // namespace bloomery
