#include "filter/quotient/segment_directory.h"

#include <algorithm>
#include <utility>

#include "filter/quotient/quotient_layout.h"

namespace bloomery {
namespace {

constexpr std::size_t kMarked = 64;

}  // namespace

// ---- making

std::optional<SegmentDirectory::BadLevel> SegmentDirectory::bad_level(const SegmentShape& shape,
                                                                      std::span<const std::byte> levels) {
  using enum BadLevel::Why;
  std::uint64_t covered = 0;  // the share of hashes covered so far, in units of 2^-63
  std::uint64_t share = 0;    // of one segment; computed when the level changes
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i == 0 || levels[i] != levels[i - 1]) {
      const auto level = std::to_integer<std::uint32_t>(levels[i]);
      if (!shape.is_level(level) ||
          std::uint64_t{1} << shape.depth(level) > kMostEntriesPerSegment * levels.size()) {
        return BadLevel{kUnfit, i};
      }
      share = std::uint64_t{1} << (63 - shape.depth(level));
    }
    if ((covered & (share - 1)) != 0 || covered >= std::uint64_t{1} << 63) {
      return BadLevel{kMisplaced, i};
    }
    covered += share;
  }
  return covered == std::uint64_t{1} << 63 ? std::nullopt : std::optional(BadLevel{kGap, levels.size()});
}

SegmentDirectory::SegmentDirectory(const SegmentShape& shape, std::span<const std::byte> levels)
    : shape_(shape), levels_(levels.size()) {
  const std::uint32_t most = shape.remainder_bits - shape.first;
  for (std::uint32_t bits = 1; bits <= std::min(most, kMaxRemainderBits); ++bits) {
    bytes_by_bits_[bits] = static_cast<std::uint32_t>(shape.table_bytes(shape.remainder_bits - bits));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels_[i] = std::to_integer<std::uint8_t>(levels[i]);
    size_bytes_ += bytes_of(levels_[i]);
  }
  build();
}

void SegmentDirectory::build() {
  depth_ = shape_.depth(*std::ranges::max_element(levels_));
  directory_.resize(std::size_t{1} << depth_);
  auto entry = directory_.begin();
  for (std::uint32_t i = 0; i < levels_.size(); ++i) {
    std::size_t left = entries_of_level(levels_[i]);
    do {
      *entry++ = i;
    } while (--left > 0);
  }
}

// ---- splits

std::optional<std::uint64_t> SegmentDirectory::size_after_split(std::uint32_t index) const {
  const std::uint32_t level = levels_[index] + 1U;
  const std::uint32_t depth = shape_.depth(level);
  if (!shape_.is_level(level) ||
      (depth > depth_ && std::uint64_t{1} << depth > kMostEntriesPerSegment * (levels_.size() + 1))) {
    return std::nullopt;
  }
  return size_bytes_ - bytes_of(level - 1) + parts_of_split(index) * bytes_of(level);
}

void SegmentDirectory::split(std::uint64_t hash) {
  const std::uint32_t index = index_of(hash);
  const std::size_t parts = parts_of_split(index);
  size_bytes_ = *size_after_split(index);
  marked_in_order_.clear();
  mark_.reset();
  const std::uint32_t level = ++levels_[index];
  const std::uint32_t depth = shape_.depth(level);
  if (depth > depth_) {
    double_entries();
  }
  if (parts == 2) {
    levels_.push_back(static_cast<std::uint8_t>(level));
    const std::uint64_t prefix = hash >> (64 - depth) | 1;  // of the second part
    name(static_cast<std::uint32_t>(levels_.size() - 1), prefix, depth);
  }
}

void SegmentDirectory::double_entries() {
  std::vector<std::uint32_t> doubled(2 * directory_.size());
  for (std::size_t i = 0; i < directory_.size(); ++i) {
    doubled[2 * i] = directory_[i];
    doubled[2 * i + 1] = directory_[i];
  }
  directory_ = std::move(doubled);
  ++depth_;
}

void SegmentDirectory::name(std::uint32_t index, std::uint64_t prefix, std::uint32_t depth) {
  const std::uint32_t below = depth_ - depth;
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(prefix << below), std::size_t{1} << below,
              index);
}

// ---- in order

SegmentDirectory::InOrder SegmentDirectory::after(const InOrder& one) const {
  const std::uint32_t level = levels_[one.index];
  const std::uint64_t entry = one.entry + entries_of_level(level);
  return {.begin = one.begin + bytes_of(level),
          .entry = entry,
          .index = entry < directory_.size() ? directory_[entry] : 0};
}

// Sums the sizes of all levels in order. With after(), each memory access would depend on the previous one.
const std::vector<SegmentDirectory::InOrder>& SegmentDirectory::marked_in_order() const {
  if (marked_in_order_.empty()) {
    marked_in_order_.reserve(levels_.size() / kMarked + 1);
    InOrder one = {.begin = 0, .entry = 0, .index = 0};
    std::size_t i = 0;
    for (const std::byte level : levels_in_order()) {
      if (i % kMarked == 0) {
        one.index = directory_[one.entry];
        marked_in_order_.push_back(one);
      }
      one.begin += bytes_of(std::to_integer<std::uint32_t>(level));
      one.entry += entries_of_level(std::to_integer<std::uint32_t>(level));
      ++i;
    }
  }
  return marked_in_order_;
}

SegmentDirectory::InOrder SegmentDirectory::in_order(std::size_t segment) const {
  InOrder one = marked_in_order()[segment / kMarked];
  for (std::size_t i = segment % kMarked; i > 0; --i) {
    one = after(one);
  }
  return one;
}

SegmentDirectory::Place SegmentDirectory::place_of(std::uint64_t offset) const {
  const auto& marked = marked_in_order();
  const auto behind = std::ranges::upper_bound(marked, offset, {}, &InOrder::begin);
  auto segment = static_cast<std::size_t>(behind - marked.begin() - 1) * kMarked;
  InOrder one = *(behind - 1);
  for (InOrder next = after(one); next.begin <= offset; next = after(one)) {
    one = next;
    ++segment;
  }
  return {.segment = segment, .begin = one.begin};
}

// Scans all entries if there are at most four for each segment: the next access then does not wait for the
// level of a segment.
std::vector<std::byte> SegmentDirectory::levels_in_order() const {
  constexpr std::size_t kFewEntriesPerSegment = 4;
  std::vector<std::byte> levels(levels_.size());
  std::size_t at = 0;
  if (directory_.size() <= kFewEntriesPerSegment * levels_.size()) {
    std::uint32_t last = directory_[0];
    for (const std::uint32_t index : directory_) {  // without a branch
      at += index != last ? 1 : 0;
      levels[at] = static_cast<std::byte>(levels_[index]);
      last = index;
    }
    return levels;
  }
  for_each_in_order([&](std::uint32_t index) { levels[at++] = static_cast<std::byte>(levels_[index]); });
  return levels;
}

}  // namespace bloomery
