#include "keys/url/url_parts.h"

#include <algorithm>
#include <cstddef>

#include "keys/url/percent_encoding.h"

namespace bloomery {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Reads the last component, which begins with `mark`, and removes it from the end of `text`. Returns nothing
// if there is no mark.
std::optional<std::string_view> read_last(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == kNone) {
    return std::nullopt;
  }
  const std::string_view component = text.substr(at + 1);
  text = text.substr(0, at);
  return component;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_scheme_character);
}

}  // namespace

std::optional<UrlParts> split_url(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == kNone || !is_scheme(url.substr(0, colon))) {
    return std::nullopt;
  }
  UrlParts parts{.scheme = url.substr(0, colon)};
  url.remove_prefix(colon + 1);
  parts.fragment = read_last(url, '#');
  parts.query = read_last(url, '?');
  if (url.starts_with("//")) {
    const std::size_t end = std::min(url.find('/', 2), url.size());
    parts.authority = url.substr(2, end - 2);
    url.remove_prefix(end);
  }
  parts.path = url;
  return parts;
}

std::optional<UrlAuthority> split_authority(std::string_view authority) {
  UrlAuthority parts;
  if (const std::size_t at = authority.find('@'); at != kNone) {
    parts.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == kNone) {
      return std::nullopt;
    }
    ++end;
  }
  end = std::min(end, authority.size());
  parts.host = authority.substr(0, end);
  authority.remove_prefix(end);
  if (!authority.empty()) {
    if (authority.front() != ':') {
      return std::nullopt;
    }
    parts.port = authority.substr(1);
  }
  return parts;
}

}  // namespace bloomery
