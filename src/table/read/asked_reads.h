// Counts what the gets of a store ask of one file: how many reads there were or would have been, and why a
// filter could have saved them. A store chooses the filters of new files by it (store/read_demand.h).
//
// A file that a get did not reach, since a newer one had the answer, is not counted. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bloomery::table {

// The gets of whole rows, or those of named columns.
struct AskedReads {
  std::uint64_t row_noes = 0;        // reads that the filter of rows saved
  std::uint64_t column_noes = 0;     // reads that the filter of columns saved
  std::uint64_t reads = 0;           // reads that took place
  std::uint64_t without_row = 0;     // of these, those that met no cell of the row
  std::uint64_t without_column = 0;  // of these, those that met the row and none of the columns
};

// The kinds of gets as indexes.
inline constexpr std::size_t kRowGets = 0;
inline constexpr std::size_t kColumnGets = 1;

class AskedReadCounts {
 public:
  void add(std::size_t kind, const AskedReads& more) {
    const std::array<std::uint64_t, kFields> values = {more.row_noes, more.column_noes, more.reads,
                                                       more.without_row, more.without_column};
    for (std::size_t i = 0; i < kFields; ++i) {
      if (values[i] != 0) {
        counts_[kind][i].fetch_add(values[i], std::memory_order_relaxed);
      }
    }
  }
  // Returns the counts, and begins anew.
  AskedReads take(std::size_t kind) {
    const auto taken = [&](std::size_t i) { return counts_[kind][i].exchange(0, std::memory_order_relaxed); };
    return {taken(0), taken(1), taken(2), taken(3), taken(4)};
  }

 private:
  static constexpr std::size_t kFields = 5;
  std::array<std::array<std::atomic<std::uint64_t>, kFields>, 2> counts_ = {};
};

// The gets that asked a store, by kind.
using GetCounts = std::array<std::atomic<std::uint64_t>, 2>;

}  // namespace bloomery::table
