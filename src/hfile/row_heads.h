// Finds a row among the ascending rows of a block by fixed-size heads of the rows, without reading the rows.
//
//   storage   the common prefix of all rows | zeros up to a multiple of a head
//             sample 0 | sample 1 | ...     heads 0, 16, 32, ...: one of each run
//             head 0 | head 1 | ...         runs of 16 heads: one or two cache lines each
//
// The head of a row is the bytes after the common prefix, as a big-endian number, padded with zeros. Heads
// therefore ascend with the rows. A smaller head means a smaller row. Equal heads decide nothing, and the
// rows themselves must be compared.
//
// A search is a binary search of the samples and a linear count in one run. In a block of 458 cells this
// costs two or three cache misses, where a binary search of the rows would cost nine.
//
// The caller has checked that the rows ascend.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "base/endian.h"

namespace bloomery::hfile {

// The rows from `begin` up to `end`, which remain to be compared after a search.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

template <std::unsigned_integral Head>
class RowHeads {
 public:
  static constexpr std::size_t kRun = 16;

  // The bytes of storage for `count` rows with a common prefix of `shared_bytes` bytes.
  static constexpr std::size_t bytes_for(std::size_t count, std::size_t shared_bytes) {
    return (heads_for(shared_bytes) + (count + kRun - 1) / kRun + count) * sizeof(Head);
  }

  RowHeads() = default;
  // `row_at(i)` returns the i-th of `count` rows; `shared` is their common prefix. The storage is `room`, of
  // bytes_for() bytes, which must outlive the object. It is allocated if `room` is null. Precondition: the
  // rows ascend.
  template <typename RowAt>
  RowHeads(std::size_t count, std::string_view shared, const RowAt& row_at, Head* room = nullptr)
      : owned_(room != nullptr ? nullptr
                               : std::make_unique<Head[]>(bytes_for(count, shared.size()) / sizeof(Head))),
        storage_(room != nullptr ? room : owned_.get()),
        shared_bytes_(shared.size()),
        sample_count_((count + kRun - 1) / kRun),
        count_(count) {
    std::ranges::fill_n(storage_, static_cast<std::ptrdiff_t>(heads_for(shared.size())), Head{0});
    std::copy(shared.begin(), shared.end(), reinterpret_cast<char*>(storage_));
    Head* sample = storage_ + heads_for(shared.size());
    Head* const heads = sample + sample_count_;
    for (std::size_t i = 0; i < count; ++i) {
      heads[i] = head_of(row_at(i));
      if (i % kRun == 0) {
        *sample++ = heads[i];
      }
    }
  }

  std::size_t size() const { return count_; }

  // Returns the range outside which no row can be equal to `row`. Rows before the range are smaller, rows
  // after it larger. `on_run(i)` is called before the run that begins at i is read, so that it can prefetch.
  template <typename OnRun>
  RowRange find(std::string_view row, const OnRun& on_run) const {
    const int side = row.compare(0, shared_bytes_, shared());
    if (side != 0 || count_ == 0) {
      const std::size_t all = side > 0 ? count_ : 0;
      return {all, all};
    }
    const Head head = head_of(row);
    const Head* const heads = this->heads();
    const std::size_t begin = first_not_below(head, on_run);
    std::size_t end = begin;
    while (end < count_ && heads[end] == head) {
      if (++end - begin == kRun) {  // usually a row with many cells
        const bool is_largest = head == std::numeric_limits<Head>::max();
        end = is_largest ? count_ : first_not_below(static_cast<Head>(head + 1), on_run);
        break;
      }
    }
    return {begin, end};
  }
  RowRange find(std::string_view row) const {
    return find(row, [](std::size_t) {});
  }

 private:
  static constexpr std::size_t heads_for(std::size_t bytes) {
    return (bytes + sizeof(Head) - 1) / sizeof(Head);
  }

  std::string_view shared() const { return {reinterpret_cast<const char*>(storage_), shared_bytes_}; }
  const Head* samples() const { return storage_ + heads_for(shared_bytes_); }
  const Head* heads() const { return samples() + sample_count_; }

  // Precondition: the row begins with shared().
  Head head_of(std::string_view row) const {
    const std::string_view rest = row.substr(shared_bytes_);
    std::byte bytes[sizeof(Head)] = {};
    if (rest.size() >= sizeof(Head)) {
      std::memcpy(bytes, rest.data(), sizeof(Head));
    } else if (!rest.empty()) {
      std::memcpy(bytes, rest.data(), rest.size());
    }
    return load_big<Head>(bytes);
  }

  // Returns the first position whose head is `head` or larger.
  template <typename OnRun>
  std::size_t first_not_below(Head head, const OnRun& on_run) const {
    const Head* sample = samples();
    for (std::size_t size = sample_count_; size > 1;) {
      const std::size_t half = size / 2;
      sample += sample[half] < head ? half : 0;
      size -= half;
    }
    const std::size_t begin = static_cast<std::size_t>(sample - samples()) * kRun;
    on_run(begin);
    const std::size_t end = std::min(begin + kRun, count_);
    const Head* const heads = this->heads();
    std::size_t at = begin;
    for (std::size_t i = begin; i < end; ++i) {
      at += static_cast<std::size_t>(heads[i] < head);
    }
    return at;
  }

  std::unique_ptr<Head[]> owned_;  // null if the storage is external
  Head* storage_ = nullptr;
  std::size_t shared_bytes_ = 0;
  std::size_t sample_count_ = 0;
  std::size_t count_ = 0;
};

// Returns the common prefix of two rows, and so of all rows between them.
inline std::string_view common_front(std::string_view first, std::string_view last) {
  const auto differing = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  return first.substr(0, static_cast<std::size_t>(differing - first.begin()));
}

}  // namespace bloomery::hfile
