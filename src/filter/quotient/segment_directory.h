// The directory of a quotient filter finds the segment of a hash, and lists the segments in the order of
// their hashes.
//
//    directory                  2^D entries; the D leading bits of a hash choose one (extendible hashing)
//    +----+----+----+----+
//    | 00 | 01 | 10 | 11 |      D = 2
//    +-+--+-+--+-+--+-+--+
//      |    |     \  /
//      v    v      vv
//    +----+----+ +----+
//    | 00 | 01 | | 1  |         segment: an index, and a level (segment_shape.h); here of depths 2, 2 and 1
//    +----+----+ +----+
//
// A segment has the hashes whose leading bits, as many as its depth, are its prefix. Its table has each of
// them shifted left by as much.
//
// In a new or loaded filter, indexes are in the order of the hashes. When a segment splits, the first half
// keeps its index, and the second half gets the next new index. Every 64th segment in order is marked, so a
// walk to a segment starts at the last mark before it.
//
// Invariant: the segments cover all hashes without gap or overlap.
//
// Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible Hashing" (1979). Not here: the tables, which
// quotient_segments.h and paged_segments.h keep by the indexes. Threads: one thread changes a directory and reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filter/quotient/segment_shape.h"

namespace bloomery {

class SegmentDirectory {
 public:
  // A level that no segment may have at its place.
  struct BadLevel {
    enum class Why : std::uint8_t {
      kUnfit,      // it does not fit the shape, or the number of segments
      kMisplaced,  // the segment does not begin where the one before it ends
      kGap         // no segment follows, and there are hashes left
    };
    Why why;
    std::size_t segment;
  };
  // Returns the first level that is impossible for segments in the order of their hashes, or nothing.
  static std::optional<BadLevel> bad_level(const SegmentShape& shape, std::span<const std::byte> levels);
  // Makes the directory of segments that have these levels, in the order of their hashes. Their indexes are
  // in this order. Precondition: bad_level() returns nothing.
  SegmentDirectory(const SegmentShape& shape, std::span<const std::byte> levels);

  const SegmentShape& shape() const { return shape_; }
  std::size_t segment_count() const { return levels_.size(); }
  // Returns the bytes of all tables, including those without memory yet.
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::uint64_t memory_bytes() const {
    return levels_.size() * sizeof(levels_[0]) + directory_.size() * sizeof(directory_[0]);
  }

  std::uint32_t index_of(std::uint64_t hash) const { return directory_[hash >> 1 >> (63 - depth_)]; }
  // The next calls return facts of the segment with this index.
  std::uint32_t level(std::uint32_t index) const { return levels_[index]; }
  QuotientPlan plan(std::uint32_t index) const { return shape_.plan(levels_[index]); }
  std::uint64_t table_bytes(std::uint32_t index) const { return bytes_of(levels_[index]); }
  // Returns how many leading bits of a hash choose it.
  std::uint32_t depth(std::uint32_t index) const { return shape_.depth(levels_[index]); }

  // Returns the bytes of all tables after a split of this segment, or nothing if it cannot split.
  std::optional<std::uint64_t> size_after_split(std::uint32_t index) const;
  // Returns how many tables the segment splits into: one that is larger, or two.
  std::size_t parts_of_split(std::uint32_t index) const { return levels_[index] < shape_.joined ? 1 : 2; }
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
  // Calls use(index) for each segment, in the order of their hashes.
  template <typename Use>
  void for_each_in_order(Use use) const {
    for (std::size_t entry = 0; entry < directory_.size();) {
      const std::uint32_t index = directory_[entry];
      entry += entries_of_level(levels_[index]);
      use(index);
    }
  }

  // Returns compute(), a function of plan, shape and levels. The result is cached until a segment splits.
  template <typename Compute>
  std::uint32_t mark_of_shape(Compute compute) const {
    if (!mark_) {
      mark_ = compute();
    }
    return *mark_;
  }

 private:
  std::size_t entries_of_level(std::uint32_t level) const {
    return std::size_t{1} << (depth_ - shape_.depth(level));
  }
  std::uint64_t bytes_of(std::uint32_t level) const { return bytes_by_bits_[shape_.remainder_bits - level]; }
  InOrder after(const InOrder& one) const;
  const std::vector<InOrder>& marked_in_order() const;
  void build();
  void double_entries();
  // Enters a segment into all entries whose `depth` leading bits are `prefix`.
  void name(std::uint32_t index, std::uint64_t prefix, std::uint32_t depth);

  SegmentShape shape_;
  std::vector<std::uint8_t> levels_;
  std::vector<std::uint32_t> directory_;
  std::uint32_t depth_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::array<std::uint32_t, kMaxRemainderBits + 1> bytes_by_bits_{};  // of a table, by its remainder bits
  // Every 64th segment in order, and the cached mark of the shape: computed lazily, dropped when a segment
  // splits.
  mutable std::vector<InOrder> marked_in_order_;
  mutable std::optional<std::uint32_t> mark_;
};

}  // namespace bloomery
