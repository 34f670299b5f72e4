// Counts the answers of a store file's Bloom filter to gets, and how many were right. Readers count locally
// and add their counts periodically.
#pragma once

#include <atomic>
#include <cstdint>

#include "bloomery/table/read_counters.h"

namespace bloomery::table {

class FilterCounts {
 public:
  void add(const FilterCounters& counted) {
    checks_.fetch_add(counted.checks, std::memory_order_relaxed);
    negatives_.fetch_add(counted.negatives, std::memory_order_relaxed);
    true_positives_.fetch_add(counted.true_positives, std::memory_order_relaxed);
    false_positives_.fetch_add(counted.false_positives, std::memory_order_relaxed);
  }
  FilterCounters get() const {
    return {.checks = checks_.load(std::memory_order_relaxed),
            .negatives = negatives_.load(std::memory_order_relaxed),
            .true_positives = true_positives_.load(std::memory_order_relaxed),
            .false_positives = false_positives_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> checks_{0};
  std::atomic<std::uint64_t> negatives_{0};
  std::atomic<std::uint64_t> true_positives_{0};
  std::atomic<std::uint64_t> false_positives_{0};
};

}  // namespace bloomery::table
