// Decides when a replication slot holds too much of the server's log. Such a slot is given up: it is dropped
// and recreated, and the filter is rebuilt.
//
//   the slot                                                                    is given up
//   nobody follows it, and it holds more than the limit                         at once
//   nobody follows it, and the server is about to remove its log (unreserved)   at once
//   it is followed and holds more than the limit, there is no lease, and
//   the filter lags by more than the limit too                                  at once
//   it is followed and holds more than the limit, and its start does not move   after a minute
//
// An up-to-date feeder does not reduce what the slot holds. The server advances the start of the held log
// only when it logs its running transactions, about every 15 seconds. Until then the slot also holds
// everything written meanwhile. If the start does not advance for long, another client's transaction prevents
// it.
//
// A slot that has already lost its log is handled elsewhere (feeder.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "connect/postgres/table_watch.h"

namespace bloomery::feed {

class HeldLog {
 public:
  // `most` is the limit in bytes; nothing means no limit.
  HeldLog(std::string slot, std::optional<std::uint64_t> most) : slot_(std::move(slot)), most_(most) {}

  // Both functions return the reason to give up the slot, or nothing. Precondition of why_not_kept(): the
  // slot is not active.
  std::optional<std::string> why_not_kept(const postgres::SlotState& slot) const;
  // `lag_bytes` is the number of log bytes that the filter lacks. `now_ns` must not decrease from call to
  // call.
  std::optional<std::string> why_not_followed(const postgres::SlotState& slot, std::uint64_t lag_bytes,
                                              bool has_lease, std::uint64_t now_ns);

 private:
  bool holds_too_much(const postgres::SlotState& slot) const { return most_ && slot.held > *most_; }
  std::string words_for(const postgres::SlotState& slot) const;

  std::string slot_;
  std::optional<std::uint64_t> most_;
  postgres::Lsn begin_;           // start of the held log at the last observation
  std::uint64_t unmoved_ns_ = 0;  // when `begin_` last changed
};

}  // namespace bloomery::feed
