// The parameters of a query: sorted, and without those that only track visitors.
//
// Parameters are separated by "&". The name precedes the first "=", the value follows it. Parameters are
// compared as bytes in their normal spelling: first names, then values, and one without "=" before one with
// it. Other separators are not recognised. Source: docs/formats/url-keys.md, which lists the tracking
// parameters. The list is part of key form 5 and never changes; a longer list would be list 2, with a flag of
// its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key_form.h"

namespace bloomery {

// Returns true if a parameter with this name is on list 1.
bool is_tracking_parameter(std::string_view name);

// Applies the options to a query. Keeps its memory between calls.
class UrlQuery {
 public:
  // Arranges the query, which is the end of `url` after the "?" at url[mark], in normal spelling. If all its
  // parameters are dropped, the "?" is dropped too.
  void arrange(std::string& url, std::size_t mark, const UrlOptions& options);

 private:
  std::vector<std::string_view> parameters_;
  std::string arranged_;
};

}  // namespace bloomery
