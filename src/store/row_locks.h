// Locks of rows: a write shares its row's lock, and a read that a write depends on has it alone.
//
// Rows share a fixed number of locks, by their hash. A write of many rows takes each lock once, in the order
// of the locks, so that two writes never wait for each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/hfile/cell.h"

namespace bloomery::store {

class RowLocks {
 public:
  // Holds the locks of the cells' rows, with `Lock`.
  template <typename Lock>
  class Held {
   public:
    Held(RowLocks& locks, std::span<const Cell> cells) {
      if (cells.size() == 1) {
        first_ = Lock(locks.locks_[number_of(cells.front().key.row)]);
        return;
      }
      std::vector<std::size_t> numbers;
      for (const Cell& cell : cells) {
        numbers.push_back(number_of(cell.key.row));
      }
      std::ranges::sort(numbers);
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
      for (const std::size_t number : numbers) {
        others_.emplace_back(locks.locks_[number]);
      }
    }

   private:
    Lock first_;
    std::vector<Lock> others_;
  };
  using Shared = Held<std::shared_lock<std::shared_mutex>>;
  using Alone = Held<std::unique_lock<std::shared_mutex>>;

 private:
  static constexpr std::size_t kLocks = 1024;

  static std::size_t number_of(std::string_view row) { return std::hash<std::string_view>()(row) % kLocks; }

  std::array<std::shared_mutex, kLocks> locks_;
};

}  // namespace bloomery::store
