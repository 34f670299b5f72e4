#include "wal/log_damage.h"

namespace bloomery::wal {

Result<std::vector<LogDamage>> read_past_damage(LogReader& log, const EntryUse& use) {
  std::vector<LogDamage> damage;
  for (;;) {
    const Result<bool> found = log.next();
    if (found && !*found) {
      return damage;
    }
    if (found) {
      BLOOMERY_RETURN_IF_ERROR(use(log.entry()));
      continue;
    }
    if (found.error().code() != ErrorCode::kCorruption) {
      return found.error();
    }
    const std::uint64_t begin = log.position();
    const bool goes_on = log.skip_damage();
    damage.push_back({begin, goes_on ? log.position() : log.size_bytes(), found.error()});
    if (!goes_on) {
      return damage;
    }
  }
}

}  // namespace bloomery::wal
