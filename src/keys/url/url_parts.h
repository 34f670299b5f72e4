// A URL cut into its components, as views of it.
//
//   scheme ":" [ "//" authority ] path [ "?" query ] [ "#" fragment ]        authority = [ userinfo "@" ]
//   host [ ":" port ]
//
// An absent component and an empty one are different things ("http://a/" and "http://a/?"). Only the scheme
// is checked; the other components are whatever stands between the delimiters. Source: RFC 3986, section 3
// and appendix B.
#pragma once

#include <optional>
#include <string_view>

namespace bloomery {

struct UrlParts {
  std::string_view scheme;
  std::optional<std::string_view> authority = {};
  std::string_view path = {};
  std::optional<std::string_view> query = {};
  std::optional<std::string_view> fragment = {};
};

struct UrlAuthority {
  std::optional<std::string_view> userinfo = {};
  std::string_view host = {};  // an IP literal with its brackets
  std::optional<std::string_view> port = {};
};

// Returns nothing where the text does not begin with a scheme: a relative reference, or no URL at all.
std::optional<UrlParts> split_url(std::string_view url);

// Returns nothing where the bracket of an IP literal is not closed, or something other than a port follows
// it.
std::optional<UrlAuthority> split_authority(std::string_view authority);

}  // namespace bloomery
