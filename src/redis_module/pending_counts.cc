#include "redis_module/pending_counts.h"

#include "filter/quotient/quotient_kernel.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint32_t kCountBits = 2;
constexpr std::uint32_t kInTableBits = 3;
constexpr std::uint32_t kLowBits = kCountBits + kInTableBits;
constexpr std::uint32_t kMostQuotientBits = 12;
constexpr std::uint64_t kPendingBlocks = 2;
constexpr std::uint64_t kMostSlotsOfCount = 5;  // of kMostPendingCount

static_assert(PendingCounts::kMostPendingCount < 1U << kCountBits);
static_assert(PendingCounts::kMostInTable < 1U << kInTableBits);
static_assert(PendingCounts::kMostOfSegment * kMostSlotsOfCount <= kPendingBlocks * kSlotsPerBlock);
static_assert((kPendingBlocks + 1) * kSlotsPerBlock <= kOverflowSlots);  // no quotient has its home in them

std::uint64_t packed(const QuotientPlan& plan, const QuotientFingerprint& fingerprint) {
  return fingerprint.quotient << plan.remainder_bits | fingerprint.remainder;
}

PendingCount unpacked(const QuotientPlan& plan, std::uint64_t entry) {
  const std::uint64_t fingerprint = entry >> kLowBits;
  return {.fingerprint = {.quotient = fingerprint >> plan.remainder_bits,
                          .remainder = fingerprint & low_bits(plan.remainder_bits)},
          .in_table = static_cast<std::uint32_t>(entry >> kCountBits & PendingCounts::kMostInTable),
          .count = static_cast<std::uint32_t>(entry & PendingCounts::kMostPendingCount)};
}

// Returns where the entry of a fingerprint is; the number of entries if it has none.
std::size_t index_of(std::span<const std::uint64_t> entries, std::uint64_t fingerprint) {
  std::size_t index = entries.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {  // without a branch
    index = entries[i] >> kLowBits == fingerprint ? i : index;
  }
  return index;
}

}  // namespace

bool PendingCounts::set(std::size_t segment, const QuotientPlan& plan, const PendingCount& entry) {
  const std::uint64_t fingerprint = packed(plan, entry.fingerprint);
  const std::uint64_t number = fingerprint << kLowBits | entry.in_table << kCountBits | entry.count;
  const std::size_t index = index_of(of(segment), fingerprint);
  if (index == of(segment).size()) {
    return add(segment, number);
  }
  if (!make_own()) {
    return false;
  }
  change(segment)[index] = number;
  return true;
}

namespace pending_counts {

bool can_pend(const QuotientSlots& slots) {
  const std::uint32_t fingerprint_bits = kMostQuotientBits + slots.remainder_bits();
  return slots.quotients() <= std::uint64_t{1} << kMostQuotientBits && fingerprint_bits + kLowBits <= 64 &&
         (slots.words() == nullptr || slots.offset(slots.blocks() - kPendingBlocks) == 0);
}

std::optional<PendingCount> find(std::span<const std::uint64_t> entries, const QuotientPlan& plan,
                                 const QuotientFingerprint& fingerprint) {
  const std::size_t index = index_of(entries, packed(plan, fingerprint));
  return index == entries.size() ? std::nullopt : std::optional(unpacked(plan, entries[index]));
}

std::int64_t more_slots(std::span<const std::uint64_t> entries, const QuotientPlan& plan) {
  const QuotientSlots slots(plan, nullptr);
  std::int64_t more = 0;
  for (const std::uint64_t entry : entries) {
    const PendingCount one = unpacked(plan, entry);
    more += static_cast<std::int64_t>(slots.group_slots(one.count)) -
            static_cast<std::int64_t>(slots.group_slots(one.in_table));
  }
  return more;
}

void write(std::span<const std::uint64_t> entries, const QuotientSlots& slots, QuotientTally& tally) {
  const QuotientKernel& kernel = chosen_quotient_kernel();
  for (const std::uint64_t entry : entries) {
    const PendingCount one = unpacked(slots.plan(), entry);
    if (one.count > one.in_table) {
      static_cast<void>(kernel.insert(slots, tally, one.fingerprint, one.count - one.in_table));
    }
    for (std::uint32_t count = one.in_table; count > one.count; --count) {
      static_cast<void>(kernel.erase(slots, tally, one.fingerprint));
    }
  }
}

}  // namespace pending_counts

}  // namespace bloomery::redis_module
