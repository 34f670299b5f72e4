#include "cli/build_plan.h"

#include "bloomery/filter/default_fpp.h"
#include "bloomery/hash/key_levels.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

Result<std::uint64_t> count_keys(InputFiles& input) {
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      break;
    }
  }
  const std::uint64_t count = input.lines_read();
  BLOOMERY_RETURN_IF_ERROR(input.rewind());
  return count;
}

}  // namespace

bool BuildPlan::waits_for_levels() const {
  const bool has_levels = !KeyLevels::all_of(keys.treatment_for_new().form).empty();
  return has_levels && (!filter.questions || !filter.capacity);
}

Result<std::optional<BuildCapacity>> count_or_counted(const BuildPlan& plan, InputFiles& input) {
  std::optional<BuildCapacity> capacity;
  if (plan.filter.capacity) {
    capacity = {.keys = *plan.filter.capacity};
  } else if (input.can_rewind()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t keys, count_keys(input));
    capacity = {.keys = keys, .from = BuildCapacity::From::kCounted};
  }
  return capacity;
}

std::uint16_t BuildPlan::recorded_digest_bytes(const KeyHasher& hasher) const {
  return any_width ? std::uint16_t{0} : hasher.digest_bytes();
}

std::string assumed(const FilterChoice& choice, const BuildCapacity& capacity) {
  std::string text;
  if (choice.assumes_fpp()) {
    text = "-p " + show_probability(kDefaultFpp);
  }
  if (capacity.is_assumed()) {
    text += (text.empty() ? "-n " : ", -n ") + show_count(capacity.keys);
    switch (capacity.from) {
      case BuildCapacity::From::kSpooled:
        text += capacity.spooled_bytes == 0
                    ? " (the stream was kept in memory, and counted)"
                    : " (the stream was spooled, " + show_bytes(capacity.spooled_bytes) + ", and counted)";
        break;
      case BuildCapacity::From::kEntries:
        text += " (entries and levels counted)";
        break;
      case BuildCapacity::From::kFirstLayer:
        text += " for the first layer (it grows)";
        break;
      default:
        text += " (lines counted)";
    }
  }
  return text.empty() ? text : "; assumed " + text;
}

}  // namespace bloomery::cli
