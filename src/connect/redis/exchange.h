// Requests that go to one server in one pipeline, and their replies.
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
  bool by_ask = false;         // send ASKING first: an ASK sent the request here
  std::optional<Reply> reply;  // set by receive_all()
};

Status send_all(Connection& connection, std::span<const Asked> asked, Clock::time_point deadline);

// Fills in the replies, in order. Those before an error are complete. Several commands sent together have the
// reply of EXEC. If the server refused one of them and so all, the reply is the error of that command.
Status receive_all(Connection& connection, std::span<Asked> asked, Clock::time_point deadline);

}  // namespace bloomery::redis
