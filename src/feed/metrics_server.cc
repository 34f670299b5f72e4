#include "feed/metrics_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <poll.h>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

constexpr std::size_t kRequestBytesMax = 4096;
constexpr std::uint64_t kRequestNs = 2'000'000'000;
constexpr int kNoDescriptorMs = 100;

// Waits until `descriptor` is ready for `events`, or for the deadline. Returns true if it is ready.
bool waits_for(int descriptor, short events, std::uint64_t deadline_ns) {
  int ready = 0;
  do {
    const std::uint64_t now = boot_clock_ns();
    if (now >= deadline_ns) {
      return false;
    }
    pollfd waited{.fd = descriptor, .events = events, .revents = 0};
    ready = ::poll(&waited, 1, static_cast<int>((deadline_ns - now) / 1'000'000 + 1));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// Closes a descriptor unless it is released.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int release() { return std::exchange(number, -1); }
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Result<SocketAddress> socket_address(const std::string& text) {
  const auto refused = [&] {
    return Error::invalid_argument("--metrics-listen",
                                   "expected PORT, ADDRESS:PORT or [ADDRESS]:PORT, found '" + text + "'");
  };
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string_view digits = std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1);
  std::uint16_t port = 0;
  const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (failure != std::errc() || rest != digits.data() + digits.size()) {
    return refused();
  }
  const bool is_v6 = host.starts_with('[') && host.ends_with(']');
  if (is_v6) {
    host = host.substr(1, host.size() - 2);
  }
  SocketAddress address;
  if (is_v6) {
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
    return ::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1 ? Result<SocketAddress>(address)
                                                                    : refused();
  }
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port);
  address.size = sizeof(sockaddr_in);
  return ::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1 ? Result<SocketAddress>(address) : refused();
}

Error cannot_listen(const std::string& address) {
  return Error(ErrorCode::kIo, "--metrics-listen",
               fmt::format("expected that {} can be listened at, found: {}", address,
                           std::generic_category().message(errno)));
}

std::string http_response(const char* status, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, body.size(), body);
}

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::listen(const std::string& address) {
  BLOOMERY_ASSIGN_OR_RETURN(const SocketAddress where, socket_address(address));
  Descriptor listener(::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (listener.number < 0 ||
      ::setsockopt(listener.number, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(listener.number, reinterpret_cast<const sockaddr*>(&where.storage), where.size) != 0 ||
      ::listen(listener.number, 16) != 0) {
    return cannot_listen(address);
  }
  std::array<int, 2> stop{};
  if (::pipe2(stop.data(), O_CLOEXEC) != 0) {
    return cannot_listen(address);
  }
  return std::unique_ptr<MetricsServer>(new MetricsServer(listener.release(), stop[0], stop[1]));
}

MetricsServer::MetricsServer(int listener, int stop_read, int stop_write)
    : listener_(listener), stop_read_(stop_read), stop_write_(stop_write), thread_([this] { run(); }) {}

MetricsServer::~MetricsServer() {
  ::close(stop_write_);
  thread_.join();
  ::close(stop_read_);
  ::close(listener_);
}

void MetricsServer::publish(std::string metrics, std::string state, std::uint64_t good_until_ns) {
  const std::lock_guard lock(mutex_);
  metrics_ = std::move(metrics);
  state_ = std::move(state);
  good_until_ns_ = good_until_ns;
}

void MetricsServer::run() {
  for (;;) {
    std::array<pollfd, 2> waited{pollfd{.fd = listener_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = stop_read_, .events = POLLIN, .revents = 0}};
    (void)::poll(waited.data(), waited.size(), -1);
    if (waited[1].revents != 0) {
      return;
    }
    const Descriptor connection(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.number >= 0) {
      serve(connection.number);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      (void)::poll(&waited[1], 1,
                   kNoDescriptorMs);  // the connection is still there, and can't be accepted yet
    }
  }
}

void MetricsServer::serve(int connection) const {
  const std::uint64_t deadline = boot_clock_ns() + kRequestNs;
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos) {
    std::array<char, kRequestBytesMax> bytes;
    const ssize_t got =
        waits_for(connection, POLLIN, deadline) ? ::recv(connection, bytes.data(), bytes.size(), 0) : 0;
    if (got <= 0 || request.size() + static_cast<std::size_t>(got) > kRequestBytesMax) {
      return;
    }
    request.append(bytes.data(), static_cast<std::size_t>(got));
  }
  const std::string response = response_to(request);
  std::string_view rest = response;
  while (!rest.empty() && waits_for(connection, POLLOUT, deadline)) {
    const ssize_t sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string MetricsServer::response_to(const std::string& request) const {
  if (!request.starts_with("GET ")) {
    return http_response("405 Method Not Allowed", "only GET\n");
  }
  const std::string_view target = std::string_view(request).substr(4, request.find_first_of(" \r\n", 4) - 4);
  const std::string_view path = target.substr(0, target.find('?'));
  const std::lock_guard lock(mutex_);
  if (path == "/metrics") {
    return http_response("200 OK", metrics_);
  }
  if (path == "/healthz") {
    const bool is_good = boot_clock_ns() < good_until_ns_;
    return http_response(is_good ? "200 OK" : "503 Service Unavailable", state_ + "\n");
  }
  return http_response("404 Not Found", "/metrics and /healthz\n");
}

}  // namespace bloomery::feed
