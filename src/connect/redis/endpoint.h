// The address at which one server listens: a host and a port, or the path of a Unix socket.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace bloomery::redis {

struct Endpoint {
  std::string host;
  std::uint16_t port = 6379;
  std::string socket_path;  // if it is not empty, host and port are unused

  bool is_socket() const { return !socket_path.empty(); }
  auto operator<=>(const Endpoint&) const = default;

  // Returns the name in messages: "redis 127.0.0.1:6379", "redis [::1]:6379" or "redis /run/redis.sock".
  std::string name() const {
    if (is_socket()) {
      return "redis " + socket_path;
    }
    const bool is_v6 = host.find(':') != std::string::npos;
    return "redis " + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

}  // namespace bloomery::redis
