#include "filter/quotient/segment_list.h"

#include <algorithm>
#include <memory>

#include "base/prefetch.h"

namespace bloomery {

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

// A copy increments the owner count of each group, which is a cache miss for each. Later counts are
// prefetched.
SegmentList::SegmentList(const SegmentList& other) : count_(other.count_) {
  constexpr std::size_t kAhead = 16;
  groups_.reserve(other.groups_.size());
  for (std::size_t i = 0; i < other.groups_.size(); ++i) {
    other.groups_[std::min(i + kAhead, other.groups_.size() - 1)].prefetch_counts();
    groups_.push_back(other.groups_[i]);
  }
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
  return groups_.size() * sizeof(Group) + static_cast<std::uint64_t>(made) * kGroup * sizeof(Segment);
}

}  // namespace bloomery
