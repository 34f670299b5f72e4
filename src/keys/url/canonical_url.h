// The canonical form of URLs (key form 5): URLs that are equivalent by syntax alone become the same text.
//
//   component                        canonical spelling
//   scheme, host                     lower case; names that are not ASCII become ASCII (url_host.h)
//   port                             no leading zeros; omitted if it is empty or the scheme's default
//                                    (http, https, ftp, ws, wss)
//   userinfo, path, query            percent-encoding in its one normal spelling (percent_encoding.h)
//   path                             dot segments resolved; "/" if there is an authority and no path
//   query                            optionally sorted, and without tracking parameters (url_query.h)
//   fragment                         omitted
//
// Invariants: canonical(canonical(u)) = canonical(u). The canonical form is a URL by RFC 3986, in ASCII only.
// A text that is not a URL is never the canonical form of one, so both can be keys of one filter.
//
// Limits: nothing is looked up, and the form does not know that www. or a trailing slash makes no difference
// on some hosts.
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

// Threads: one at a time.
class UrlCanonicalizer {
 public:
  enum class Letters { kAsTheyAre, kFolded };

  // With kFolded, A-Z count as a-z in all components, even if they were encoded. Folding precedes the
  // comparison of parameters.
  explicit UrlCanonicalizer(const UrlOptions& options = {}, Letters letters = Letters::kAsTheyAre)
      : options_(options), fold_(letters == Letters::kFolded) {}

  // Returns the canonical form of `url`, or nothing if it is not an absolute URL. The result is a view of
  // `url` if that is already canonical; otherwise it is in memory that is kept until the next call.
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
