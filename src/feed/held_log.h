// Decides when a replication slot holds too much of the server's log. Its position is given up then: the slot is dropped and
// made anew, and the filter is built anew.
//
//   the slot                                                                    is given up
//   nobody follows it, and it holds more than the limit                         at once
//   nobody follows it, and the server is about to remove its log (unreserved)   at once
//   it is followed and holds more than the limit, there is no lease, and
//   the filter lags by more than the limit too                                  at once
//   it is followed and holds more than the limit, and its begin does not move   after a minute
//
// A feeder that has everything is no reason to hold less. The server moves the begin of what a slot holds only when it notes
// its running transactions, each 15 seconds or so. Until then the slot holds what was written meanwhile. If the begin does not
// move for long, a transaction of somebody else keeps it.
//
// A slot that has lost its log already is not decided here, as there is nothing to decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "connect/postgres/table_watch.h"

namespace bloomery::feed {

class HeldLog {
 public:
  // `most` is the limit in bytes; nothing is without limit.
  HeldLog(std::string slot, std::optional<std::uint64_t> most) : slot_(std::move(slot)), most_(most) {}

  // Both return why the slot is to be given up; nothing if it is not. A slot that is active must not be given to the first.
  std::optional<std::string> why_not_kept(const postgres::SlotState& slot) const;
  // `lag_bytes` is how much of the log the filter has not got. Calls are in the order of `now_ns`.
  std::optional<std::string> why_not_followed(const postgres::SlotState& slot, std::uint64_t lag_bytes,
                                              bool has_lease, std::uint64_t now_ns);

 private:
  bool holds_too_much(const postgres::SlotState& slot) const { return most_ && slot.held > *most_; }
  std::string words_for(const postgres::SlotState& slot) const;

  std::string slot_;
  std::optional<std::uint64_t> most_;
  postgres::Lsn begin_;           // of what the slot holds, as it was seen last
  std::uint64_t unmoved_ns_ = 0;  // since this moment
};

}  // namespace bloomery::feed
