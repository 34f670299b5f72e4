// The canonical form of URLs, key form 5: the same text for URLs that name the same thing by their syntax
// alone.
//
//   scheme, host        lower case; names that are not ASCII to ASCII (url_host.h)
//   port                without zeros in front; none where it is empty or the scheme's own (http, https, ftp,
//   ws, wss) userinfo, path, query
//                       percent-encoding in its one spelling (percent_encoding.h)
//   path                dot segments resolved; "/" where there is an authority and no path
//   query               sorted, without tracking parameters, where asked (url_query.h)
//   fragment            dropped
//
// Invariants: canonical(canonical(u)) = canonical(u); it is a URL in the sense of RFC 3986, of ASCII only. A
// text that is no URL is never the canonical form of one, so both can be keys of one filter. Source:
// docs/formats/url-keys.md, which defines it once and for all; RFC 3986, section 6.2. What it does not do:
// look anything up, or know that www. or a trailing slash make no difference on some host.
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

  // kFolded: A-Z count as a-z in all components, also where they were encoded; before parameters are
  // compared.
  explicit UrlCanonicalizer(const UrlOptions& options = {}, Letters letters = Letters::kAsTheyAre)
      : options_(options), fold_(letters == Letters::kFolded) {}

  // The canonical form of `url`: a view of it where it is canonical as it stands, else of memory that is kept
  // until the next call. Nothing: it is no absolute URL.
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
