// A filter from which items can be deleted, and which counts their copies: a quotient filter that grows.
// Its tables are small, and in copy-on-write pages (paged_segments.h).
//
// An item is a fingerprint and a count. The fingerprints of a filter have one universe (deletable_shape.h),
// and a delete removes exactly what one add has inserted. So a no stays certain as long as nobody deletes an
// item that was never added.
//
// A segment with a load of 96 % splits before its next insert, without the original items. The filter is full
// in four cases:
//
//   - It does not grow and has as many items as its capacity.
//   - An item has 2^24 - 1 copies, the largest count. Such a count is never lowered either.
//   - The table has no remainder bit left, or hashes are far from even because an attacker has chosen the
//     items.
//   - The next split would exceed the caller's limit of bytes.
//
// Segments are never merged.
//
// Invariants: the segments' ranges cover all hashes without gap or overlap. The same adds and deletes in the
// same order make the same bytes.
//
// Source: segment_directory.h, and Bender et al. (2012), as in filter/quotient/quotient_segments.h. That class
// keeps its first segments in one zeroed buffer and has no cheap copies; here both would block a server for
// long.
//
// Threads: one thread changes a filter; others may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/growing_plan.h"
#include "filter/quotient/deletable_shape.h"
#include "filter/quotient/paged_segments.h"

namespace bloomery {

class DeletableFilter {
 public:
  // Errors: kInvalidArgument unless 0 < fpp < 1 and 1 <= capacity <= 2^40; kCapacity if no fingerprints have
  // such an fpp, or if a filter filled to its capacity needs more than `most_bytes`.
  static Result<DeletableFilter> create(const GrowingPlan& plan, std::uint64_t most_bytes);
  // Makes a filter of empty segments that have these levels, in the order of their hashes. Errors:
  // kCorruption if these are no segments of a filter.
  static Result<DeletableFilter> of_levels(const GrowingPlan& plan, const DeletableShape& shape,
                                           std::span<const std::byte> levels);

  const GrowingPlan& plan() const { return plan_; }
  const DeletableShape& shape() const { return shape_; }
  std::uint64_t keys() const { return segments_.keys(); }
  std::uint64_t deleted() const { return deleted_; }
  void set_deleted(std::uint64_t count) { deleted_ = count; }

  // Sets bit i % 64 of word i / 64 of `answers` if hashes[i] may be in. The other bits of these words are 0.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
    segments_.may_contain(hashes, answers);
  }
  // Returns how often a hash was added and not removed, or more.
  std::uint64_t count(const Hash128& hash) const { return PagedSegments::count(segments_.spot_of(hash.low)); }
  // Adds hashes in order, and writes an outcome for each. A refused hash does not stop the rest. The filter
  // does not grow beyond `most_bytes`.
  void add(std::span<const Hash128> hashes, AddWhen when, std::uint64_t most_bytes,
           std::span<Added> outcomes);
  // Removes one copy.
  Removed remove(const Hash128& hash);

  // Returns the bytes of all tables, including those without memory yet.
  std::uint64_t size_bytes() const { return directory().size_bytes(); }
  std::uint64_t memory_bytes() const { return sizeof(DeletableFilter) + segments_.memory_bytes(); }
  double current_fpp() const { return static_cast<double>(segments_.fingerprints()) / shape_.universe(); }

  // Segments in the order of their hashes, as they are saved.
  std::size_t segment_count() const { return directory().segment_count(); }
  std::uint32_t level_of(std::size_t segment) const { return directory().level(segments_.index_of(segment)); }
  // One byte for each segment.
  std::vector<std::byte> levels_in_order() const { return directory().levels_in_order(); }
  std::uint64_t bytes_of(std::size_t segment) const {
    return directory().table_bytes(segments_.index_of(segment));
  }
  // Copies bytes of a segment. Precondition: offset + out.size() <= bytes_of(segment).
  void read(std::size_t segment, std::uint64_t offset, std::span<std::byte> out) const {
    segments_.read(segment, offset, out);
  }
  // Fills a segment from saved bytes. Errors: those of PagedSegments::load().
  Status load(std::size_t segment, std::span<const std::byte> bytes) {
    return segments_.load(segment, bytes);
  }
  // Returns which segment has the byte at `offset` of all segments, and where it begins.
  SegmentDirectory::Place place_of(std::uint64_t offset) const { return directory().place_of(offset); }

  // Returns compute(), cached until a segment splits (see SegmentDirectory::mark_of_shape()).
  template <typename Compute>
  std::uint32_t mark_of_shape(Compute compute) const {
    return directory().mark_of_shape(compute);
  }

  std::size_t piece_count() const { return segments_.piece_count(); }
  // Moves the words of a segment that nobody shares, with SharedPage::move_bytes().
  template <typename Move>
  void move_piece(std::size_t index, Move move) {
    segments_.move_piece(index, move);
  }

 private:
  DeletableFilter(const GrowingPlan& plan, const DeletableShape& shape, SegmentDirectory directory)
      : plan_(plan), shape_(shape), segments_(std::move(directory)) {}

  const SegmentDirectory& directory() const { return segments_.directory(); }
  Added add_one(std::uint64_t hash, AddWhen when, std::uint64_t most_bytes);
  // Returns nothing if the segment's table is full.
  std::optional<Added> add_at(const PagedSegments::Spot& spot);
  // Splits the segment of a hash. Returns kNew if it has split.
  Added split(std::uint64_t hash, std::uint64_t most_bytes);

  GrowingPlan plan_;
  DeletableShape shape_;
  PagedSegments segments_;
  std::uint64_t deleted_ = 0;
};

}  // namespace bloomery
