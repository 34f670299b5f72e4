#include "feed/held_log.h"

#include <fmt/core.h>

namespace bloomery::feed {
namespace {

// A slot whose begin has not moved for this time is stuck. PostgreSQL moves the begin when it logs its
// running transactions, every 15 s (LOG_SNAPSHOT_INTERVAL_MS), so several such moments have passed.
constexpr std::uint64_t kUnmovedNs = 60'000'000'000;

}  // namespace

std::string HeldLog::words_for(const postgres::SlotState& slot) const {
  return fmt::format("the slot {} holds {} bytes of the server's log, more than the {} of --max-log", slot_,
                     slot.held, most_.value_or(0));
}

std::optional<std::string> HeldLog::why_not_kept(const postgres::SlotState& slot) const {
  if (holds_too_much(slot)) {
    return words_for(slot);
  }
  if (slot.wal_status == "unreserved") {
    return "the server is about to remove the log of the slot " + slot_ + " (max_slot_wal_keep_size)";
  }
  return std::nullopt;
}

std::optional<std::string> HeldLog::why_not_followed(const postgres::SlotState& slot, std::uint64_t lag_bytes,
                                                     bool has_lease, std::uint64_t now_ns) {
  if (slot.restart != begin_ || unmoved_ns_ == 0) {
    begin_ = slot.restart;
    unmoved_ns_ = now_ns;
  }
  if (!holds_too_much(slot)) {
    return std::nullopt;
  }
  const bool lags = !has_lease && lag_bytes > *most_;
  const bool is_stuck = now_ns - unmoved_ns_ >= kUnmovedNs;
  return lags || is_stuck ? std::optional(words_for(slot)) : std::nullopt;
}

}  // namespace bloomery::feed
