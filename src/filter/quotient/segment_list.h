// The segments of a deletable filter, in reference-counted, copy-on-write groups of sixteen.
//
//   list ──> group ──> owners | segment 0: words, tally | segment 1: words, tally | ... | segment 15
//
// A copy of a list increments one owner count for sixteen segments. A group of sixteen empty segments is a
// null pointer, so a new filter needs no memory for its groups.
//
// Invariant: a group that has two owners never changes.
//
// Threads: one thread changes a list; others may release copies.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "filter/pages/shared_handle.h"
#include "filter/pages/shared_page.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {

struct Segment {
  SharedPage words;     // null if the segment is empty
  QuotientTally tally;  // of the words
};

class SegmentList {
 public:
  // Makes empty segments.
  explicit SegmentList(std::size_t count) : groups_((count + kGroup - 1) / kGroup), count_(count) {}
  // Shares the segments.
  SegmentList(const SegmentList& other);
  SegmentList(SegmentList&&) noexcept = default;
  SegmentList& operator=(const SegmentList& other) { return *this = SegmentList(other); }
  SegmentList& operator=(SegmentList&&) noexcept = default;
  ~SegmentList() = default;

  std::size_t size() const { return count_; }
  const Segment& operator[](std::size_t index) const { return groups_[index / kGroup].read(index % kGroup); }
  // Returns a segment for writing. Copies its group first if that is shared.
  Segment& change(std::size_t index) { return groups_[index / kGroup].change(index % kGroup); }
  // Returns a segment for writing if its group is not shared, or null.
  Segment* own(std::size_t index) { return groups_[index / kGroup].own(index % kGroup); }
  void push_back(Segment segment);

  std::uint64_t memory_bytes() const;

  // prefetch_group() prefetches the segment in its group; prefetch_segment(), called later, the owner count
  // of its words.
  void prefetch_group(std::size_t index) const { groups_[index / kGroup].prefetch(index % kGroup); }
  void prefetch_segment(std::size_t index) const { prefetch_to_write((*this)[index].words.owners_or(this)); }

 private:
  static constexpr std::size_t kGroup = 16;

  class Group {
   public:
    // A copy of a group shares the segments.
    const Segment& read(std::size_t index) const { return shared_ ? shared_->segments[index] : kEmpty; }
    Segment& change(std::size_t index);
    Segment* own(std::size_t index) { return shared_.is_ours() ? &shared_->segments[index] : nullptr; }
    bool has_memory() const { return static_cast<bool>(shared_); }
    void prefetch(std::size_t index) const {
      if (shared_) {
        prefetch_to_read(shared_.get());
        prefetch_to_read(&shared_->segments[index]);
      }
    }
    // Prefetches the owner count.
    void prefetch_counts() const { prefetch_to_write(shared_.get()); }

   private:
    struct Shared {
      std::atomic<std::uint32_t> owners{1};
      std::array<Segment, kGroup> segments;

      void give_back() { delete this; }
    };
    static const Segment kEmpty;

    SharedHandle<Shared> shared_;
  };

  std::vector<Group> groups_;
  std::size_t count_;
};

}  // namespace bloomery
