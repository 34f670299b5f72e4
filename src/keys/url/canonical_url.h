// The canonical form of URLs (key form 5): the same text for URLs that name the same thing by their syntax
// alone.
//
//   component                        canonical spelling
//   scheme, host                     lower case; names that are not ASCII become ASCII (url_host.h)
//   port                             no zeros in front; left out if it is empty or that of the scheme
//                                    (http, https, ftp, ws, wss)
//   userinfo, path, query            percent-encoding in its one normal spelling (percent_encoding.h)
//   path                             dot segments resolved; "/" if there is an authority and no path
//   query                            on request sorted, and without tracking parameters (url_query.h)
//   fragment                         left out
//
// Invariants: canonical(canonical(u)) = canonical(u). The canonical form is a URL in the sense of RFC 3986,
// of ASCII only. A text that is no URL is never the canonical form of one, so both can be keys of one filter.
//
// Limits: nothing is looked up, and it is not known that www. or a trailing slash makes no difference on some
// host.
//
// Source: docs/formats/url-keys.md, which defines the form once and for all; RFC 3986, section 6.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "keys/url/url_parts.h"
#include "keys/url/url_query.h"

namespace bloomery {

// One thread at a time.
class UrlCanonicalizer {
 public:
  enum class Letters { kAsTheyAre, kFolded };

  // With kFolded, A-Z count as a-z in all components, even if they were encoded. Folding comes before
  // parameters are compared.
  explicit UrlCanonicalizer(const UrlOptions& options = {}, Letters letters = Letters::kAsTheyAre)
      : options_(options), fold_(letters == Letters::kFolded) {}

  // Returns the canonical form of `url`, or nothing if it is no absolute URL. The result is a view of `url`
  // if that is canonical already; otherwise it is in memory that is kept until the next call.
  std::optional<std::string_view> canonical(std::string_view url) &;

 private:
  bool is_plainly_canonical(std::string_view url) const;
  bool append_all(const UrlParts& parts);
  bool append_text(std::string_view text, std::uint8_t allowed);
  bool append_authority(std::string_view authority, std::optional<unsigned> default_port);
  bool append_path(const UrlParts& parts);
  bool append_query(std::string_view query);

  UrlOptions options_;
  bool fold_;
  std::string text_;
  UrlQuery query_;
};

}  // namespace bloomery
