#include "bloomery/guard/memory_cache.h"

#include "guard/keyed_entries.h"
#include "guard/random_secret.h"

namespace bloomery::guard {

struct MemoryCache::Parts {
  explicit Parts(std::uint64_t most_bytes) : entries(most_bytes, random_keyed_hash()) {}

  KeyedEntries<CachedValue> entries;
};

std::shared_ptr<MemoryCache> MemoryCache::make(std::uint64_t most_bytes) {
  return std::shared_ptr<MemoryCache>(new MemoryCache(std::make_unique<Parts>(most_bytes)));
}

MemoryCache::MemoryCache(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MemoryCache::~MemoryCache() = default;

Result<std::optional<CachedValue>> MemoryCache::get(std::string_view key) {
  return parts_->entries.find(key, unix_now_ms());
}

Status MemoryCache::put(std::string_view key, const CachedValue& value, std::chrono::milliseconds keep_for,
                        const Lease& /*lease*/) {
  const std::int64_t until =
      keep_for.count() > 0 ? unix_now_ms() + keep_for.count() : KeyedEntries<CachedValue>::kForEver;
  if (!parts_->entries.put(key, value, value.bytes.size(), until)) {
    return Error::capacity("memory cache",
                           "expected a value that fits a part of the cache, found a larger one");
  }
  return {};
}

Status MemoryCache::remove(std::string_view key) {
  parts_->entries.drop(key);
  return {};
}

std::uint64_t MemoryCache::bytes() const {
  return parts_->entries.bytes();
}

std::uint64_t MemoryCache::count() const {
  return parts_->entries.count();
}

}  // namespace bloomery::guard
