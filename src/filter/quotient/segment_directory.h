// The directory of a deletable filter finds the segment of a hash, and lists the segments in the order of
// their hashes.
//
//   directory    2^D entries; the D leading bits of a hash choose one, which has the index of a segment
//   levels       of each segment, by its index (deletable_shape.h)
//
// In a new or loaded filter, indexes are in the order of the hashes. When a segment splits, the first half
// keeps its index, and the second half gets the next new index. Every 64th segment in order is marked, so a
// walk to a segment starts at the last mark before it.
//
// Invariant: the segments cover all hashes without gap or overlap.
//
// Not here: the tables (segment_list.h). Threads: one thread changes a directory and reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/quotient/deletable_shape.h"

namespace bloomery {

class SegmentDirectory {
 public:
  // Makes the directory of segments that have these levels, in the order of their hashes. Errors: kCorruption
  // if the levels or the shape are impossible for a filter.
  static Result<SegmentDirectory> of_levels(const DeletableShape& shape, std::span<const std::byte> levels);

  const DeletableShape& shape() const { return shape_; }
  std::size_t segment_count() const { return levels_.size(); }
  // Returns the bytes of all tables, including those without memory yet.
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::uint64_t memory_bytes() const {
    return levels_.size() * sizeof(levels_[0]) + directory_.size() * sizeof(directory_[0]);
  }

  std::uint32_t index_of(std::uint64_t hash) const { return directory_[hash >> 1 >> (63 - depth_)]; }
  // The next three calls return facts of the segment with this index.
  std::uint32_t level(std::uint32_t index) const { return levels_[index]; }
  QuotientPlan plan(std::uint32_t index) const { return shape_.plan(levels_[index]); }
  std::uint64_t table_bytes(std::uint32_t index) const { return bytes_of_level_[levels_[index]]; }

  // Returns the bytes of all tables after a split of this segment, or nothing if it cannot split.
  std::optional<std::uint64_t> size_after_split(std::uint32_t index) const;
  // Returns how many tables the segment splits into: one that is larger, or two.
  std::size_t parts_of_split(std::uint32_t index) const { return levels_[index] < kJoinedDoublings ? 1 : 2; }
  // Splits the segment of a hash. Its second half, if there is one, gets the next index. Precondition:
  // size_after_split() has a value.
  void split(std::uint64_t hash);

  // A segment that was found by its number in the order of hashes.
  struct InOrder {
    std::uint64_t begin;  // of its bytes
    std::uint64_t entry;  // its first entry in the directory
    std::uint32_t index;
  };
  InOrder in_order(std::size_t segment) const;
  // Returns which segment has the byte at `offset` of all segments, and where it begins.
  struct Place {
    std::size_t segment;
    std::uint64_t begin;
  };
  Place place_of(std::uint64_t offset) const;
  // One byte for each segment.
  std::vector<std::byte> levels_in_order() const;

  // Returns compute(), a function of plan, shape and levels. The result is cached until a segment splits.
  template <typename Compute>
  std::uint32_t mark_of_shape(Compute compute) const {
    if (!mark_) {
      mark_ = compute();
    }
    return *mark_;
  }

 private:
  explicit SegmentDirectory(const DeletableShape& shape);

  std::size_t entries_of_level(std::uint32_t level) const {
    return std::size_t{1} << (depth_ - DeletableShape::depth(level));
  }
  InOrder after(const InOrder& one) const;
  const std::vector<InOrder>& marked_in_order() const;
  void build();
  void double_entries();
  // Enters a segment into all entries whose `depth` leading bits are `prefix`.
  void name(std::uint32_t index, std::uint64_t prefix, std::uint32_t depth);

  DeletableShape shape_;
  std::vector<std::uint8_t> levels_;
  std::vector<std::uint32_t> directory_;
  std::uint32_t depth_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::array<std::uint32_t, kMaxRemainderBits + 1> bytes_of_level_{};
  // Every 64th segment in order, and the cached mark of the shape: computed lazily, dropped when a segment
  // splits.
  mutable std::vector<InOrder> marked_in_order_;
  mutable std::optional<std::uint32_t> mark_;
};

}  // namespace bloomery
