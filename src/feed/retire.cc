#include "feed/retire.h"

#include <optional>

#include "connect/postgres/connection.h"
#include "connect/postgres/table_watch.h"

namespace bloomery::feed {

Status retire(const FeedPlan& plan, FilterSink& sink) {
  const std::string& slot = plan.table.slot;
  BLOOMERY_ASSIGN_OR_RETURN(
      postgres::Connection connection,
      postgres::Connection::open(
          {.url = plan.url, .application = "bloomery drop", .connect = plan.connect, .answer = plan.answer}));
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
