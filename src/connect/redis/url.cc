#include "connect/redis/url.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "connect/redis/tls_session.h"
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

// Returns where the value of a parameter goes, or null for an unknown name.
std::string* text_parameter(Url& url, std::string_view name) {
  if (name == "password-file") {
    return &url.login.password_file;
  }
  if (!url.tls) {
    return nullptr;
  }
  return name == "cacert"      ? &url.tls->ca_file
         : name == "cacertdir" ? &url.tls->ca_folder
         : name == "cert"      ? &url.tls->certificate
         : name == "key"       ? &url.tls->key
         : name == "sni"       ? &url.tls->server_name
                               : nullptr;
}

Status take_parameter(std::string_view name, std::string_view value, Url& url) {
  if (name == "db" && url.endpoint.is_socket()) {
    BLOOMERY_ASSIGN_OR_RETURN(url.login.database, number<std::uint32_t>(value, "database"));
    return {};
  }
  std::string* const text = text_parameter(url, name);
  if (text == nullptr) {
    return bad(message("expected the parameters password-file",
                       url.tls                    ? ", cacert, cacertdir, cert, key and sni"
                       : url.endpoint.is_socket() ? " and db"
                                                  : ", and those of TLS with rediss:// alone",
                       ", found '", name, "'"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(*text, unescaped(value, "parameters"));
  if (text->empty() || text->find('\0') != std::string::npos) {
    return bad(message("expected a value of ", name, "=, without a NUL byte"));
  }
  return {};
}

// Parses "name=value&name=value".
Status read_parameters(std::string_view rest, Url& url) {
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      return bad("expected NAME=VALUE behind the ?, found no =");
    }
    BLOOMERY_RETURN_IF_ERROR(take_parameter(one.substr(0, equals), one.substr(equals + 1), url));
  }
  if (url.tls && url.tls->certificate.empty() != url.tls->key.empty()) {
    return bad("expected cert= and key= together, found one of them");
  }
  if (!url.login.password_file.empty() && !url.login.password.value_or("").empty()) {
    return bad("expected no password beside password-file=");
  }
  if (!url.login.user.empty() && url.login.password && !url.login.password_file.empty()) {
    url.login.password.reset();
  }
  return {};
}

Result<Url> parse_tcp(std::string_view rest, bool has_tls) {
  Url url;
  if (has_tls) {
    url.tls.emplace();
  }
  BLOOMERY_RETURN_IF_ERROR(take_login(rest, url.login));
  const std::size_t question = rest.find('?');
  const std::string_view parameters =
      question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  rest = rest.substr(0, question);
  if (rest.find('#') != std::string_view::npos) {
    return bad("expected redis://[user:password@]host[:port][/database] and no # behind it");
  }
  const std::size_t slash = rest.find('/');
  BLOOMERY_RETURN_IF_ERROR(read_host(rest.substr(0, slash), url.endpoint));
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    BLOOMERY_ASSIGN_OR_RETURN(url.login.database, number<std::uint32_t>(rest.substr(slash + 1), "database"));
  }
  BLOOMERY_RETURN_IF_ERROR(read_parameters(parameters, url));
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
  BLOOMERY_ASSIGN_OR_RETURN(url.endpoint.socket_path, unescaped(rest.substr(0, question), "path"));
  if (url.endpoint.socket_path.find('\0') != std::string::npos) {
    return bad("expected a path without a NUL byte");
  }
  if (question != std::string_view::npos) {
    BLOOMERY_RETURN_IF_ERROR(read_parameters(rest.substr(question + 1), url));
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
      return parse_tcp(rest, false);
    }
    if (scheme == "unix" || scheme == "redis+unix") {
      return parse_unix(rest);
    }
    if (scheme == "rediss" && !has_tls()) {
      return Error(ErrorCode::kUnsupported, "URL of a Redis server",
                   "expected redis:// or unix://, found rediss://: this build has no TLS, because OpenSSL "
                   "(libssl-dev) was missing");
    }
    if (scheme == "rediss") {
      return parse_tcp(rest, true);
    }
  }
  return bad("expected redis://host:port/database, rediss:// the same over TLS, or unix:///path");
}

}  // namespace bloomery::redis
