// The cache of this process answers as a map does while there is room, and keeps to its bytes; and the bytes of
// stored values are read as they were written, or not at all.
#include "bloomery/guard/memory_cache.h"

#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace bloomery::guard {
namespace {

using namespace std::chrono_literals;

TEST(MemoryCache, IsAMapWhileThereIsRoom) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto cache = MemoryCache::make(std::uint64_t{64} << 20);
  std::map<std::string, CachedValue> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key(1 + random() % 3, static_cast<char>(random() % 256));
    if (random() % 3 == 0) {
      EXPECT_TRUE(cache->remove(key));
      model.erase(key);
    } else if (random() % 2 == 0) {
      const CachedValue value{std::string(random() % 100, 'v'), static_cast<std::int64_t>(random())};
      EXPECT_TRUE(cache->put(key, value, 0ms, {}));
      model[key] = value;
    }
    const auto known = model.find(key);
    EXPECT_EQ(*cache->get(key), known == model.end() ? std::nullopt : std::optional(known->second)) << seed;
  }
  EXPECT_EQ(cache->count(), model.size());
}

TEST(MemoryCache, KeepsToItsBytesAndToWhatIsAskedForOften) {
  const auto cache = MemoryCache::make(100'000);
  const CachedValue value{std::string(100, 'v'), 0};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(cache->put("often " + std::to_string(i), value, 0ms, {}));
  }
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 20; ++i) {
      (void)cache->get("often " + std::to_string(i));
    }
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(cache->put("once " + std::to_string(50 * round + i), value, 0ms, {}));
      ASSERT_LE(cache->bytes(), 100'000U);
    }
  }
  int kept = 0;
  for (int i = 0; i < 20; ++i) {
    kept += cache->get("often " + std::to_string(i))->has_value() ? 1 : 0;
  }
  EXPECT_GE(kept, 18);
}

TEST(MemoryCache, AValueThatIsTooLargeLeavesNoOldOne) {
  const auto cache = MemoryCache::make(1000);
  ASSERT_TRUE(cache->put("key", {"old", 1}, 0ms, {}));
  const Status large = cache->put("key", {std::string(2000, 'v'), 1}, 0ms, {});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(*cache->get("key"), std::nullopt);
  EXPECT_FALSE(MemoryCache::make(0)->put("key", {"value", 1}, 0ms, {}));
}

TEST(MemoryCache, ForgetsAValueWhenItsTimeIsOver) {
  const auto cache = MemoryCache::make(10'000);
  ASSERT_TRUE(cache->put("key", {"value", 1}, 30ms, {}));
  EXPECT_TRUE(cache->get("key")->has_value());
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(cache->get("key")->has_value());
  EXPECT_EQ(cache->count(), 0U);
}

TEST(MemoryCache, HasNoLeases) {
  const auto cache = MemoryCache::make(10'000);
  EXPECT_FALSE(cache->has_leases());
  EXPECT_FALSE(cache->take_lease("key", 1s));
  EXPECT_TRUE(cache->give_back("key", {}));
}

TEST(StoredValue, IsReadAsItWasWrittenAndOnlyForItsKey) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string key(random() % 20, 'k');
    const CachedValue value{std::string(random() % 50, static_cast<char>(random())),
                            static_cast<std::int64_t>(random())};
    std::string bytes = stored_bytes(key, value);
    EXPECT_EQ(read_stored(key, bytes), value);
    EXPECT_EQ(read_stored(key + "k", bytes), std::nullopt);
    EXPECT_EQ(read_stored("other", bytes), std::nullopt);
    // Cut anywhere before the value, it is nothing. What any other bytes give has no more bytes than they have.
    for (std::size_t size = 0; size < 16 + key.size(); ++size) {
      EXPECT_EQ(read_stored(key, bytes.substr(0, size)), std::nullopt);
    }
    bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto damaged = read_stored(key, bytes);
    EXPECT_TRUE(!damaged || damaged->bytes.size() == value.bytes.size());
  }
}

TEST(StoredValue, HasTheseBytes) {
  EXPECT_EQ(stored_bytes("ab", {"xyz", 0x0102030405060708}),
            std::string("BGv1\x08\x07\x06\x05\x04\x03\x02\x01\x02\0\0\0abxyz", 21));
}

}  // namespace
}  // namespace bloomery::guard
