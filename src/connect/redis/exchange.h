// Sends requests to one server in one pipeline, and receives their replies.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "connect/redis/command.h"
#include "connect/redis/connection.h"
#include "connect/redis/reply.h"

namespace bloomery::redis {

struct Asked {
  std::size_t index = 0;  // its index in the caller's requests
  const Request* request = nullptr;
  bool by_ask = false;         // send ASKING first, because an ASK named this server
  std::optional<Reply> reply;  // set by receive_all()
};

Status send_all(Connection& connection, std::span<const Asked> asked, Clock::time_point deadline);

// Fills in the replies in order; after an error, those received before it are complete. The reply of several
// commands is that of EXEC. If the server refused one of the commands, and therefore all, the reply is its
// error.
Status receive_all(Connection& connection, std::span<Asked> asked, Clock::time_point deadline);

}  // namespace bloomery::redis
