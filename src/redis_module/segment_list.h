// The segments of a deletable filter, in groups of sixteen that copies of the filter share until one of them writes.
//
//   list ──> group ──> holders | segment 0: words, tally | segment 1: words, tally | ...      null: sixteen empty ones
//
// So a copy counts a holder for sixteen segments, and a filter that was just made has no memory for its empty ones.
//
// Invariant: a group that has two holders never changes.
//
// Threads: as SharedChunk.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "filter/quotient/quotient_slots.h"
#include "redis_module/shared_chunk.h"

namespace bloomery::redis_module {

struct Segment {
  SharedChunk words;  // null if the segment is empty
  QuotientTally tally;
};

class SegmentList {
 public:
  // Makes empty segments.
  explicit SegmentList(std::size_t count) : groups_((count + kGroup - 1) / kGroup), count_(count) {}

  std::size_t size() const { return count_; }
  const Segment& operator[](std::size_t index) const { return groups_[index / kGroup].read(index % kGroup); }
  // Returns a segment to change. Its group is ours alone from now on.
  Segment& change(std::size_t index) { return groups_[index / kGroup].change(index % kGroup); }
  // Returns a segment whose group is ours alone already, or null.
  Segment* own(std::size_t index) { return groups_[index / kGroup].own(index % kGroup); }
  void push_back(Segment segment);

  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t kGroup = 16;

  class Group {
   public:
    Group() = default;
    // Shares the segments.
    Group(const Group& other) : shared_(other.shared_) {
      if (shared_ != nullptr) {
        shared_->holders.fetch_add(1, std::memory_order_relaxed);
      }
    }
    Group(Group&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Group& operator=(Group other) noexcept {
      std::swap(shared_, other.shared_);
      return *this;
    }
    ~Group() { release(); }

    const Segment& read(std::size_t index) const {
      return shared_ == nullptr ? kEmpty : shared_->segments[index];
    }
    Segment& change(std::size_t index);
    Segment* own(std::size_t index) {
      return shared_ != nullptr && has_one_holder() ? &shared_->segments[index] : nullptr;
    }
    bool has_memory() const { return shared_ != nullptr; }

   private:
    struct Shared {
      std::atomic<std::uint32_t> holders{1};
      std::array<Segment, kGroup> segments;
    };
    static const Segment kEmpty;

    bool has_one_holder() const { return shared_->holders.load(std::memory_order_acquire) == 1; }
    void release();

    Shared* shared_ = nullptr;
  };

  std::vector<Group> groups_;
  std::size_t count_;
};

}  // namespace bloomery::redis_module
