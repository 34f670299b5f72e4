#include "connect/redis/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <system_error>

#include "base/file.h"
#include "base/message.h"
#include "connect/redis/command.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr std::size_t kPasswordBytesMax = 4096;
constexpr std::string_view kTlsAlert = "\x15\x03";  // how a server with TLS may reply to plain bytes

std::chrono::milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::clamp(left, std::chrono::milliseconds(0), std::chrono::milliseconds(24 * 3600 * 1000));
}

// Makes an error without an errno: callers would read EPIPE as our closed output and EINTR as Ctrl-C.
Error system_error(const std::string& name, const std::string& call, int errno_value) {
  return Error(errno_value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, name,
               message(call, ": ", std::generic_category().message(errno_value)));
}

// Returns the first line of a file. Errors never show what is in it.
Result<std::string> password_of(const std::string& path) {
  std::string line(kPasswordBytesMax + 1, '\0');
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size,
                            files.read_at(file, 0, std::as_writable_bytes(std::span(line))));
  line.resize(std::min(size, line.find_first_of("\r\n")));
  if (line.empty() || line.size() > kPasswordBytesMax) {
    return Error::invalid_argument(path, message("expected a password of 1 to ", kPasswordBytesMax,
                                                 " bytes in the first line, found another length"));
  }
  return line;
}

}  // namespace

void Connection::Free::operator()(redisContext* context) const {
  redisFree(context);
}

Connection::Connection(std::unique_ptr<redisContext, Free> context, std::string name)
    : context_(std::move(context)), name_(std::move(name)) {}

// A server of TLS may hang up on a client without.
const char* Connection::advice() const {
  return tls_ || has_received_ ? "" : "; if this port wants TLS, write rediss://";
}

Error Connection::lost(const std::string& detail) const {
  return Error(ErrorCode::kIo, name_, detail);
}

Result<Connection> Connection::open(const Endpoint& endpoint, const Url& url, Clock::time_point deadline) {
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
  if (url.tls) {
    BLOOMERY_RETURN_IF_ERROR(connection.begin_tls(*url.tls, endpoint.host, deadline));
  }
  BLOOMERY_RETURN_IF_ERROR(connection.log_in(url.login, deadline));
  return connection;
}

Status Connection::begin_tls(const TlsParameters& tls, const std::string& host, Clock::time_point deadline) {
  Result<TlsSession> session = TlsSession::start(tls, host);
  if (!session) {
    return session.error().in_file(name_);
  }
  tls_ = std::move(*session);
  bool whole = true;
  for (;;) {
    const Result<bool> done = tls_->handshake();
    // After a failure the output is the alert that tells the server why.
    const Status sent = send_to_socket(tls_->take_output(), deadline);
    if (!done) {
      return done.error().in_file(name_);
    }
    if (!sent) {
      return sent;
    }
    if (*done) {
      return {};
    }
    if (!whole) {
      return lost("expected the handshake of TLS, found the end of the connection");
    }
    short found = 0;
    if (!wait_for(POLLIN, found, deadline)) {
      return lost(
          "expected the handshake of TLS within the time limit, found none: the server is slow, or its port "
          "has no TLS");
    }
    BLOOMERY_RETURN_IF_ERROR(take(whole));
  }
}

Status Connection::log_in(const Login& login, Clock::time_point deadline) {
  std::string bytes;
  std::array<const char*, 2> expected{};
  std::size_t replies = 0;
  std::optional<std::string> password = login.password;
  if (!login.password_file.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(password, password_of(login.password_file));
  }
  if (password) {
    Command auth("AUTH");
    if (!login.user.empty()) {
      auth.word(login.user);
    }
    auth.word(*password).append_to(bytes);
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
      // A server without AUTH repeats the words of the command, with the password.
      const std::string found = password && reply.text.find("unknown command") != std::string::npos
                                    ? "that it knows no AUTH"
                                    : reply.describe();
      return Error(error_of(reply, name_).code(), name_,
                   message("expected ", expected[i], ", found ", found));
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
  std::array<char, kReadBytes> buffer;
  const ssize_t got = ::recv(context_->fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got <= 0) {
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
      return {};
    }
    whole = false;
    if (got == 0) {
      return {};
    }
    const Error reset = system_error(name_, "recv", errno);
    return Error(reset.code(), name_, reset.detail() + advice());
  }
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  std::string opened;
  if (tls_) {
    BLOOMERY_RETURN_IF_ERROR(tls_->feed(bytes));
    Result<std::string> plain = tls_->open(whole);
    if (!plain) {
      return plain.error().in_file(name_);
    }
    opened = std::move(*plain);
    bytes = opened;
  } else if (!has_received_ && bytes.starts_with(kTlsAlert)) {
    return Error::invalid_argument(name_, "expected a reply, found TLS: rediss:// is for this port");
  }
  has_received_ = true;
  const Status fed = bytes.empty() ? Status() : reader_.feed(bytes);
  return fed ? fed : Status(fed.error().in_file(name_));
}

Status Connection::send(std::string_view bytes, Clock::time_point deadline) {
  if (!tls_) {
    return send_to_socket(bytes, deadline);
  }
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kReadBytes);
    bytes.remove_prefix(part.size());
    if (const Status sealed = tls_->seal(part); !sealed) {
      return sealed.error().in_file(name_);
    }
    BLOOMERY_RETURN_IF_ERROR(send_to_socket(tls_->take_output(), deadline));
  }
  return {};
}

Status Connection::send_to_socket(std::string_view bytes, Clock::time_point deadline) {
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
      return lost(message("expected ", reader_.has_rest() ? "the rest of a reply" : "a reply",
                          ", found the end of the connection", advice()));
    }
    short found = 0;
    BLOOMERY_RETURN_IF_ERROR(wait_for(POLLIN, found, deadline));
    BLOOMERY_RETURN_IF_ERROR(take(whole));
  }
}

// A server of TLS sends session tickets unasked, so only the replies tell.
bool Connection::is_quiet() {
  bool whole = true;
  return take(whole) && whole && !reader_.has_rest();
}

}  // namespace bloomery::redis
