// A map from byte keys to values that expire, bounded in bytes. It consists of segments with a lock each.
//
//   SipHash under this object's secret ── segment, number ──> CacheEntries; then the keys are compared
//
// The hash is keyed, so nobody can choose keys that collide. Two keys with the same number displace each
// other, and no query returns the value of the other key. MemoryCache and the negative cache use this map.
//
// Threads: all calls may run together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cache_entries.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::guard {

template <typename Value>
class KeyedEntries {
 public:
  static constexpr std::uint64_t kBytesOfAnEntry = 160;  // overhead, in addition to key and value
  static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

  KeyedEntries(std::uint64_t most_bytes, const HashSpec& hash) : hash_(hash) {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(most_bytes / kPartBytes, 1, kMostParts);
    const std::uint64_t count = std::bit_floor(wanted);
    for (std::uint64_t i = 0; i < count; ++i) {
      parts_.push_back(std::make_unique<Part>(most_bytes / count));
    }
    most_of_a_part_ = most_bytes / count;
  }

  // Returns a copy of the value. Removes an expired entry.
  std::optional<Value> find(std::string_view key, std::int64_t now) {
    const Place place = place_of(key);
    const std::lock_guard lock(place.part->mutex);
    const Entry* const found = find_in(place, key);
    if (found != nullptr && found->until <= now) {
      place.part->entries.drop(place.key, place.hash);
      return std::nullopt;
    }
    return found == nullptr ? std::nullopt : std::optional<Value>(found->value);
  }

  // Replaces the key's entry. Returns false if it is too large. `value_bytes` is the memory of the value
  // outside of Entry.
  bool put(std::string_view key, Value value, std::uint64_t value_bytes, std::int64_t until) {
    const std::uint64_t size = key.size() + kBytesOfAnEntry + std::min(value_bytes, most_of_a_part_ + 1);
    const Place place = place_of(key);
    const std::lock_guard lock(place.part->mutex);
    place.part->entries.drop(place.key, place.hash);
    if (size > most_of_a_part_ || size > std::numeric_limits<std::uint32_t>::max()) {
      return false;
    }
    place.part->entries.insert(place.key, place.hash,
                               std::make_unique<Entry>(Entry{std::string(key), std::move(value), until}),
                               size);
    return true;
  }

  void drop(std::string_view key) {
    const Place place = place_of(key);
    const std::lock_guard lock(place.part->mutex);
    if (find_in(place, key) != nullptr) {
      place.part->entries.drop(place.key, place.hash);
    }
  }

  std::uint64_t bytes() const {
    return total([](const CacheEntries<EntryPointer>& entries) { return entries.bytes(); });
  }
  std::uint64_t count() const {
    return total([](const CacheEntries<EntryPointer>& entries) { return entries.count(); });
  }

 private:
  static constexpr std::uint64_t kPartBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kMostParts = 16;

  struct Entry {
    std::string key;
    Value value = {};
    std::int64_t until = 0;
  };
  using EntryPointer = std::unique_ptr<Entry>;
  struct alignas(64) Part {
    explicit Part(std::uint64_t most_bytes) : entries(most_bytes) {}

    mutable std::mutex mutex;  // guards all members
    CacheGroup group{.id = 1};
    CacheEntries<EntryPointer> entries;
  };
  struct Place {
    Part* part;
    CacheKey key;
    std::uint64_t hash;
  };

  Place place_of(std::string_view key) const {
    const Hash128 hash = hash_bytes(key, hash_);
    Part* const part = parts_[hash.high & (parts_.size() - 1)].get();
    const CacheKey number{&part->group, hash.low};
    return {part, number, number.hash()};
  }
  static Entry* find_in(const Place& place, std::string_view key) {
    const EntryPointer* const found = place.part->entries.find(place.key, place.hash);
    return found != nullptr && (*found)->key == key ? found->get() : nullptr;
  }
  template <typename Figure>
  std::uint64_t total(Figure figure) const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) {
      const std::lock_guard lock(part->mutex);
      sum += figure(part->entries);
    }
    return sum;
  }

  HashSpec hash_;
  std::vector<std::unique_ptr<Part>> parts_;  // their count is a power of two
  std::uint64_t most_of_a_part_ = 0;
};

}  // namespace bloomery::guard
