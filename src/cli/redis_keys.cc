#include "cli/redis_keys.h"

#include <cstdlib>
#include <utility>

#include "connect/redis/client.h"
#include "connect/redis/filter_key.h"
#include "connect/redis/url.h"
#include "query/key_filters.h"

namespace bloomery::cli {
Result<redis::Url> url_with_password(const std::string& text) {
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url url, redis::parse_url(text));
  const char* const password =
      std::getenv("REDISCLI_AUTH");  // NOLINT(concurrency-mt-unsafe): read once, never set by us
  if (password != nullptr && url.login.password.value_or("").empty() && url.login.password_file.empty()) {
    url.login.password = password;
  }
  return url;
}

Result<std::vector<std::unique_ptr<KeyFilter>>> open_redis_keys(const std::string& url,
                                                                const std::vector<std::string>& names,
                                                                const KeyOptions& keys, BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(KeyRule("redisbloom")));
  BLOOMERY_ASSIGN_OR_RETURN(const redis::Url server, url_with_password(url));
  BLOOMERY_ASSIGN_OR_RETURN(redis::Client connected, redis::Client::connect(server));
  const auto client = std::make_shared<redis::Client>(std::move(connected));
  std::vector<std::unique_ptr<KeyFilter>> filters;
  for (const std::string& name : names) {
    BLOOMERY_ASSIGN_OR_RETURN(redis::FilterKey filter, redis::FilterKey::open(*client, name));
    filters.push_back(make_key_filter(client, std::move(filter), treatment, batch));
  }
  return filters;
}

}  // namespace bloomery::cli
