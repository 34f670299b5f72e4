// Decides when a replication slot holds too much of the server's log. Its position is then given up: the slot
// is dropped and recreated, and the filter is rebuilt.
//
//   the slot                                                                    is given up
//   nobody follows it, and it holds more than the limit                         at once
//   nobody follows it, and the server is about to remove its log (unreserved)   at once
//   it is followed and holds more than the limit, there is no lease, and
//   the filter lags by more than the limit too                                  at once
//   it is followed and holds more than the limit, and its begin does not move   after a minute
//
// An up-to-date feeder does not make the slot hold less. The server advances the start of the held log only
// when it notes its running transactions, about every 15 seconds. Until then the slot holds what was written
// meanwhile. If the start does not advance for long, somebody else's transaction prevents it.
//
// A slot that has lost its log already is outside this decision.
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

  // Both return why the slot must be given up; nothing if it is kept. Precondition of the first: the slot is
  // not active.
  std::optional<std::string> why_not_kept(const postgres::SlotState& slot) const;
  // `lag_bytes` is how much of the log the filter lacks. Calls are in the order of `now_ns`.
  std::optional<std::string> why_not_followed(const postgres::SlotState& slot, std::uint64_t lag_bytes,
                                              bool has_lease, std::uint64_t now_ns);

 private:
  bool holds_too_much(const postgres::SlotState& slot) const { return most_ && slot.held > *most_; }
  std::string words_for(const postgres::SlotState& slot) const;

  std::string slot_;
  std::optional<std::uint64_t> most_;
  postgres::Lsn begin_;           // of the log that the slot holds, at the last observation
  std::uint64_t unmoved_ns_ = 0;  // since this moment
};

}  // namespace bloomery::feed
