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
  std::size_t index = 0;  // the caller's number of it
  const Request* request = nullptr;
  bool by_ask = false;         // send ASKING before it: it comes from an ASK
  std::optional<Reply> reply;  // what receive_all() got
};

Status send_all(Connection& connection, std::span<const Asked> asked, Clock::time_point deadline);

// Fills in the replies, in order. Those before an error are whole. The reply of several commands together is that of EXEC;
// if the server refused one of them and so all, it is the error of that one.
Status receive_all(Connection& connection, std::span<Asked> asked, Clock::time_point deadline);

}  // namespace bloomery::redis
