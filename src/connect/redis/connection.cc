#include "connect/redis/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <system_error>

#include "base/message.h"
#include "connect/redis/command.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kReadBytes = 65536;

std::chrono::milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::clamp(left, std::chrono::milliseconds(0), std::chrono::milliseconds(24 * 3600 * 1000));
}

// Makes an error without an errno: callers would read EPIPE as our closed output and EINTR as Ctrl-C.
Error system_error(const std::string& name, const std::string& call, int errno_value) {
  return Error(errno_value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, name,
               message(call, ": ", std::generic_category().message(errno_value)));
}

}  // namespace

void Connection::Free::operator()(redisContext* context) const {
  redisFree(context);
}

Connection::Connection(std::unique_ptr<redisContext, Free> context, std::string name)
    : context_(std::move(context)), name_(std::move(name)) {}

Error Connection::lost(const std::string& detail) const {
  return Error(ErrorCode::kIo, name_, detail);
}

Result<Connection> Connection::open(const Endpoint& endpoint, const Login& login,
                                    Clock::time_point deadline) {
  const std::string name = endpoint.name();
  const auto left = std::max(until(deadline), std::chrono::milliseconds(1));
  const timeval limit = {.tv_sec = static_cast<time_t>(left.count() / 1000),
                         .tv_usec = static_cast<suseconds_t>(left.count() % 1000 * 1000)};
  errno = 0;
  std::unique_ptr<redisContext, Free> context(
      endpoint.is_socket() ? redisConnectUnixWithTimeout(endpoint.socket_path.c_str(), limit)
                           : redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port, limit));
  if (context == nullptr) {
    return Error::capacity(name, "memory has no room for a connection");
  }
  if (context->err != 0) {
    return Error(errno == ENOENT && endpoint.is_socket() ? ErrorCode::kNotFound : ErrorCode::kIo, name,
                 message("expected a server that listens, found: ", context->errstr));
  }
  const int flags = ::fcntl(context->fd, F_GETFL);
  if (flags < 0 || ::fcntl(context->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return system_error(name, "fcntl", errno);
  }
  Connection connection(std::move(context), name);
  BLOOMERY_RETURN_IF_ERROR(connection.log_in(login, deadline));
  return connection;
}

Status Connection::log_in(const Login& login, Clock::time_point deadline) {
  std::string bytes;
  std::array<const char*, 2> expected{};
  std::size_t replies = 0;
  if (login.password) {
    Command auth("AUTH");
    if (!login.user.empty()) {
      auth.word(login.user);
    }
    auth.word(*login.password).append_to(bytes);
    expected[replies++] = "that user and password are accepted";
  }
  if (login.database != 0) {
    Command("SELECT").word(std::int64_t{login.database}).append_to(bytes);
    expected[replies++] = "that the database is accepted";
  }
  BLOOMERY_RETURN_IF_ERROR(send(bytes, deadline));
  for (std::size_t i = 0; i < replies; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, receive(deadline));
    if (reply.is_error()) {
      return Error(error_of(reply, name_).code(), name_,
                   message("expected ", expected[i], ", found ", reply.describe()));
    }
  }
  return {};
}

Status Connection::wait_for(short events, short& found, Clock::time_point deadline) const {
  for (;;) {
    pollfd waited = {.fd = context_->fd, .events = events, .revents = 0};
    const auto left = until(deadline);
    const int ready = ::poll(&waited, 1, static_cast<int>(left.count()));
    if (ready > 0) {
      found = waited.revents;
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return system_error(name_, "poll", errno);
    }
    if (left.count() == 0) {
      return lost("expected an answer within the time limit, found none");
    }
  }
}

Status Connection::take(bool& whole) {
  std::array<char, kReadBytes> bytes;
  const ssize_t got = ::recv(context_->fd, bytes.data(), bytes.size(), 0);
  if (got > 0) {
    const Status fed = reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
    return fed ? fed : Status(fed.error().in_file(name_));
  }
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return {};
  }
  whole = false;
  return got == 0 ? Status() : Status(system_error(name_, "recv", errno));
}

Status Connection::send(std::string_view bytes, Clock::time_point deadline) {
  bool whole = true;
  while (!bytes.empty()) {
    short found = 0;
    BLOOMERY_RETURN_IF_ERROR(wait_for(whole ? POLLOUT | POLLIN : POLLOUT, found, deadline));
    if ((found & POLLIN) != 0) {
      BLOOMERY_RETURN_IF_ERROR(take(whole));
      if (!whole) {
        return lost("expected that it takes commands, found the end of the connection");
      }
    }
    const ssize_t sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return system_error(name_, "send", errno);
    }
  }
  return {};
}

Result<Reply> Connection::receive(Clock::time_point deadline) {
  bool whole = true;
  for (;;) {
    Result<std::optional<Reply>> reply = reader_.next();
    if (!reply) {
      return reply.error().in_file(name_);
    }
    if (*reply) {
      return std::move(**reply);
    }
    if (!whole) {
      return lost(reader_.has_rest() ? "expected the rest of a reply, found the end of the connection"
                                     : "expected a reply, found the end of the connection");
    }
    short found = 0;
    BLOOMERY_RETURN_IF_ERROR(wait_for(POLLIN, found, deadline));
    BLOOMERY_RETURN_IF_ERROR(take(whole));
  }
}

bool Connection::is_quiet() const {
  char byte = 0;
  const ssize_t got = ::recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && !reader_.has_rest();
}

}  // namespace bloomery::redis
