// Caches in live servers keep what they are given and nothing of another key, and a guard before them survives their
// death.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_cache.h"
#include "tests/base/test_folder.h"
#include "tests/connect/server_process.h"
#include "tests/guard/guard_parts.h"
#ifdef BLOOMERY_HAS_MEMCACHED
#include "bloomery/connect/memcached_cache.h"
#endif

namespace bloomery {
namespace {

using namespace std::chrono_literals;
using guard::CachedValue;
using guard::ValueCache;

using CachePointer = std::shared_ptr<ValueCache>;

class SharedCache : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string program = is_redis() ? "redis-server" : "memcached";
    if (!ServerProcess::is_installed(program)) {
      GTEST_SKIP() << "SKIPPED: " << program << " is not installed (scripts/setup check)";
    }
    socket_ = folder_.path("socket");
    std::vector<std::string> words = {"memcached", "-u", "root", "-s", socket_};
    if (is_redis()) {
      words = {"redis-server",   "--port", "0", "--unixsocket", socket_, "--dir",
               folder_.path(""), "--save", "",  "--logfile",    "log"};
    }
    server_ = std::make_unique<ServerProcess>(words);
    cache_ = connected();
    ASSERT_TRUE(guard::comes_true([&] { return cache_->get("nothing").has_value(); }));
  }

  bool is_redis() const { return GetParam() == "redis"; }
  CachePointer connected() const {
#ifdef BLOOMERY_HAS_MEMCACHED
    if (!is_redis()) {
      return *memcached_cache({{.host = socket_ }});
    }
#endif
    return *redis_cache("unix://" + socket_);
  }
  static std::optional<CachedValue> got(ValueCache& cache, const std::string& key) {
    auto value = cache.get(key);
    EXPECT_TRUE(value.has_value()) << value.error().to_string();
    return value ? *value : std::nullopt;
  }

  TestFolder folder_;
  std::string socket_;
  std::unique_ptr<ServerProcess> server_;
  CachePointer cache_;
};

