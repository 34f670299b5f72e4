#include "redis_module/segment_list.h"

#include <algorithm>
#include <memory>

#include "base/prefetch.h"

namespace bloomery::redis_module {

const Segment SegmentList::Group::kEmpty;

Segment& SegmentList::Group::change(std::size_t index) {
  if (!shared_) {
    shared_ = SharedHandle<Shared>(std::make_unique<Shared>().release());
  } else if (!shared_.is_ours()) {
    auto fresh = std::make_unique<Shared>();
    for (const Segment& segment : shared_->segments) {
      prefetch_to_write(segment.words.owners_or(&segment));
    }
    fresh->segments = shared_->segments;
    shared_ = SharedHandle<Shared>(fresh.release());
  }
  return shared_->segments[index];
}

// A copy counts one more owner of each group, so it waits for the memory of each count. Later ones are fetched meanwhile.
SegmentList::SegmentList(const SegmentList& other)
    : count_(other.count_), pending_bytes_(other.pending_bytes_) {
  constexpr std::size_t kAhead = 16;
  groups_.reserve(other.groups_.size());
  for (std::size_t i = 0; i < other.groups_.size(); ++i) {
    other.groups_[std::min(i + kAhead, other.groups_.size() - 1)].prefetch_counts();
    groups_.push_back(other.groups_[i]);
  }
}

bool SegmentList::set_pending(std::size_t index, const QuotientPlan& plan, const PendingCount& entry) {
  PendingCounts& pending = groups_[index / kGroup].pending();
  const std::uint64_t before = pending.memory_bytes();
  const bool is_set = pending.set(index % kGroup, plan, entry);
  pending_bytes_ += pending.memory_bytes() - before;
  return is_set;
}

bool SegmentList::make_pending_own(std::size_t index) {
  return groups_[index / kGroup].pending().make_own();
}

void SegmentList::clear_pending(std::size_t index) {
  PendingCounts& pending = groups_[index / kGroup].pending();
  const std::uint64_t before = pending.memory_bytes();
  static_cast<void>(pending.clear(index % kGroup));
  pending_bytes_ += pending.memory_bytes() - before;
}

void SegmentList::push_back(Segment segment) {
  if (count_ % kGroup == 0) {
    groups_.emplace_back();
  }
  ++count_;
  change(count_ - 1) = std::move(segment);
}

std::uint64_t SegmentList::memory_bytes() const {
  const auto made = std::ranges::count_if(groups_, [](const Group& group) { return group.has_memory(); });
  return groups_.size() * sizeof(Group) + pending_bytes_ +
         static_cast<std::uint64_t>(made) * kGroup * sizeof(Segment);
}

}  // namespace bloomery::redis_module
