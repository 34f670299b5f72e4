#include "filter/quotient/deletable_filter.h"

#include <string>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kMostSegments = std::size_t{1} << 26;

constexpr bool is_full(std::uint64_t slots, std::uint64_t quotients) {
  return slots * 25 > quotients * 24;  // a load of 0.96
}

Error corrupt_level(const SegmentDirectory::BadLevel& bad, std::span<const std::byte> levels) {
  using enum SegmentDirectory::BadLevel::Why;
  std::string detail = "expected segments of all hashes, found a gap at the end";
  if (bad.why != kGap) {
    detail = (bad.why == kUnfit ? "expected one that fits shape and segments, found "
                                : "expected a segment that begins where the one before it ends, found ") +
             std::to_string(std::to_integer<std::uint32_t>(levels[bad.segment]));
  }
  return Error(ErrorCode::kCorruption, "level of segment " + std::to_string(bad.segment), detail);
}

}  // namespace

// ---- making

Result<DeletableFilter> DeletableFilter::create(const GrowingPlan& plan, std::uint64_t most_bytes) {
  const Grows grows = plan.expansion == 0 ? Grows::kNo : Grows::kYes;
  BLOOMERY_ASSIGN_OR_RETURN(const DeletableStart start, deletable_start(plan.capacity, plan.fpp, grows));
  if (start.planned_bytes > most_bytes) {
    return Error::capacity("filter", "needs " + std::to_string(start.planned_bytes) +
                                         " bytes, and a key may have " + std::to_string(most_bytes));
  }
  const std::vector<std::byte> levels(std::size_t{1} << start.shape.segments().depth(start.level),
                                      static_cast<std::byte>(start.level));
  return of_levels(plan, start.shape, levels);
}

Result<DeletableFilter> DeletableFilter::of_levels(const GrowingPlan& plan, const DeletableShape& shape,
                                                   std::span<const std::byte> levels) {
  BLOOMERY_RETURN_IF_ERROR(check_deletable_shape(shape));
  if (levels.empty() || levels.size() > kMostSegments) {
    return Error(ErrorCode::kCorruption, "level of segment 0",
                 "expected 1 to 2^26 segments, found " + std::to_string(levels.size()));
  }
  if (const auto bad = SegmentDirectory::bad_level(shape.segments(), levels); bad) {
    return corrupt_level(*bad, levels);
  }
  return DeletableFilter(plan, shape, SegmentDirectory(shape.segments(), levels));
}

// ---- adds and deletes

Added DeletableFilter::split(std::uint64_t hash, std::uint64_t most_bytes) {
  const std::optional<std::uint64_t> size = directory().size_after_split(directory().index_of(hash));
  if (!size || segment_count() >= kMostSegments) {
    return Added::kFull;
  }
  if (*size > most_bytes) {
    return Added::kOverLimit;
  }
  return segments_.split(hash) == Added::kNew ? Added::kNew : Added::kNoMemory;
}

std::optional<Added> DeletableFilter::add_at(const PagedSegments::Spot& spot) {
  using enum PagedSegments::Inserted;
  if (is_full(segments_.tally(spot.index).slots, spot.plan.quotients)) {
    return std::nullopt;
  }
  const std::uint64_t before = keys();
  switch (segments_.insert(spot)) {
    case kNoRoom:
      return std::nullopt;
    case kNoMemory:
      return Added::kNoMemory;
    case kYes:
      break;
  }
  // A count at its maximum does not change.
  return keys() == before ? Added::kFull : Added::kNew;
}

Added DeletableFilter::add_one(std::uint64_t hash, AddWhen when, std::uint64_t most_bytes) {
  if (when == AddWhen::kAbsent && PagedSegments::contains(segments_.spot_of(hash))) {
    return Added::kKnown;
  }
  if (plan_.expansion == 0 && keys() >= plan_.capacity) {
    return Added::kFull;
  }
  for (;;) {
    if (const std::optional<Added> outcome = add_at(segments_.spot_of(hash)); outcome) {
      return *outcome;
    }
    // After a split the hash may belong to another segment, so the loop searches again.
    if (const Added outcome = split(hash, most_bytes); outcome != Added::kNew) {
      return outcome;
    }
  }
}

void DeletableFilter::add(std::span<const Hash128> hashes, AddWhen when, std::uint64_t most_bytes,
                          std::span<Added> outcomes) {
  segments_.for_each_ahead(hashes,
                           [&](std::size_t i) { outcomes[i] = add_one(hashes[i].low, when, most_bytes); });
}

Removed DeletableFilter::remove(const Hash128& hash) {
  const PagedSegments::Spot spot = segments_.spot_of(hash.low);
  if (!PagedSegments::contains(spot)) {
    return Removed::kAbsent;
  }
  const std::uint64_t before = keys();
  const Removed outcome = segments_.erase(spot);
  deleted_ += before - keys();
  return outcome;
}

}  // namespace bloomery
