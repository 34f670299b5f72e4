// The replication slot of a feeder: chooses, records, makes, releases and advances it.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "feed/feeder.h"

namespace bloomery::feed {
namespace {

// Making a slot waits for all writing transactions to end. Advancing it reads the log.
constexpr std::chrono::milliseconds kSlotPatience = std::chrono::minutes(10);

}  // namespace

// If the plan names no slot, chooses the one recorded with the filter. Earlier versions recorded none:
// `older_slot`.
Status Feeder::choose_slot() {
  BLOOMERY_ASSIGN_OR_RETURN(noted_slot_, sink_.noted_slot());
  std::string& slot = plan_.table.slot;
  if (slot.empty()) {
    slot = noted_slot_.empty() ? plan_.older_slot : noted_slot_;
  }
  plan_.table.application = slot;
  status_.slot = slot;
  if (!held_log_) {
    held_log_.emplace(slot, plan_.max_log);
  }
  return {};
}

// Records the slot's name with the filter.
Status Feeder::note_slot(postgres::Connection& connection) {
  const std::string& slot = plan_.table.slot;
  if (noted_slot_ == slot) {
    return {};
  }
  if (const Status noted = sink_.note_slot(slot); !noted) {
    sink_is_open_ = false;
    return noted;
  }
  const std::string before = std::exchange(noted_slot_, slot);
  if (!before.empty()) {
    const auto left = postgres::find_slot(connection, before);
    if (left && *left) {
      warn(sink_.name() + " was fed from the slot " + before +
           ", which holds the server's log until somebody drops it: SELECT pg_drop_replication_slot('" +
           before + "')");
    }
  }
  return {};
}

// Returns why a new slot must be made. A slot that somebody follows is kept: this feeder waits until it is
// free.
std::optional<std::string> Feeder::why_new_slot(const std::optional<postgres::SlotState>& slot) const {
  if (!slot) {
    return "the slot " + plan_.table.slot + " is gone";
  }
  if (slot->wal_status == "lost") {
    return "the slot " + plan_.table.slot + " lost its log (max_slot_wal_keep_size)";
  }
  return slot->is_active ? std::nullopt : held_log_->why_not_kept(*slot);
}

// A waiting feeder does not follow its slot, so the slot holds more and more log. If it holds too much, it is
// dropped, and the next session makes a new one.
void Feeder::release_log() {
  if (!plan_.max_log || !held_log_ || stop_) {
    return;
  }
  auto connection = postgres::Connection::open(connect_options("bloomery feed slot", plan_.answer));
  if (!connection) {
    return;
  }
  const auto slot = postgres::find_slot(*connection, plan_.table.slot);
  status_.held_bytes = slot && *slot ? (*slot)->held : 0;
  if (!slot || !*slot || (*slot)->is_active) {
    return;
  }
  if (const std::optional<std::string> why = held_log_->why_not_kept(**slot)) {
    doubt(*why);  // voids the lease before the server can remove log
    if (postgres::drop_slot(*connection, plan_.table.slot)) {
      warn("dropped the slot: " + *why);
      status_.held_bytes = 0;
    }
  }
}

// Makes the slot if there is none. Replaces a slot that is unusable or holds too much of the log.
Status Feeder::ensure_slot(postgres::Observation& seen) {
  const std::optional<std::string> why = why_new_slot(seen.slot);
  if (!why) {
    return {};
  }
  if (is_live_) {
    doubt(*why);
  }
  notice_.may_last(kSlotPatience);
  postgres::ConnectOptions options =
      connect_options("bloomery feed slot", std::max(plan_.answer, kSlotPatience));
  options.is_replication = true;
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection, postgres::Connection::open(options));
  if (seen.slot) {
    BLOOMERY_RETURN_IF_ERROR(postgres::drop_slot(connection, plan_.table.slot));
    warn("dropped the slot: " + *why);
  }
  BLOOMERY_RETURN_IF_ERROR(postgres::create_slot(connection, plan_.table.slot));
  if (seen.keeps_at_most == "-1") {
    warn(
        "max_slot_wal_keep_size is without limit: if this feeder stops for long, the server keeps "
        "its log until the "
        "disk is full; set it, and a slot that loses its log costs one rebuild");
  }
  BLOOMERY_ASSIGN_OR_RETURN(seen, postgres::observe(connection, plan_.table));
  return seen.slot ? Status()
                   : Status(Error(ErrorCode::kIo, plan_.table.slot,
                                  "expected the slot that was made, found it gone"));
}

// Without a live filter the log so far is not needed: a build starts with a later snapshot. The server may
// even refuse to decode it, for example rows from a time without the publication.
Status Feeder::forget_log(postgres::Observation& seen) {
  if (seen.slot->confirmed >= seen.flushed) {
    return {};
  }
  notice_.may_last(kSlotPatience);
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection,
                            postgres::Connection::open(connect_options(
                                "bloomery feed slot", std::max(plan_.answer, kSlotPatience))));
  BLOOMERY_ASSIGN_OR_RETURN(seen.slot->confirmed, postgres::forget_log(connection, plan_.table.slot));
  return {};
}

}  // namespace bloomery::feed
