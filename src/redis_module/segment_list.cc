#include "redis_module/segment_list.h"

#include <algorithm>
#include <memory>

namespace bloomery::redis_module {

const Segment SegmentList::Group::kEmpty;

Segment& SegmentList::Group::change(std::size_t index) {
  if (shared_ == nullptr) {
    shared_ = std::make_unique<Shared>().release();
  } else if (!has_one_holder()) {
    auto fresh = std::make_unique<Shared>();
    for (const Segment& segment : shared_->segments) {
      segment.words.prefetch();
    }
    fresh->segments = shared_->segments;
    release();
    shared_ = fresh.release();
  }
  return shared_->segments[index];
}

void SegmentList::Group::release() {
  if (shared_ != nullptr && shared_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete shared_;
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

}  // namespace bloomery::redis_module
