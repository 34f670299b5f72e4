// Splits a URL into its components, as views of it.
//
//   URL       = scheme ":" [ "//" authority ] path [ "?" query ] [ "#" fragment ]
//   authority = [ userinfo "@" ] host [ ":" port ]
//
// An absent component differs from an empty one ("http://a/" and "http://a/?"). Only the scheme is checked;
// the other components are the text between the delimiters. Source: RFC 3986, section 3 and appendix B.
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

// Returns nothing if the text does not begin with a scheme: it is a relative reference, or no URL at all.
std::optional<UrlParts> split_url(std::string_view url);

// Returns nothing if the bracket of an IP literal is not closed, or if anything except a port follows it.
std::optional<UrlAuthority> split_authority(std::string_view authority);

}  // namespace bloomery
