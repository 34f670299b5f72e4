// The host and path expressions of a URL, by which Safe Browsing looks a URL up: what an entry of a block list may be
// that stands for it.
//
//   http://a.b.c/1/2.html?param=1       hosts a.b.c, b.c                times
//                                       paths /1/2.html?param=1, /1/2.html, /1/, /
//
//   hosts   the host itself; unless it is an address, also its last 5, 4, 3 and 2 labels, if it has more
//   paths   the path with its query; without it; and what it has up to its first, second, third and fourth slash
//
// So there are at most 30. An expression is the host, the path and, behind "?", the query. It has no scheme, userinfo
// or port; a dot at the end of the host and an empty query are left out. The entry of a list is made in the same way,
// and is the first expression of itself.
//
// Source: the documentation of the Safe Browsing APIs v4, "URLs and Hashing", section "Suffix/Prefix Expressions".
// v5 takes hosts from the registrable domain on instead, which needs the public suffix list. Not here: the canonical
// spelling, which is that of canonical_url.h and not the one of Safe Browsing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

// A URL as expressions see it. All parts are views of the canonical URL.
struct UrlExpressions {
  static constexpr std::size_t kMostHostLabels = 5;  // of hosts that are not the whole host
  static constexpr std::size_t kMostFolders = 4;     // "/", "/1/", "/1/2/" and "/1/2/3/"

  std::string_view host;   // without a dot at its end
  std::string_view path;   // begins with a slash
  std::string_view query;  // without "?"; empty if there is none
  bool host_is_address = false;

  // Cuts a canonical URL. Returns nothing unless it has a host and a path that begins with a slash.
  static std::optional<UrlExpressions> cut(std::string_view canonical);

  // Calls use(host, path, query) for every expression, the URL's own first. None comes twice.
  template <typename Use>
  void for_each(const Use& use) const {
    for (std::string_view above = host; !above.empty(); above = next_host(above)) {
      if (!query.empty()) {
        use(above, path, query);
      }
      use(above, path, std::string_view());
      std::size_t end = 0;
      for (std::size_t folder = 0; folder < kMostFolders; ++folder) {
        end = path.find('/', end);
        if (end == std::string_view::npos || ++end == path.size()) {
          break;  // the path itself was first
        }
        use(above, path.substr(0, end), std::string_view());
      }
    }
  }

  // Returns whether no longer URL asks for this one: it is a folder with more than four slashes, or its host has more
  // than five labels.
  bool lies_too_deep() const;

 private:
  // Returns the host behind `above`, or nothing if it was the last.
  std::string_view next_host(std::string_view above) const;
};

}  // namespace bloomery
