#include "keys/url/url_expressions.h"

#include <algorithm>

#include "bloomery/hash/domain_name.h"
#include "keys/url/url_parts.h"

namespace bloomery {
namespace {

std::size_t label_count(std::string_view host) {
  return 1 + static_cast<std::size_t>(std::ranges::count(host, '.'));
}

}  // namespace

std::optional<UrlExpressions> UrlExpressions::cut(std::string_view canonical) {
  const std::optional<UrlParts> parts = split_url(canonical);
  if (!parts || !parts->authority || !parts->path.starts_with('/')) {
    return std::nullopt;
  }
  const std::optional<UrlAuthority> authority = split_authority(*parts->authority);
  if (!authority) {
    return std::nullopt;
  }
  std::string_view host = authority->host;
  if (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  if (host.empty()) {
    return std::nullopt;
  }
  return UrlExpressions{.host = host,
                        .path = parts->path,
                        .query = parts->query.value_or(std::string_view()),
                        .host_is_address = host.starts_with('[') || is_address_literal(host)};
}

std::string_view UrlExpressions::next_host(std::string_view above) const {
  if (host_is_address) {
    return {};
  }
  const std::size_t labels = label_count(above);
  if (labels <= 2) {
    return {};
  }
  std::string_view next = above;
  for (std::size_t left = labels; left > std::min(labels - 1, kMostHostLabels); --left) {
    next.remove_prefix(next.find('.') + 1);
  }
  return next;
}

bool UrlExpressions::lies_too_deep() const {
  const bool is_folder = path.ends_with('/') && query.empty();
  const bool deep_path = is_folder && static_cast<std::size_t>(std::ranges::count(path, '/')) > kMostFolders;
  const bool deep_host = !host_is_address && label_count(host) > kMostHostLabels;
  return deep_path || deep_host;
}

}  // namespace bloomery