TEST_P(SharedCache, KeepsBytesOfAnyKindUnderKeysOfAnyKind) {
  const std::vector<std::string> keys = {"", "key", std::string("a\0b \r\n", 6), "{}}{",
                                         std::string(5000, 'k')};
  for (const std::string& key : keys) {
    EXPECT_EQ(got(*cache_, key), std::nullopt);
    for (const std::string& bytes : {std::string(), std::string("\0\r\n$5", 5), std::string(100'000, 'v')}) {
      const CachedValue value{bytes, 1'700'000'000'123};
      EXPECT_TRUE(cache_->put(key, value, 0ms, {}));
      EXPECT_EQ(got(*cache_, key), value);
    }
  }
  EXPECT_TRUE(cache_->remove("key"));
  EXPECT_TRUE(cache_->remove("key"));
  EXPECT_EQ(got(*cache_, "key"), std::nullopt);
  EXPECT_TRUE(got(*cache_, ""));
}

TEST_P(SharedCache, ForgetsAValueWhenItsTimeIsOver) {
  EXPECT_TRUE(cache_->put("key", {"value", 1}, 100ms, {}));
  EXPECT_TRUE(got(*cache_, "key"));
  ASSERT_TRUE(guard::comes_true([&] { return !got(*cache_, "key"); }));
}

TEST_P(SharedCache, IsAnErrorWithinItsTimeWhileTheServerIsAwayOrSilent) {
  EXPECT_TRUE(cache_->put("key", {"value", 1}, 0ms, {}));
  server_->stop();
  const auto begin = std::chrono::steady_clock::now();
  const auto silent = cache_->get("key");
  EXPECT_FALSE(silent);
  EXPECT_EQ(silent ? ErrorCode::kCorruption : silent.error().code(), ErrorCode::kIo);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  server_->resume();
  ASSERT_TRUE(guard::comes_true([&] { return cache_->get("key").has_value(); }));
  server_->kill();
  EXPECT_FALSE(cache_->get("key"));
  EXPECT_FALSE(cache_->put("key", {"value", 1}, 0ms, {}));
  EXPECT_FALSE(cache_->remove("key"));
  server_->start();
  ASSERT_TRUE(guard::comes_true([&] { return cache_->get("key").has_value(); }));
}

TEST_P(SharedCache, WhileItIsDownFewLoadsPassAndTheCopiesSpareASecondWave) {
  guard::Database database;
  constexpr int kKeys = 200;
  for (int i = 0; i < kKeys; ++i) {
    database.commit("row " + std::to_string(i), "value");
  }
  guard::GuardOptions options = guard::patient();
  options.loads_at_once = 32;
  options.loads_without_cache = 3;
  options.recovery = 60s;
  const auto guarded = guard::made_guard(guard::made_filter(), database, options, cache_);
  const auto everybody_asks = [&](int keys) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = thread; i < keys; i += 8) {
          EXPECT_TRUE(guard::finds(*guarded, "row " + std::to_string(i)));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  };
  everybody_asks(kKeys / 2);
  EXPECT_EQ(database.loads(), kKeys / 2U);

  server_->kill();
  database.takes_us = 3000;
  ASSERT_TRUE(guard::comes_true([&] {
    (void)guarded->get("row 0");
    return guarded->metrics().is_cache_down;
  }));
  const std::uint64_t before = database.loads();
  everybody_asks(kKeys / 2);  // all from the copies
  EXPECT_EQ(database.loads(), before);
  EXPECT_GE(guarded->metrics().copy_answers, kKeys / 2U);
  database.forget_most();
  everybody_asks(kKeys);  // half of them were never asked for
  EXPECT_LE(database.most_at_once(), 3U);
  EXPECT_EQ(database.loads(), kKeys + 0U);
  server_->start();  // empty
  ASSERT_TRUE(guard::comes_true([&] {
    (void)guarded->get("row 0");
    return !guarded->metrics().is_cache_down;
  }));
  database.forget_most();
  everybody_asks(kKeys);  // all from the copies, which count as stale
  EXPECT_TRUE(guard::comes_true([&] {
    (void)guarded->get("row 1");
    return got(*cache_, "row 1").has_value();
  }));
  EXPECT_LE(database.most_at_once(), options.refresh_threads);  // loads in the background fill the cache
  EXPECT_EQ(guarded->metrics().gate_refusals, 0U);
}

TEST_P(SharedCache, AWriteWhileItIsDownIsNotHiddenByTheOldValueWhenItIsBack) {
  guard::Database database;
  database.commit("row", "old");
  const auto guarded = guard::made_guard(guard::made_filter(), database, guard::patient(), cache_);
  EXPECT_EQ(guarded->get("row")->value, "old");
  server_->stop();  // it keeps what it has
  ASSERT_TRUE(guard::comes_true([&] {
    (void)guarded->get("row");
    return guarded->metrics().is_cache_down;
  }));
  guard::Write write = guarded->write("row");
  database.commit("row", "new");
  EXPECT_FALSE(write.end());  // the cache could not be told
  EXPECT_EQ(guarded->get("row")->value, "new");
  server_->resume();
  ASSERT_TRUE(guard::comes_true([&] {
    EXPECT_EQ(guarded->get("row")->value, "new");
    return !guarded->metrics().is_cache_down;
  }));
  EXPECT_EQ(guarded->get("row")->value, "new");
}

std::vector<std::string> servers() {
#ifdef BLOOMERY_HAS_MEMCACHED
  return {"redis", "memcached"};
#else
  return {"redis"};
#endif
}

INSTANTIATE_TEST_SUITE_P(Servers, SharedCache, ::testing::ValuesIn(servers()),
                         [](const auto& server) { return server.param; });

class RedisLeases : public SharedCache {};
INSTANTIATE_TEST_SUITE_P(Servers, RedisLeases, ::testing::Values("redis"));

TEST_P(RedisLeases, ALeaseIsOnePartysUntilItEnds) {
  const auto first = cache_->take_lease("key", 10s);
  ASSERT_TRUE(first && *first && (*first)->is_held());
  const CachePointer other = connected();
  EXPECT_FALSE(*other->take_lease("key", 10s));
  EXPECT_TRUE(*other->take_lease("other key", 10s));
  EXPECT_TRUE(other->give_back("key", {"somebody's token"}));
  EXPECT_FALSE(*other->take_lease("key", 10s));
  EXPECT_TRUE(cache_->give_back("key", **first));
  const auto second = other->take_lease("key", 50ms);
  ASSERT_TRUE(second && *second);
  ASSERT_TRUE(guard::comes_true([&] { return cache_->take_lease("key", 10s)->has_value(); }));  // it expired
}

TEST_P(RedisLeases, AValueIsPutOnlyWhileItsLeaseIsHeldAndARemovalEndsIt) {
  const auto lease = **cache_->take_lease("key", 10s);
  EXPECT_TRUE(cache_->put("key", {"first", 1}, 0ms, lease));
  EXPECT_EQ(got(*cache_, "key")->bytes, "first");
  EXPECT_TRUE(cache_->put("key", {"second", 1}, 0ms, lease));  // the lease ended with the first one
  EXPECT_EQ(got(*cache_, "key")->bytes, "first");
  const auto again = **cache_->take_lease("key", 10s);
  EXPECT_TRUE(cache_->remove("key"));  // a write
  EXPECT_TRUE(cache_->put("key", {"read before the write", 1}, 1min, again));
  EXPECT_EQ(got(*cache_, "key"), std::nullopt);
}

TEST_P(RedisLeases, OneOfManyProcessesLoadsAHotKey) {
  guard::Database database;
  database.commit("hot", "value");
  database.takes_us = 50'000;
  std::vector<std::thread> processes;  // each with its own guard and connections
  for (int i = 0; i < 6; ++i) {
    processes.emplace_back([&] {
      const auto guarded = guard::made_guard(guard::made_filter(), database, guard::patient(), connected());
      std::vector<std::thread> threads;
      for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] { EXPECT_TRUE(guard::finds(*guarded, "hot")); });
      }
      for (std::thread& thread : threads) {
        thread.join();
      }
    });
  }
  for (std::thread& process : processes) {
    process.join();
  }
  EXPECT_EQ(database.loads(), 1U);
}

TEST(SharedCacheOptions, AreRefusedIfNoServerCouldTakeThem) {
  EXPECT_FALSE(redis_cache("no url"));
  EXPECT_FALSE(redis_cache("redis://127.0.0.1", {.prefix = "a{b"}));
  EXPECT_FALSE(redis_cache("redis://127.0.0.1", {.answer = 0ms}));
#ifdef BLOOMERY_HAS_MEMCACHED
  EXPECT_FALSE(memcached_cache({}));
  EXPECT_FALSE(memcached_cache({{.host = "a b"}}));
  EXPECT_FALSE(memcached_cache({{}}, {.prefix = "a b"}));
  EXPECT_FALSE(memcached_cache({{}}, {.prefix = std::string(201, 'p')}));
  EXPECT_FALSE(memcached_cache({{}}, {.connect = 0ms}));
#endif
}

}  // namespace
}  // namespace bloomery
