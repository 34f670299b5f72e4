// The parameters of a query: sorted, and without those that only track visitors.
//
// Parameters stand between "&" and have a name before their first "=", a value behind it. They are compared
// as bytes, in their normal spelling: first names, then values, and one without "=" before one with. Other
// separators are not known. Source: docs/formats/url-keys.md, which has the list; part of key form 5, so that
// it is never changed: a longer list is list 2, with a flag of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key_form.h"

namespace bloomery {

// Whether a parameter of that name is on list 1.
bool is_tracking_parameter(std::string_view name);

// Applies the options to a query. Keeps its memory from call to call.
class UrlQuery {
 public:
  // The query is the end of `url`, behind the "?" at url[mark], in normal spelling. Where all its parameters
  // were dropped, the "?" goes too.
  void arrange(std::string& url, std::size_t mark, const UrlOptions& options);

 private:
  std::vector<std::string_view> parameters_;
  std::string arranged_;
};

}  // namespace bloomery
