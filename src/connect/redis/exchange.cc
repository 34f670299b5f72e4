#include "connect/redis/exchange.h"

#include <string>
#include <utility>

#include "base/message.h"

namespace bloomery::redis {
namespace {

// Returns the result of one request. For several commands it reads OK for MULTI, QUEUED for each command, and
// the array of EXEC. It returns the first refusal among them instead, if there is one.
Result<Reply> receive_one(Connection& connection, const Request& request, Clock::time_point deadline) {
  std::optional<Reply> refused;
  for (std::size_t i = 1; i < request.reply_count(); ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(Reply queued, connection.receive(deadline));
    if (queued.is_error() && !refused) {
      refused = std::move(queued);
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(Reply last, connection.receive(deadline));
  if (refused) {
    return std::move(*refused);
  }
  if (request.commands.size() != 1 && !last.is_error() &&
      (last.kind != Reply::Kind::kArray || last.elements.size() != request.commands.size())) {
    return Error(
        ErrorCode::kCorruption, connection.name(),
        message("expected an array of ", request.commands.size(), " for EXEC, found ", last.describe()));
  }
  return last;
}

}  // namespace

Status send_all(Connection& connection, std::span<const Asked> asked, Clock::time_point deadline) {
  std::string bytes;
  for (const Asked& one : asked) {
    if (one.by_ask) {
      Command("ASKING").append_to(bytes);
    }
    one.request->append_to(bytes);
  }
  return connection.send(bytes, deadline);
}

Status receive_all(Connection& connection, std::span<Asked> asked, Clock::time_point deadline) {
  for (Asked& one : asked) {
    if (one.by_ask) {
      // The reply of ASKING; if it was refused, the next reply is an error.
      BLOOMERY_RETURN_IF_ERROR(connection.receive(deadline));
    }
    BLOOMERY_ASSIGN_OR_RETURN(one.reply, receive_one(connection, *one.request, deadline));
  }
  return {};
}

}  // namespace bloomery::redis
