#include "keys/url/url_query.h"

#include <algorithm>
#include <array>
#include <utility>

namespace bloomery {
namespace {

// List 1. Filters depend on it since key form 5; never change it.
constexpr std::string_view kTrackingPrefix = "utm_";
constexpr std::array<std::string_view, 20> kTrackingParameters = {
    "_ga",    "_gl",    "_hsenc",  "_hsmi",   "dclid",  "fbclid", "gbraid",  "gclid",  "gclsrc", "igshid",
    "mc_cid", "mc_eid", "mkt_tok", "msclkid", "ttclid", "twclid", "vero_id", "wbraid", "yclid",  "ysclid"};
static_assert(std::ranges::is_sorted(kTrackingParameters));

std::string_view name_of(std::string_view parameter) {
  return parameter.substr(0, parameter.find('='));
}

bool comes_before(std::string_view left, std::string_view right) {
  const std::string_view left_name = name_of(left);
  const std::string_view right_name = name_of(right);
  if (const int order = left_name.compare(right_name); order != 0) {
    return order < 0;
  }
  return left.substr(left_name.size()) < right.substr(right_name.size());
}

}  // namespace

bool is_tracking_parameter(std::string_view name) {
  return name.starts_with(kTrackingPrefix) || std::ranges::binary_search(kTrackingParameters, name);
}

void UrlQuery::arrange(std::string& url, std::size_t mark, const UrlOptions& options) {
  parameters_.clear();
  std::string_view rest = std::string_view(url).substr(mark + 1);
  for (bool more = true; more;) {
    const std::size_t end = rest.find('&');
    more = end != std::string_view::npos;
    const std::string_view parameter = rest.substr(0, end);
    if (!options.drop_tracking || !is_tracking_parameter(name_of(parameter))) {
      parameters_.push_back(parameter);
    }
    rest.remove_prefix(more ? end + 1 : rest.size());
  }
  if (parameters_.empty()) {
    url.resize(mark);
    return;
  }
  if (options.sort_query) {
    std::ranges::sort(parameters_, comes_before);
  }
  arranged_.clear();
  for (const std::string_view parameter : parameters_) {
    arranged_ += parameter;
    arranged_ += '&';
  }
  arranged_.pop_back();
  url.replace(mark + 1, std::string::npos, arranged_);
}

}  // namespace bloomery
