// A cache in this process with a limit in bytes.
//
// Example:
//    const auto cache = guard::MemoryCache::make(std::uint64_t{64} << 20);
//    Status kept =
//        cache->put("key", {.bytes = "value", .fresh_until_ms = guard::unix_now_ms() + 1000}, {}, {});
//    const bool found = cache->get("key")->has_value();  // true
//
// Eviction is by W-TinyLFU, as in the block cache (docs/design/block-cache.md): many keys that are queried
// once do not evict a key that is queried often.
//
// The limit counts keys, values and 160 bytes for each entry. A cache has one segment for each 4 MiB, up to
// 16. A value larger than a segment is not cached; put() then returns kCapacity.
//
// Threads: all calls may run concurrently.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/guard/value_cache.h"

namespace bloomery::guard {

class MemoryCache final : public ValueCache {
 public:
  static std::shared_ptr<MemoryCache> make(std::uint64_t most_bytes);
  ~MemoryCache() override;

  Result<std::optional<CachedValue>> get(std::string_view key) override;
  Status put(std::string_view key, const CachedValue& value, std::chrono::milliseconds keep_for,
             const Lease& lease) override;
  Status remove(std::string_view key) override;
  bool is_shared() const override { return false; }

  std::uint64_t bytes() const;
  std::uint64_t count() const;

 private:
  struct Parts;
  explicit MemoryCache(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace bloomery::guard
