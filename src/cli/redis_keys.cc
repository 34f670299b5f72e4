#include "cli/redis_keys.h"

#include <cstdlib>
#include <utility>

#include <fmt/core.h>

#include "cli/byte_keys.h"
#include "connect/redis/client.h"
#include "connect/redis/filter_key.h"
#include "connect/redis/url.h"

namespace bloomery::cli {
namespace {

class RedisKeys final : public KeyFilter {
 public:
  RedisKeys(std::shared_ptr<redis::Client> client, redis::FilterKey filter, const KeyTreatment& treatment,
            BatchKeys& batch)
      : client_(std::move(client)),
        filter_(std::move(filter)),
        bytes_(batch.want_bytes(treatment)),
        hashes_(batch.want_hashes({}, treatment)) {}

  Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> items, batch.bytes(bytes_));
    return filter_.ask(*client_, items, answers);
  }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> items, batch.bytes(bytes_));
    return filter_.ask(*client_, group_of(items, first), words);
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override {
    return batch.hashes(hashes_);
  }

  double current_fpp(const BatchKeys&) const override { return 1; }
  bool is_static() const override { return false; }
  std::optional<double> target_fpp() const override { return std::nullopt; }
  std::optional<std::uint64_t> capacity() const override { return std::nullopt; }
  Status file_status() const override { return {}; }
  std::optional<std::string> asked_server() const override {
    return fmt::format("{} of {} ({})", filter_.command(), client_->name(), filter_.maker());
  }

 private:
  std::shared_ptr<redis::Client> client_;  // shared by all filters
  redis::FilterKey filter_;
  std::size_t bytes_;
  std::size_t hashes_;
};

}  // namespace

Result<redis::Url> url_with_password(const std::string& text) {
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url url, redis::parse_url(text));
  const char* const password =
      std::getenv("REDISCLI_AUTH");  // NOLINT(concurrency-mt-unsafe): read once, never set by us
  if (!url.login.password && password != nullptr) {
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
    filters.push_back(std::make_unique<RedisKeys>(client, std::move(filter), treatment, batch));
  }
  return filters;
}

}  // namespace bloomery::cli
