// The host and path expressions with which Safe Browsing looks a URL up: the block-list entries that would
// match the URL.
//
//   http://a.b.c/1/2.html?param=1       hosts a.b.c, b.c, each with all
//                                       paths /1/2.html?param=1, /1/2.html, /1/, /
//
//   hosts   the host itself; unless it is an address, also its last 5, 4, 3 and 2 labels, if it has more
//   paths   the path with its query; the path; and the path up to its first, second, third and fourth slash
//
// So there are at most 30. An expression is the host, the path and, after "?", the query. It has no scheme,
// userinfo or port; a dot at the end of the host and an empty query are omitted. An entry is converted in the
// same way, and is its own first expression.
//
// Source: the documentation of the Safe Browsing APIs v4, "URLs and Hashing", section "Suffix/Prefix
// Expressions". v5 uses hosts from the registrable domain on instead, which needs the public suffix list. Not
// here: the canonical spelling, which is that of canonical_url.h and not Safe Browsing's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

// The components of a URL that expressions use. All are views of the canonical URL.
struct UrlExpressions {
  static constexpr std::size_t kMostHostLabels = 5;  // the most labels of a suffix of the host
  static constexpr std::size_t kMostFolders = 4;     // "/", "/1/", "/1/2/" and "/1/2/3/"

  std::string_view host;   // without a dot at its end
  std::string_view path;   // begins with a slash
  std::string_view query;  // without "?"; empty if there is none
  bool host_is_address = false;

  // Splits a canonical URL. Returns nothing unless it has a host and a path that begins with a slash.
  static std::optional<UrlExpressions> cut(std::string_view canonical);

  // Calls use(host, path, query) for every expression, the URL's own first. No expression comes twice.
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
          break;  // the path itself was the first
        }
        use(above, path.substr(0, end), std::string_view());
      }
    }
  }

  // Returns true if queries for longer URLs never look this URL up: it is a folder with more than four
  // slashes, or its host has more than five labels.
  bool lies_too_deep() const;

 private:
  // Returns the host suffix after `above`, or nothing if that was the last.
  std::string_view next_host(std::string_view above) const;
};

}  // namespace bloomery
