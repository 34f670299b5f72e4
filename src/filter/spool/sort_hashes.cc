#include "filter/spool/sort_hashes.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "filter/spool/range_slices.h"

namespace bloomery {
namespace {

constexpr std::size_t kCountedMin = 64;   // fewer hashes are sorted faster by comparing
constexpr std::size_t kInsertedMax = 32;  // a longer slice is too long for insertion sort

// Sorts `source`, which is almost sorted, into `target` by insertion.
void sort_by_insertion(std::span<const std::uint64_t> source, std::span<std::uint64_t> target) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::uint64_t hash = source[i];
    std::size_t place = i;
    for (; place > 0 && target[place - 1] > hash; --place) {
      target[place] = target[place - 1];
    }
    target[place] = hash;
  }
}

}  // namespace

void HashSorter::sort(std::span<std::uint64_t> hashes) {
  if (hashes.size() < kCountedMin || hashes.size() > std::numeric_limits<std::uint32_t>::max()) {
    std::sort(hashes.begin(), hashes.end());
    return;
  }
  const auto [least, greatest] = std::minmax_element(hashes.begin(), hashes.end());
  // Uses one slice for each hash: a slice costs a counter, and more hashes in a slice cost moves.
  const std::size_t slice_count = hashes.size();
  const RangeSlices slices(*least, *greatest, slice_count);
  if (scratch_.size() < hashes.size()) {
    scratch_.resize(hashes.size());
  }
  ends_.assign(slice_count, 0);
  for (const std::uint64_t hash : hashes) {
    ++ends_[slices.index_of(hash)];
  }
  // Each counter becomes the start of its slice. Scattering the hashes turns it into the end.
  std::uint32_t start = 0;
  std::uint32_t longest = 0;
  for (std::uint32_t& end : ends_) {
    longest = std::max(longest, end);
    start += std::exchange(end, start);
  }
  for (const std::uint64_t hash : hashes) {
    scratch_[ends_[slices.index_of(hash)]++] = hash;
  }
  if (longest > kInsertedMax) {
    sort_long_slices();
  }
  sort_by_insertion(std::span(scratch_).first(hashes.size()), hashes);
}

void HashSorter::sort_long_slices() {
  std::uint32_t start = 0;
  for (const std::uint32_t end : ends_) {
    if (end - start > kInsertedMax) {
      std::sort(scratch_.begin() + start, scratch_.begin() + end);
    }
    start = end;
  }
}

}  // namespace bloomery
