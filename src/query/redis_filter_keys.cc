// A filter in a key of a Redis or Valkey server.
#include <utility>

#include "base/message.h"
#include "query/byte_keys.h"
#include "query/key_filters.h"

namespace bloomery {
namespace {

class RedisFilterKeys final : public ByteKeys {
 public:
  RedisFilterKeys(std::shared_ptr<redis::Client> client, redis::FilterKey filter,
                  const KeyTreatment& treatment, BatchKeys& batch)
      : ByteKeys({.treatment = treatment}, batch), client_(std::move(client)), filter_(std::move(filter)) {}

  double current_fpp(const BatchKeys&) const override { return 1; }
  bool is_static() const override { return false; }
  std::optional<double> target_fpp() const override { return std::nullopt; }
  std::optional<std::uint64_t> capacity() const override { return std::nullopt; }
  Status file_status() const override { return {}; }
  std::optional<std::string> asked_server() const override {
    return message(filter_.command(), " of ", client_->name(), " (", filter_.maker(), ")");
  }

 private:
  Status ask_filters(std::span<const std::string_view> keys,
                     std::span<std::uint64_t> answers) const override {
    return filter_.ask(*client_, keys, answers);
  }

  std::shared_ptr<redis::Client> client_;  // shared by all filters
  redis::FilterKey filter_;
};

}  // namespace

std::unique_ptr<KeyFilter> make_key_filter(std::shared_ptr<redis::Client> client, redis::FilterKey filter,
                                           const KeyTreatment& treatment, BatchKeys& batch) {
  return std::make_unique<RedisFilterKeys>(std::move(client), std::move(filter), treatment, batch);
}

}  // namespace bloomery
