// One connection to one server.
//
// Calls: open (send | receive | is_quiet)*
//
// AUTH and SELECT are sent first. All waiting ends at a deadline, even for a server that answers byte by
// byte. Replies that arrive during send() are buffered, so a long pipeline cannot deadlock. After an error of
// send() or receive() the connection is unusable, because nobody knows which reply would be next.
//
// hiredis connects. Bytes are sent without it, because its write() would end the process by SIGPIPE when the
// server has gone. The system resolves a host's name without a deadline. Threads: one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"
#include "connect/redis/reply.h"
#include "connect/redis/reply_reader.h"
#include "connect/redis/url.h"

struct redisContext;

namespace bloomery::redis {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  // Errors: kIo or kNotFound if nobody listens; those of error_of() if the server refuses user, password or
  // database.
  static Result<Connection> open(const Endpoint& endpoint, const Login& login, Clock::time_point deadline);

  // Errors: kIo.
  Status send(std::string_view bytes, Clock::time_point deadline);
  // Returns the next reply. Errors: kIo, also at the deadline; those of ReplyReader.
  Result<Reply> receive(Clock::time_point deadline);
  // Returns true if nothing unrequested has arrived: neither bytes nor the end of the connection. A server
  // ends idle connections, and the next sender would learn of it too late.
  bool is_quiet() const;

  const std::string& name() const { return name_; }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Connection(std::unique_ptr<redisContext, Free> context, std::string name);

  Status log_in(const Login& login, Clock::time_point deadline);
  Status wait_for(short events, short& found, Clock::time_point deadline) const;
  // Reads the arrived bytes into the reader. Sets `whole` to false if the connection has ended.
  Status take(bool& whole);
  Error lost(const std::string& detail) const;

  std::unique_ptr<redisContext, Free> context_;
  ReplyReader reader_;
  std::string name_;
};

}  // namespace bloomery::redis
