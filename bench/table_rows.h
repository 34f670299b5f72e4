// The rows of table_bench and table_rocksdb, which are the same, so that their figures can stand side by side.
//
//   row i      20 bytes: "r", zeros, i in decimal. Even numbers are in the files, odd ones between them are not
//   value      100 bytes, half of them random
//   file of i  a random one of `files`, so that every file reaches over all rows
//
// A file that is written once is kept in the directory, under a name with its settings.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.h"

namespace bloomery {

inline constexpr std::size_t kRowBytes = 20;
inline constexpr std::size_t kValueBytes = 100;
inline constexpr std::uint32_t kBlockBytes = 4096;

class BenchRow {
 public:
  explicit BenchRow(std::uint64_t number) {
    bytes_.fill('0');
    bytes_[0] = 'r';
    for (std::size_t at = kRowBytes; number != 0; number /= 10) {
      bytes_[--at] = static_cast<char>('0' + number % 10);
    }
  }

  std::string_view text() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, kRowBytes> bytes_;
};

class BenchValues {
 public:
  BenchValues() : bytes_(std::size_t{1} << 20, 'v') {
    for (std::size_t i = 0; i < bytes_.size(); i += 2) {
      bytes_[i] = static_cast<char>(mixed(i));
    }
  }
  std::string_view of(std::uint64_t i) const {
    return std::string_view(bytes_).substr(mixed(i) % (bytes_.size() - kValueBytes), kValueBytes);
  }

 private:
  std::string bytes_;
};

inline std::uint64_t file_of(std::uint64_t row, std::uint64_t files) {
  return mixed(row + 77) % files;
}

// Random rows that are there, or between those that are.
inline std::vector<std::uint64_t> random_rows(std::size_t count, std::uint64_t rows, bool are_present,
                                              std::uint64_t seed) {
  std::vector<std::uint64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = 2 * (mixed(seed + i) % rows) + (are_present ? 0 : 1);
  }
  return numbers;
}

inline double cpu_seconds() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// CPU time per question: the median, and the tenth percentile, of chunks of 500 questions.
struct QuestionCost {
  double median_ns = 0;
  double tenth_ns = 0;
};

template <typename Ask>
QuestionCost cost_of(std::size_t questions, std::size_t batch, const Ask& ask) {
  const std::size_t chunk = std::max<std::size_t>(500 / batch * batch, batch);
  std::vector<double> costs;
  for (std::size_t at = 0; at + chunk <= questions; at += chunk) {
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < chunk; i += batch) {
      ask(at + i, batch);
    }
    costs.push_back((cpu_seconds() - start) * 1e9 / static_cast<double>(chunk));
  }
  std::ranges::sort(costs);
  return {costs[costs.size() / 2], costs[costs.size() / 10]};
}

}  // namespace bloomery
