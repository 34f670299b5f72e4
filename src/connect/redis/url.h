// Parses the URL of a Redis server.
//
//   redis://[user:password@]host[:port][/database]
//   redis://:password@host                                    the user "default"
//   rediss://...                                              the same over TLS
//   unix:///path/to/socket[?db=database]                      also with user:password@, also redis+unix://
//
// The defaults are port 6379 and database 0. An IPv6 address is in brackets. Parameters follow a `?`, with
// `&` between them. User, password, path and parameters may have %XX for any byte, and an @ in a parameter
// must be %40. The parameters have the names of redis-cli's options:
//
//   password-file=FILE                                the first line is the password; for all schemes
//   cacert=FILE, cacertdir=FOLDER                     rediss: who may have signed the server's certificate
//   cert=FILE, key=FILE                               rediss: the client's certificate and its key
//   sni=NAME                                          rediss: the host that the server's certificate names
//
// Error messages never show what precedes the @, nor the value of an unknown parameter.
//
// Source: the scheme that IANA lists for redis, and redis-cli(1). Differences: user information without a
// colon is refused, because some clients read it as a user and others as a password. Parts that we would
// ignore are refused too. Nothing turns the verification of a certificate off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"
#include "connect/redis/tls.h"

namespace bloomery::redis {

// The login that is sent first on every connection.
struct Login {
  std::string user;                     // empty: the user "default"
  std::optional<std::string> password;  // nothing, and no file: AUTH is not sent
  std::string password_file = {};       // read at each login; empty: none
  std::uint32_t database = 0;
};

struct Url {
  Endpoint endpoint;
  Login login;
  std::optional<TlsParameters> tls = {};  // nothing: plain bytes
};

// Errors: kInvalidArgument; kUnsupported for rediss:// in a build without TLS.
Result<Url> parse_url(std::string_view text);

}  // namespace bloomery::redis
