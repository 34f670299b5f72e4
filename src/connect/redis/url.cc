#include "connect/redis/url.h"

#include <utility>

#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery::redis {
namespace {

Error bad(const std::string& detail) {
  return Error::invalid_argument("URL of a Redis server", detail);
}

Result<std::string> unescaped(std::string_view text, const char* part) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    const int high = text.size() - i < 3 ? -1 : hex_digit(text[i + 1]);
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (low < 0) {
      return bad(message("expected two hexadecimal digits behind a % in the ", part));
    }
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return bytes;
}

template <typename Number>
Result<Number> number(std::string_view text, const char* part) {
  const std::optional<Number> value = number_from_text<Number>(text);
  if (!value) {
    return bad(message("expected a number as the ", part, ", found '", text, "'"));
  }
  return *value;
}

// Parses "user:password@" at the start of `rest` and removes it.
Status take_login(std::string_view& rest, Login& login) {
  const std::size_t end = rest.find('@');
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string_view both = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  const std::size_t colon = both.find(':');
  if (colon == std::string_view::npos) {
    return bad("expected user:password@ or :password@, found no colon before the @");
  }
  BLOOMERY_ASSIGN_OR_RETURN(login.user, unescaped(both.substr(0, colon), "user"));
  BLOOMERY_ASSIGN_OR_RETURN(login.password, unescaped(both.substr(colon + 1), "password"));
  return {};
}

Status read_host(std::string_view text, Endpoint& endpoint) {
  std::string_view port;
  std::size_t colon = text.rfind(':');
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return bad(message("expected ] behind an IPv6 address, found '", text, "'"));
    }
    endpoint.host = text.substr(1, end - 1);
    colon = end + 1 < text.size() ? end + 1 : std::string_view::npos;
  } else {
    endpoint.host = text.substr(0, colon);
    if (endpoint.host.find(':') != std::string::npos) {
      return bad(message("expected an IPv6 address in brackets, found '", text, "'"));
    }
  }
  if (endpoint.host.empty()) {
    return bad("expected a host");
  }
  if (endpoint.host.find('\0') != std::string::npos) {
    return bad("expected a host without a NUL byte");
  }
  if (colon == std::string_view::npos) {
    return {};
  }
  if (text[colon] != ':') {
    return bad(message("expected a colon behind ], found '", text.substr(colon), "'"));
  }
  port = text.substr(colon + 1);
  BLOOMERY_ASSIGN_OR_RETURN(endpoint.port, number<std::uint16_t>(port, "port"));
  return endpoint.port == 0 ? Status(bad("expected a port from 1 to 65535, found 0")) : Status();
}

Result<Url> parse_tcp(std::string_view rest) {
  Url url;
  BLOOMERY_RETURN_IF_ERROR(take_login(rest, url.login));
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return bad("expected redis://[user:password@]host[:port][/database] and no ? or # behind it");
  }
  const std::size_t slash = rest.find('/');
  BLOOMERY_RETURN_IF_ERROR(read_host(rest.substr(0, slash), url.endpoint));
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    BLOOMERY_ASSIGN_OR_RETURN(url.login.database, number<std::uint32_t>(rest.substr(slash + 1), "database"));
  }
  return url;
}

Result<Url> parse_unix(std::string_view rest) {
  Url url;
  if (const std::size_t slash = rest.find('/'); slash != 0) {
    // User information can only precede the path, which may itself contain an @.
    std::string_view before = rest.substr(0, slash);
    BLOOMERY_RETURN_IF_ERROR(take_login(before, url.login));
    if (!before.empty() || slash == std::string_view::npos) {
      return bad("expected unix:///path: an absolute path, behind three slashes");
    }
    rest.remove_prefix(slash);
  }
  const std::size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    const std::string_view query = rest.substr(question + 1);
    if (!query.starts_with("db=")) {
      return bad(message("expected ?db=NUMBER behind the path, found '?", query, "'"));
    }
    BLOOMERY_ASSIGN_OR_RETURN(url.login.database, number<std::uint32_t>(query.substr(3), "database"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(url.endpoint.socket_path, unescaped(rest.substr(0, question), "path"));
  if (url.endpoint.socket_path.find('\0') != std::string::npos) {
    return bad("expected a path without a NUL byte");
  }
  return url;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const std::size_t end = text.find("://");
  const std::string_view scheme = text.substr(0, end);
  if (end != std::string_view::npos) {
    const std::string_view rest = text.substr(end + 3);
    if (scheme == "redis") {
      return parse_tcp(rest);
    }
    if (scheme == "unix" || scheme == "redis+unix") {
      return parse_unix(rest);
    }
    if (scheme == "rediss") {
      return Error(ErrorCode::kUnsupported, "URL of a Redis server",
                   "expected redis:// or unix://, found rediss://: TLS is not offered; a tunnel, such as "
                   "stunnel, can put it between");
    }
  }
  return bad("expected redis://host:port/database or unix:///path");
}

}  // namespace bloomery::redis
