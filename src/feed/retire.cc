#include <optional>

#include "connect/postgres/connection.h"
#include "connect/postgres/table_watch.h"
#include "feed/feeder.h"

namespace bloomery::feed {
namespace {

// Returns the slot that the plan names, else the one that the sink has recorded. If an earlier version made
// the sink and recorded none, returns plan.older_slot. Errors: kInvalidArgument if plan and sink name
// different slots, since removing the sink would orphan its slot; kNotFound if the plan names none and the
// sink does not exist; those of FilterSink::noted_slot().
Result<std::string> slot_to_drop(const FeedPlan& plan, const FilterSink& sink) {
  const std::string& named = plan.table.slot;
  const Result<std::string> noted = sink.noted_slot();
  if (!named.empty() && noted && !noted->empty() && *noted != named) {
    return Error::invalid_argument(sink.name(),
                                   "expected the slot that it is fed from, " + *noted + ", found " + named);
  }
  if (!named.empty()) {
    return named;
  }
  if (!noted && noted.error().code() == ErrorCode::kNotFound) {
    return Error(
        ErrorCode::kNotFound, sink.name(),
        "expected the file, which notes the name of its slot, found none: name the slot (--slot); SELECT "
        "slot_name, active FROM pg_replication_slots shows them");
  }
  return noted && noted->empty() ? Result<std::string>(plan.older_slot) : noted;
}

}  // namespace

Status retire(const FeedPlan& plan, FilterSink& sink) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string slot, slot_to_drop(plan, sink));
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection,
                            postgres::Connection::open({.url = plan.url,
                                                        .application = "bloomery feed --drop",
                                                        .connect = plan.connect,
                                                        .answer = plan.answer}));
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<postgres::SlotState> found,
                            postgres::find_slot(connection, slot));
  if (found && found->is_active) {
    return Error::invalid_argument("slot " + slot,
                                   "expected that nobody follows it, found a feeder: stop that first");
  }
  if (found) {
    BLOOMERY_RETURN_IF_ERROR(postgres::drop_slot(connection, slot));
  }
  return sink.remove();
}

}  // namespace bloomery::feed
