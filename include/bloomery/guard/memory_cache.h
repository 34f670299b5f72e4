// A cache in this process, up to a number of bytes.
//
// Example:
//    const auto cache = guard::MemoryCache::make(std::uint64_t{64} << 20);
//    Status kept = cache->put("key", {.bytes = "value", .fresh_until_ms = guard::unix_now_ms() + 1000}, {}, {});
//    const bool found = cache->get("key")->has_value();  // true
//
// W-TinyLFU decides what stays, as in the block cache (docs/design/block-cache.md). A key that is asked
// for often is not driven out by many that are asked for once.
//
// The bound counts keys, values and 160 bytes for each entry. A value that is larger than a part of the cache is not
// kept; put() then returns kCapacity. A cache has a part for each 4 MiB, up to 16 of them.
//
// Threads: all may use it.
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
