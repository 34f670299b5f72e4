// Parses the URL of a Redis server.
//
//   redis://[user:password@]host[:port][/database]
//   redis://:password@host                                    the user "default"
//   unix:///path/to/socket[?db=database]                      also with user:password@, also redis+unix://
//
// The defaults are port 6379 and database 0. User, password and path may have %XX for any byte. An IPv6
// address is in brackets. Error messages never show what precedes the @.
//
// Source: the scheme that IANA lists for redis, and redis-cli(1). Differences: user information without a
// colon is refused, because some clients read it as a user and others as a password. Parts that we would
// ignore are refused too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"

namespace bloomery::redis {

// The login that is sent first on every connection.
struct Login {
  std::string user;                     // empty: the user "default"
  std::optional<std::string> password;  // nothing: AUTH is not sent
  std::uint32_t database = 0;
};

struct Url {
  Endpoint endpoint;
  Login login;
};

// Errors: kInvalidArgument; kUnsupported for rediss:// (TLS).
Result<Url> parse_url(std::string_view text);

}  // namespace bloomery::redis
