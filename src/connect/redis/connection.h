// One connection to one server.
//
// Calls: open (send | receive | is_quiet)*
//
// AUTH and SELECT are sent first. All waits end at a deadline, even for a server that replies byte by byte.
// Replies that arrive during send() are buffered, so a long pipeline cannot deadlock. After an error of
// send() or receive() the connection is unusable, because the next bytes may belong to an earlier command.
//
// With TLS a session (tls_session.h) encrypts the bytes between this class and the socket. Handshake and
// login share the deadline of open().
//
// hiredis connects. Bytes are sent without it, because its write() to a closed connection would end the
// process by SIGPIPE. The system resolves host names without a deadline. Threads: one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"
#include "connect/redis/reply.h"
#include "connect/redis/reply_reader.h"
#include "connect/redis/tls_session.h"
#include "connect/redis/url.h"

struct redisContext;

namespace bloomery::redis {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  // Connects to `endpoint`, which may be another server of the cluster, with the TLS and the login of `url`.
  // Errors: kIo or kNotFound if nobody listens; those of TlsSession; error_of() of the reply if the server
  // refuses user, password or database; kInvalidArgument if the file of the password cannot be read.
  static Result<Connection> open(const Endpoint& endpoint, const Url& url, Clock::time_point deadline);

  // Sends all of `bytes`. Errors: kIo.
  Status send(std::string_view bytes, Clock::time_point deadline);
  // Returns the next reply. Errors: kIo, also at the deadline; those of ReplyReader.
  Result<Reply> receive(Clock::time_point deadline);
  // Returns true if nothing unrequested has arrived: neither bytes nor the end of the connection. Servers
  // close idle connections, and send() alone would not notice that.
  bool is_quiet();

  const std::string& name() const { return name_; }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Connection(std::unique_ptr<redisContext, Free> context, std::string name);

  Status begin_tls(const TlsParameters& tls, const std::string& host, Clock::time_point deadline);
  Status log_in(const Login& login, Clock::time_point deadline);
  // Sends bytes as they are, encrypted or not.
  Status send_to_socket(std::string_view bytes, Clock::time_point deadline);
  Status wait_for(short events, short& found, Clock::time_point deadline) const;
  // Reads the arrived bytes into the reader. Sets `whole` to false if the server has closed the connection.
  Status take(bool& whole);
  Error lost(const std::string& detail) const;
  const char* advice() const;

  std::unique_ptr<redisContext, Free> context_;
  std::optional<TlsSession> tls_;
  ReplyReader reader_;
  bool has_received_ = false;
  std::string name_;
};

}  // namespace bloomery::redis
