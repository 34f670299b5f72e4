// The segments of a quotient filter in a server's key: a directory, and tables in copy-on-write pages.
//
//   directory    from a hash to its segment (segment_directory.h)
//   segment      a quotient table (quotient_slots.h) in a page of its own (segment_list.h)
//
// A segment gets memory with its first item, and releases it with its last. A copy shares all tables. The
// first change of a shared table copies it.
//
// deletable_filter.h (keys of CF) and pieced_segments.h (quotient files) decide when a segment splits.
//
// Threads: one thread changes the segments; others may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/growing_plan.h"
#include "filter/quotient/segment_directory.h"
#include "filter/quotient/segment_list.h"

namespace bloomery {

class QuotientTable;

class PagedSegments {
 public:
  // Makes empty segments.
  explicit PagedSegments(SegmentDirectory directory)
      : directory_(std::move(directory)), segments_(directory_.segment_count()) {}

  // A segment's table and the fingerprint of a hash in it. The words are null if the table is empty.
  struct Spot {
    std::uint32_t index;
    QuotientPlan plan;
    QuotientFingerprint fingerprint;
    const std::byte* words;
  };

  const SegmentDirectory& directory() const { return directory_; }
  const QuotientTally& tally(std::uint32_t index) const { return segments_[index].tally; }
  // Returns the words of a table, or null if it is empty.
  const std::byte* words_of(std::uint32_t index) const { return segments_[index].words.read(); }
  std::uint64_t keys() const { return keys_; }
  std::uint64_t fingerprints() const { return fingerprints_; }
  // Returns the bytes of the tables that have memory, and of everything that leads to them.
  std::uint64_t memory_bytes() const {
    return held_bytes_ + segments_.memory_bytes() + directory_.memory_bytes();
  }

  Spot spot_of(std::uint64_t hash) const;
  static bool contains(const Spot& spot);
  static std::uint64_t count(const Spot& spot);
  // Sets bit i % 64 of word i / 64 of `answers` if hashes[i] may be in. The other bits of these words are 0.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Three calls for a later change or query of a hash. Each reads what the one before has prefetched.
  void prefetch_group(std::uint64_t hash) const { segments_.prefetch_group(directory_.index_of(hash)); }
  void prefetch_segment(std::uint64_t hash) const { segments_.prefetch_segment(directory_.index_of(hash)); }
  void prefetch_table(std::uint64_t hash) const;
  // Calls use(i) for each hash i, and prefetches for later calls.
  template <typename Use>
  void for_each_ahead(std::span<const Hash128> hashes, Use use) const;

  // Returns the words of a segment with memory of their own, or null if memory is lacking.
  std::byte* own(std::uint32_t index);
  enum class Inserted : std::uint8_t { kYes, kNoRoom, kNoMemory };
  // Adds one copy, unless the count has its maximum. kNoRoom: the table is full.
  Inserted insert(const Spot& spot);
  // Removes one copy. Precondition: contains(spot).
  Removed erase(const Spot& spot);
  // Splits the segment of a hash. The outcome is kNew; kFull if the keys do not fit the tables of the next
  // level; kNoMemory. Precondition: directory().size_after_split() has a value for it.
  Added split(std::uint64_t hash);

  // The next calls number the segments in the order of their hashes, as they are saved.
  std::uint32_t index_of(std::size_t segment) const { return directory_.in_order(segment).index; }
  // Copies bytes of a segment. Precondition: they are within its table.
  void read(std::size_t segment, std::uint64_t offset, std::span<std::byte> out) const;
  // Fills a segment from saved bytes. Errors: kInvalidArgument unless it has the segment's size; kCorruption
  // unless it is a valid quotient table; kCapacity if memory is lacking. Then nothing has changed.
  Status load(std::size_t segment, std::span<const std::byte> bytes);

  std::size_t piece_count() const { return segments_.size(); }
  // Moves the words of a segment that nobody shares, with SharedPage::move_bytes().
  template <typename Move>
  void move_piece(std::size_t index, Move move) {
    if (Segment* const segment = segments_.own(index); segment != nullptr) {
      segment->words.move_bytes(move);
    }
  }

 private:
  // Adds a change of a segment's tally to the counts of the filter.
  void note_change(const QuotientTally& before, const QuotientTally& after);
  bool replace(std::uint32_t index, std::span<const QuotientTable> parts);

  SegmentDirectory directory_;
  SegmentList segments_;  // by the indexes of the directory
  std::uint64_t keys_ = 0;
  std::uint64_t fingerprints_ = 0;
  std::uint64_t held_bytes_ = 0;  // of tables that have memory
};

template <typename Use>
void PagedSegments::for_each_ahead(std::span<const Hash128> hashes, Use use) const {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < hashes.size() + 3 * kAhead; ++i) {
    if (i < hashes.size()) {
      prefetch_group(hashes[i].low);
    }
    if (i >= kAhead && i - kAhead < hashes.size()) {
      prefetch_segment(hashes[i - kAhead].low);
    }
    if (i >= 2 * kAhead && i - 2 * kAhead < hashes.size()) {
      prefetch_table(hashes[i - 2 * kAhead].low);
    }
    if (i >= 3 * kAhead) {
      use(i - 3 * kAhead);
    }
  }
}

}  // namespace bloomery
