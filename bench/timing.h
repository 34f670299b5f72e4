// What benchmarks of filters share: the clock, random keys, the floor of one random cache line, and ways to
// ask a filter.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/memory.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline volatile std::uint64_t g_sink;  // keeps answers from being optimised away

inline std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Of the time-stamp counter; 0 where there is none.
inline std::uint64_t cycles_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

struct Cost {
  double ns;
  double cycles;
};

inline Cost timed(std::uint64_t keys, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t start_cycles = cycles_now();
  work();
  const std::uint64_t cycles = cycles_now() - start_cycles;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {.ns = seconds * 1e9 / static_cast<double>(keys),
          .cycles = static_cast<double>(cycles) / static_cast<double>(keys)};
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A cache line per key, asked for a batch at a time and then read: what no filter of one cache line a key can
// go below.
inline std::uint64_t read_lines(const AlignedBuffer& lines, std::span<const Hash128> hashes) {
  const std::uint64_t count = lines.bytes().size() / 64;
  const auto line = [&](std::size_t i) {
    return lines.bytes().data() + static_cast<std::uint64_t>((Uint128{hashes[i].low} * count) >> 64) * 64;
  };
  const std::size_t ahead = std::min<std::size_t>(hashes.size(), 64);
  for (std::size_t i = 0; i < ahead; ++i) {
    __builtin_prefetch(line(i));
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      __builtin_prefetch(line(i + ahead));
    }
    sum += std::to_integer<std::uint64_t>(*line(i));
  }
  return sum;
}

template <typename Filter>
void query_in_batches(const Filter& filter, std::span<const Hash128> hashes, std::size_t batch) {
  std::vector<std::uint64_t> answers(answer_words(batch));
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < hashes.size(); at += batch) {
    filter.may_contain_batch(hashes.subspan(at, batch), answers);
    sum += answers[0];
  }
  g_sink = sum;
}

template <typename Filter>
void query_singly(const Filter& filter, std::span<const Hash128> hashes) {
  std::uint64_t sum = 0;
  for (const Hash128& hash : hashes) {
    sum += filter.may_contain(hash) ? 1U : 0U;
  }
  g_sink = sum;
}

}  // namespace bloomery
