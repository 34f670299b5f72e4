// Counts of fingerprints that a group of segments has and their tables do not have yet: a list for each segment
// (shared_lists.h).
//
//   entry       fingerprint in the table (59 bits) | count in the table (3 bits) | count (2 bits)
//
// A segment whose first item is added has to be made: that takes two pages of the kernel, and a copy of 4 KB if a copy of the
// filter shares it. A command of 1,000 items would make hundreds. So the first items that are added to a segment, or deleted
// from it, are kept here. How many they may be differs from segment to segment, so that segments are not made all at the same
// time.
//
// An entry has the count that stands for its fingerprint in place of the table's. Equal multisets have tables of equal bytes
// (filter/quotient/quotient_slots.h). So a table into which a list is written is the table of a filter without lists. A table
// has room for its list if kPendingBlocks blocks at its end are free: a count of 3 takes at most 5 slots.
//
// Invariants: no fingerprint is in a list twice. The table of a list does not change. Lists that have two owners never change.
//
// Threads: as SharedPage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "filter/quotient/quotient_slots.h"
#include "redis_module/shared_lists.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kGroupSegments = 16;

struct PendingCount {
  QuotientFingerprint fingerprint;
  std::uint32_t in_table;  // 0 to kMostInTable
  std::uint32_t count;     // 0 to kMostPendingCount
};

class PendingCounts : public SharedLists<std::uint64_t, kGroupSegments> {
 public:
  static constexpr std::size_t kMostOfSegment = 25;
  static constexpr std::uint32_t kMostInTable = 7;
  static constexpr std::uint32_t kMostPendingCount = 3;

  // Replaces the entry of a fingerprint, or adds it. Returns false if memory is lacking; then nothing has changed. Precondition:
  // the table can have a list, and this one has room: less than kMostOfSegment entries. An entry that is replaced has the same
  // `in_table`.
  [[nodiscard]] bool set(std::size_t segment, const QuotientPlan& plan, const PendingCount& entry);
};

// Functions of the entries of one segment.
namespace pending_counts {

// Whether a table can have a list. Null words are an empty table.
bool can_pend(const QuotientSlots& slots);

std::optional<PendingCount> find(std::span<const std::uint64_t> entries, const QuotientPlan& plan,
                                 const QuotientFingerprint& fingerprint);
// Returns how many more slots a table takes with the entries than without.
std::int64_t more_slots(std::span<const std::uint64_t> entries, const QuotientPlan& plan);
// Writes the entries into their table.
void write(std::span<const std::uint64_t> entries, const QuotientSlots& slots, QuotientTally& tally);

}  // namespace pending_counts

}  // namespace bloomery::redis_module
