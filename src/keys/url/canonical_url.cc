#include "keys/url/canonical_url.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hash/ascii_text.h"
#include "keys/url/dot_segments.h"
#include "keys/url/percent_encoding.h"
#include "keys/url/url_host.h"

namespace bloomery {
namespace {

struct SchemePort {
  std::string_view scheme;
  unsigned port;
};

// Schemes whose URLs have a host, with the default port, which is omitted. Sources: RFC 9110, RFC
// 1738, RFC 6455.
constexpr std::array<SchemePort, 5> kSchemePorts = {
    {{"http", 80}, {"https", 443}, {"ftp", 21}, {"ws", 80}, {"wss", 443}}};

std::optional<unsigned> default_port_of(std::string_view scheme) {
  const auto* const found = std::ranges::find(kSchemePorts, scheme, &SchemePort::scheme);
  return found != kSchemePorts.end() ? std::optional(found->port) : std::nullopt;
}

// -- The single scan of a URL that is already canonical

enum Trait : std::uint8_t {
  kNeedsWork = 1,
  kCapital = 2,
  kQuestion = 4,
  kDot = 8,
  kSlash = 16,
  kDotSegment = 32,  // possibly: a dot after a slash
  kPlainHost = 64,
};

constexpr std::array<std::uint8_t, 256> character_traits() {
  std::array<std::uint8_t, 256> traits{};
  for (std::size_t byte = 0; byte < traits.size(); ++byte) {
    const char character = static_cast<char>(byte);
    const bool capital = is_letter(character) && lower_ascii(character) != character;
    const bool plain_host = (kUrlCharacterClasses[byte] & (kUnreserved | kSubDelimiters)) != 0 && !capital;
    traits[byte] =
        static_cast<std::uint8_t>(((kUrlCharacterClasses[byte] & kQueryCharacters) == 0 ? kNeedsWork : 0) |
                                  (capital ? kCapital : 0) | (plain_host ? kPlainHost : 0));
  }
  traits['?'] |= kQuestion;
  traits['.'] |= kDot;
  traits['/'] |= kSlash;
  return traits;
}
constexpr std::array<std::uint8_t, 256> kTraits = character_traits();

constexpr std::uint8_t traits_of(char character) {
  return kTraits[static_cast<unsigned char>(character)];
}

// Returns the OR of the traits of all characters. The text is a path and a query that begin with a slash.
unsigned seen_in(std::string_view text) {
  static_assert(kSlash >> 1 == kDot && kDot << 2 == kDotSegment);
  unsigned seen = 0;
  unsigned previous = 0;
  for (const char character : text) {
    const unsigned traits = traits_of(character);
    seen |= traits | ((previous >> 1 & traits & kDot) << 2);
    previous = traits;
  }
  return seen;
}

}  // namespace

// Returns true if the URL is http or https, with a lower-case host and a path, and contains nothing that
// another function must check.
bool UrlCanonicalizer::is_plainly_canonical(std::string_view url) const {
  const std::size_t host = url.starts_with("https://") ? 8 : 7;
  if (host == 7 && !url.starts_with("http://")) {
    return false;
  }
  std::size_t end = host;
  while (end < url.size() && (traits_of(url[end]) & kPlainHost) != 0) {
    ++end;
  }
  if (end == host || end == url.size() || url[end] != '/') {
    return false;
  }
  unsigned work = kNeedsWork | kDotSegment;
  if (fold_) {
    work |= kCapital;
  }
  if (options_.sort_query || options_.drop_tracking) {
    work |= kQuestion;
  }
  return (seen_in(url.substr(end)) & work) == 0;
}

std::optional<std::string_view> UrlCanonicalizer::canonical(std::string_view url) & {
  if (is_plainly_canonical(url)) {
    return url;
  }
  const std::optional<UrlParts> parts = split_url(url);
  text_.clear();
  return parts && append_all(*parts) ? std::optional<std::string_view>(text_) : std::nullopt;
}

bool UrlCanonicalizer::append_all(const UrlParts& parts) {
  text_ += folded(parts.scheme);
  const std::optional<unsigned> default_port = default_port_of(text_);
  text_ += ':';
  if (parts.authority) {
    text_ += "//";
    if (!append_authority(*parts.authority, default_port)) {
      return false;
    }
  } else if (default_port) {
    return false;  // http: and similar schemes need a host
  }
  return append_path(parts) && (!parts.query || append_query(*parts.query));
}

bool UrlCanonicalizer::append_text(std::string_view text, std::uint8_t allowed) {
  const std::size_t begin = text_.size();
  if (!append_normalized(text_, text, allowed)) {
    return false;
  }
  if (fold_) {
    fold_normalized(text_, begin);
  }
  return true;
}

bool UrlCanonicalizer::append_authority(std::string_view authority, std::optional<unsigned> default_port) {
  const std::optional<UrlAuthority> parts = split_authority(authority);
  if (!parts || (parts->host.empty() && default_port)) {
    return false;
  }
  if (parts->userinfo) {
    if (!append_text(*parts->userinfo, kUserinfoCharacters)) {
      return false;
    }
    text_ += '@';
  }
  if (!append_host(text_, parts->host)) {
    return false;
  }
  std::string_view port = parts->port.value_or("");
  if (!std::ranges::all_of(port, is_ascii_digit)) {
    return false;
  }
  if (port.empty()) {
    return true;
  }
  port.remove_prefix(std::min(port.find_first_not_of('0'), port.size() - 1));
  constexpr std::size_t kMostDigits = 5;
  unsigned number = 0;
  for (const char digit : port.substr(0, kMostDigits)) {
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  if (port.size() > kMostDigits || number > 65535) {
    return false;
  }
  if (number != default_port) {
    text_ += ':';
    text_ += port;
  }
  return true;
}

// A path that does not begin with a slash, as in mailto: and urn:, has no segments to resolve.
bool UrlCanonicalizer::append_path(const UrlParts& parts) {
  const std::size_t begin = text_.size();
  if (parts.path.empty() && parts.authority) {
    text_ += '/';
    return true;
  }
  if (!append_text(parts.path, kPathCharacters)) {
    return false;
  }
  if (parts.path.starts_with('/') && text_.find("/.", begin) != std::string::npos) {
    remove_dot_segments(text_, begin);
  }
  // Without an authority, the rest must not look like one.
  if (!parts.authority && std::string_view(text_).substr(begin).starts_with("//")) {
    text_.insert(begin, "/.");
  }
  return true;
}

bool UrlCanonicalizer::append_query(std::string_view query) {
  const std::size_t mark = text_.size();
  text_ += '?';
  if (!append_text(query, kQueryCharacters)) {
    return false;
  }
  if (options_.sort_query || options_.drop_tracking) {
    query_.arrange(text_, mark, options_);
  }
  return true;
}

}  // namespace bloomery
