// A feeder's filter in a key of a live server. Another run finds what a feeder leaves, and leaves alone what is not its own.
// No answer is a no without a lease.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "feed/redis_sink.h"
#include "filter/leased/lease_page.h"
#include "tests/feed/running_feeder.h"
#include "tests/redis_module/live_server.h"

namespace bloomery::feed {
namespace {

using namespace std::chrono_literals;

KeyBatch batch_of(const std::vector<std::string>& keys) {
  KeyBatch batch;
  for (const std::string& key : keys) {
    batch.add(std::as_bytes(std::span(key)));
  }
  return batch;
}

FeedRecord record_at(std::uint64_t position) {
  return {.position = position, .system = 7, .timeline = 1, .keys = 2, .deletes = 1, .shape = 0xabcdef};
}

class RedisSinkTest : public OneServerTest {
 protected:
  RedisSinkOptions options(const std::string& key = "users") const {
    return {.url = {.endpoint = {.host = "", .port = 0, .socket_path = server_->socket()}, .login = {}},
            .key = key,
            .slot = "slot_1",
            .fpp = 1e-6,
            .bound = 60s,
            .settled = 0s,
            .limits = {.connect = 1s, .answer = 1s, .total = 2s}};
  }
  // Builds a filter with the keys, which is complete up to the position.
  static void build(RedisSink& sink, const std::vector<std::string>& keys, std::uint64_t position) {
    ASSERT_TRUE(sink.begin_build(1000));
    ASSERT_TRUE(sink.insert_scanned(batch_of(keys)));
    ASSERT_TRUE(sink.finish_build(record_at(position)));
  }
  std::string ask(const std::string& item, const std::string& key = "users") {
    return server()("BLOOM.EXISTS", key, item);
  }
  std::string info(const std::string& key = "users") { return server()("BLOOM.INFO", key); }
};

TEST(FedRecord, IsReadAsItWasWritten) {
  const FedRecord record{.slot = "bloomery_users",
                         .run = 3,
                         .token = 0xfedcba9876543210,
                         .step = 18446744073709551615U,
                         .is_complete = true,
                         .feed = {.generation = 2,
                                  .position = 0xffffffffffffffff,
                                  .system = 7,
                                  .timeline = 4294967295U,
                                  .keys = 5,
                                  .deletes = 6,
                                  .shape = 0x123},
                         .bound_ms = 5000};
  const std::string text = to_text(record);
  EXPECT_LE(text.size(), 512U);
  EXPECT_EQ(fed_record_of(text), record);
  FedRecord longest = record;
  longest.slot = std::string(63, 's');
  longest.run = longest.feed.generation = longest.feed.system = longest.feed.keys = ~std::uint64_t{0};
  longest.token = longest.feed.deletes = longest.feed.shape = longest.bound_ms = ~std::uint64_t{0};
  longest.feed.columns = longest.feed.confirmed = longest.feed.commit.end = ~std::uint64_t{0};
  longest.feed.commit.time_us = -1;
  longest.feed.commit.xid = ~std::uint32_t{0};
  EXPECT_LE(to_text(longest).size(), 512U);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto cut = fed_record_of(text.substr(0, size));
    EXPECT_FALSE(cut && *cut == record) << size;
  }
  for (const std::string& other : {std::string(), std::string("feed=2") + text.substr(6), text + " ",
                                   " " + text, std::string("another program's")}) {
    EXPECT_FALSE(fed_record_of(other)) << other;
  }
}

// Records that were written before there were such fields are read, and lack them.
TEST(FedRecord, HasTheLastTransactionOnlyIfOneIsKnown) {
  FedRecord record{.slot = "s", .feed = {.position = 9, .shape = 1}, .bound_ms = 5000};
  const std::string shorter = to_text(record);
  EXPECT_TRUE(shorter.ends_with(" bound=5000")) << shorter;
  EXPECT_EQ(fed_record_of(shorter), record);
  record.feed.columns = 0xffffffffffffffff;
  record.feed.confirmed = 0xfffffffffffffffe;
  record.feed.commit = {.end = 0xfffffffffffffffd, .time_us = -1, .xid = 0xffffffff};
  const std::string longer = to_text(record);
  EXPECT_TRUE(longer.starts_with(shorter));
  EXPECT_EQ(fed_record_of(longer), record);
  EXPECT_FALSE(fed_record_of(longer.substr(0, longer.find(" xid=")))) << "a part of them";
}

TEST(BuildKey, HasTheSlotOfTheKey) {
  EXPECT_EQ(build_key_of("users"), "{users}:rebuild");
  EXPECT_EQ(build_key_of("app:{users}"), "app:{users}:rebuild");
  EXPECT_EQ(build_key_of("{}users"), "{{}users}:rebuild");  // an empty tag is none
}

TEST_F(RedisSinkTest, AnswersMaybeUntilItIsRenewed) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  EXPECT_EQ(ask("nobody"), "-ERR not found");
  ASSERT_TRUE(sink.begin_build(1000));
  ASSERT_TRUE(sink.insert_scanned(batch_of({"ann"})));
  ASSERT_TRUE(sink.insert(batch_of({"bob"})));  // from the log
  EXPECT_EQ(ask("nobody", "{users}:rebuild"), ":1");
  ASSERT_TRUE(sink.finish_build(record_at(10)));
  EXPECT_EQ(ask("nobody"), ":1") << "nobody vouches for it yet";
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  for (const char* const item : {"ann", "bob"}) {
    EXPECT_EQ(ask(item), ":1");
  }
  EXPECT_EQ(ask("nobody"), ":0");
  ASSERT_TRUE(sink.insert(batch_of({"eve"})));
  EXPECT_EQ(ask("eve"), ":1");
  EXPECT_EQ(ask("nobody"), ":0") << "inserting keeps the lease";
  sink.make_void();
  EXPECT_EQ(ask("nobody"), ":1");
  EXPECT_EQ(server()("EXISTS", "{users}:rebuild"), ":0");
  EXPECT_GE(sink.facts().capacity, 1000U);
  EXPECT_GT(sink.facts().bytes, 0U);
}

TEST_F(RedisSinkTest, ALeaseIsForTheMomentThatWasAskedFor) {
  RedisSinkOptions brief = options();
  brief.bound = 300ms;
  RedisSink sink(brief);
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  ASSERT_TRUE(sink.renew(boot_clock_ns() - 400'000'000));
  EXPECT_EQ(ask("nobody"), ":1") << "the moment is longer ago than the bound";
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  EXPECT_EQ(ask("nobody"), ":0");
  std::this_thread::sleep_for(310ms);
  EXPECT_EQ(ask("nobody"), ":1");
}

TEST_F(RedisSinkTest, ALeaseThatWasGivenIsNotShortened) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  ASSERT_TRUE(sink.renew(boot_clock_ns() - 61'000'000'000));
  EXPECT_EQ(ask("nobody"), ":0");
}

TEST_F(RedisSinkTest, AnotherRunGoesOnFromWhatWasSaved) {
  {
    RedisSink sink(options());
    ASSERT_TRUE(sink.open());
    build(sink, {"ann"}, 10);
    const auto saved = sink.save(record_at(20));
    ASSERT_TRUE(saved);
    EXPECT_EQ(*saved, 20U);
    ASSERT_TRUE(sink.renew(boot_clock_ns()));
  }  // killed: nothing is closed in order
  EXPECT_EQ(ask("nobody"), ":0") << "the lease runs";
  RedisSink sink(options());
  const auto found = sink.open();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->position, 20U);
  EXPECT_EQ(**found, (FeedRecord{.generation = 0,
                                 .position = 20,
                                 .system = 7,
                                 .timeline = 1,
                                 .keys = 2,
                                 .deletes = 1,
                                 .shape = 0xabcdef}));
  EXPECT_EQ(ask("nobody"), ":1") << "void until it is renewed";
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  EXPECT_EQ(ask("ann"), ":1");
  EXPECT_EQ(ask("nobody"), ":0");
}

TEST_F(RedisSinkTest, APositionMayBeConfirmedOnceItIsSettled) {
  RedisSinkOptions slow = options();
  slow.settled = 200ms;
  RedisSink sink(slow);
  ASSERT_TRUE(sink.open());
  build(sink, {}, 10);
  EXPECT_EQ(sink.save(record_at(20)).value(), 0U);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(sink.save(record_at(30)).value(), 0U);
  std::this_thread::sleep_for(110ms);
  EXPECT_EQ(sink.save(record_at(40)).value(), 20U);
  std::this_thread::sleep_for(110ms);
  EXPECT_EQ(sink.save(record_at(40)).value(), 30U);
}

TEST_F(RedisSinkTest, AStepFromARecordThatIsGoneIsAnErrorAndChangesNothing) {
  RedisSink first(options());
  ASSERT_TRUE(first.open());
  build(first, {"ann"}, 10);
  RedisSink second(options());
  ASSERT_TRUE(second.open());
  ASSERT_TRUE(second.renew(boot_clock_ns()));
  for (const ErrorCode code :
       {first.insert(batch_of({"late"})).error().code(), first.renew(boot_clock_ns()).error().code(),
        first.save(record_at(50)).error().code()}) {
    EXPECT_EQ(code, ErrorCode::kIo);
  }
  EXPECT_EQ(ask("late"), ":0");
  const auto waits = first.open();
  ASSERT_FALSE(waits) << "the second one is at work";
  EXPECT_EQ(waits.error().code(), ErrorCode::kIo);
  EXPECT_NE(waits.error().to_string().find("taken over"), std::string::npos);
  EXPECT_EQ(ask("nobody"), ":0") << "and is left alone";
}

// The one that opened the key last is at work until its lease is over and it has been silent for five seconds.
TEST_F(RedisSinkTest, AFeederThatTookTheKeyIsLeftAloneUntilItIsSilent) {
  RedisSinkOptions brief = options();
  brief.bound = 1s;
  RedisSink first(brief);
  ASSERT_TRUE(first.open());
  build(first, {"ann"}, 10);
  brief.bound = 2s;
  RedisSink second(brief);
  ASSERT_TRUE(second.open());
  EXPECT_FALSE(first.open()) << "it has no lease yet";
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(second.renew(boot_clock_ns()));
  EXPECT_TRUE(comes_true([&] { return first.open().has_value(); }, 20));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 6s);  // nearly 7
  EXPECT_TRUE(first.renew(boot_clock_ns()));
  EXPECT_FALSE(second.renew(boot_clock_ns()));
}

TEST_F(RedisSinkTest, AnOlderStateOfTheServerIsOpenedAnew) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  const std::string dump = server()("DUMP", "users").substr(1);
  ASSERT_TRUE(sink.insert(batch_of({"bob"})));
  ASSERT_TRUE(sink.save(record_at(20)));
  ASSERT_EQ(server()("RESTORE", "users", "0", dump, "REPLACE"), "+OK");
  const Status renewed = sink.renew(boot_clock_ns());
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code(), ErrorCode::kIo);
  EXPECT_EQ(ask("bob"), ":1") << "the older state has no lease";
  const auto found = sink.open();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->position, 10U);
}

TEST_F(RedisSinkTest, AKeyThatIsGoneIsBuiltAnew) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  server()("FLUSHALL");
  const Status inserted = sink.insert(batch_of({"bob"}));
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code(), ErrorCode::kIo);
  const auto found = sink.open();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  build(sink, {"ann", "bob"}, 20);
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  EXPECT_EQ(ask("bob"), ":1");
  EXPECT_EQ(ask("nobody"), ":0");
}

TEST_F(RedisSinkTest, ABuildThatIsLostFailsAndTheOldFilterGoesOn) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  ASSERT_TRUE(sink.begin_build(1000));
  server()("DEL", "{users}:rebuild");
  EXPECT_TRUE(sink.insert(batch_of({"bob"})));
  EXPECT_FALSE(sink.insert_scanned(batch_of({"ann"})));
  EXPECT_FALSE(sink.finish_build(record_at(20)));
  EXPECT_EQ(ask("bob"), ":1");
  EXPECT_EQ(ask("nobody"), ":0");
  ASSERT_TRUE(sink.begin_build(1000));
  sink.abandon_build();
  EXPECT_EQ(server()("EXISTS", "{users}:rebuild"), ":0");
}

// The log brought a key that the build did not get. Finished without it, the filter would deny the key.
TEST_F(RedisSinkTest, ABuildThatLacksAKeyIsNotFinished) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  ASSERT_TRUE(sink.begin_build(1000));
  server()("CONFIG", "SET", "maxmemory", "1");
  EXPECT_TRUE(sink.insert(batch_of({"bob"}))) << "no filter answers yet";
  server()("CONFIG", "SET", "maxmemory", "0");
  EXPECT_FALSE(sink.insert_scanned(batch_of({"ann"})));
  EXPECT_FALSE(sink.finish_build(record_at(10)));
}

// Somebody gave the name of the filter to one that a feeder had not finished.
TEST_F(RedisSinkTest, AFilterThatIsNotCompleteIsBuiltAnew) {
  {
    RedisSink sink(options());
    ASSERT_TRUE(sink.open());
    ASSERT_TRUE(sink.begin_build(1000));
    ASSERT_TRUE(sink.insert_scanned(batch_of({"ann"})));
    ASSERT_EQ(server()("RENAME", "{users}:rebuild", "users"), "+OK");
  }
  RedisSink sink(options());
  const auto found = sink.open();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  build(sink, {"ann"}, 10);
  const auto again = RedisSink(options()).open();
  EXPECT_TRUE(again && *again) << "it is complete now";
}

// A server does one command at a time, so its other clients would wait for a large one.
TEST_F(RedisSinkTest, AStepHasAtMostSoManyKeysAndBytes) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  ASSERT_TRUE(sink.begin_build(10'000));
  const auto steps = [&] {
    const std::string text = info("{users}:rebuild");
    return std::stoul(text.substr(text.find(" step=") + 6));
  };
  const std::uint64_t before = steps();
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) {
    keys.push_back(std::to_string(i));
  }
  ASSERT_TRUE(sink.insert_scanned(batch_of(keys)));
  EXPECT_EQ(steps() - before, 3U);
  ASSERT_TRUE(sink.insert_scanned(batch_of(
      {std::string(200'000, 'a'), std::string(200'000, 'b'), std::string(50'000, 'c'), std::string()})));
  EXPECT_EQ(steps() - before, 5U);
}

TEST_F(RedisSinkTest, ManyLongKeysGoInSeveralSteps) {
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  std::vector<std::string> keys;
  for (int i = 0; i < 5000; ++i) {
    keys.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 300), '\0'));
  }
  keys.push_back(std::string(1'000'000, 'k'));
  build(sink, keys, 10);
  ASSERT_TRUE(sink.renew(boot_clock_ns()));
  for (const std::string& key : keys) {
    ASSERT_EQ(ask(key), ":1");
  }
  EXPECT_EQ(ask("nobody"), ":0");
}

TEST_F(RedisSinkTest, WhatIsNotItsOwnIsLeftAloneByName) {
  const auto refusal = [&](const RedisSinkOptions& wished) {
    const auto opened = RedisSink(wished).open();
    if (opened) {
      return std::string("it is opened");
    }
    EXPECT_EQ(opened.error().code(), ErrorCode::kInvalidArgument);
    return opened.error().to_string();
  };
  server()("SET", "text", "1");
  EXPECT_NE(refusal(options("text")).find("string"), std::string::npos);
  server()("BLOOM.ADD", "by hand", "a");
  EXPECT_NE(refusal(options("by hand")).find("without a record"), std::string::npos);
  server()("BLOOM.CREATE", "other program", "CAPACITY", "100");
  server()("BLOOM.FEED", "other program", "", "mine", "0");
  EXPECT_NE(refusal(options("other program")).find("another program's"), std::string::npos);
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  build(sink, {"ann"}, 10);
  RedisSinkOptions other = options();
  other.slot = "slot_2";
  EXPECT_NE(refusal(other).find("slot_1"), std::string::npos);
  EXPECT_EQ(server()("BLOOM.EXISTS", "by hand", "b"), ":0");
}

// The name of a key proves nothing. A key of somebody else that is called as the filter that is built was removed, and one
// that took the filter's name meanwhile was replaced.
TEST_F(RedisSinkTest, KeysOfOthersAreNeitherRemovedNorReplaced) {
  server()("SET", "{users}:rebuild", "precious");
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  const Status begun = sink.begin_build(1000);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(server()("GET", "{users}:rebuild"), "$precious");
  server()("DEL", "{users}:rebuild");
  server()("BLOOM.ADD", "{users}:rebuild", "by hand");
  EXPECT_FALSE(sink.begin_build(1000));
  EXPECT_EQ(server()("BLOOM.EXISTS", "{users}:rebuild", "by hand"), ":1");
  server()("DEL", "{users}:rebuild");
  RedisSinkOptions other = options("{users}:rebuild");
  other.slot = "slot_2";
  RedisSink theirs(other);
  ASSERT_TRUE(theirs.open());
  build(theirs, {"another feeder's"}, 10);
  EXPECT_FALSE(sink.begin_build(1000));
  EXPECT_FALSE(sink.remove());
  EXPECT_EQ(ask("another feeder's", "{users}:rebuild"), ":1");
  EXPECT_TRUE(theirs.remove());
  ASSERT_TRUE(sink.begin_build(1000));
  server()("SET", "users", "precious");
  EXPECT_FALSE(sink.finish_build(record_at(10)));
  EXPECT_EQ(server()("GET", "users"), "$precious");
}

TEST_F(RedisSinkTest, AServerThatIsAwayOrHasNoRoomOrNoModuleIsSaid) {
  RedisSinkOptions nowhere = options();
  nowhere.url.endpoint.socket_path = folder_.path("nobody");
  const auto away = RedisSink(nowhere).open();
  ASSERT_FALSE(away);
  EXPECT_NE(away.error().code(), ErrorCode::kInvalidArgument);
  RedisSink sink(options());
  ASSERT_TRUE(sink.open());
  server()("CONFIG", "SET", "bloomery.memory-limit", "100000");
  const Status large = sink.begin_build(1'000'000'000);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(large.error().to_string().find("memory-limit"), std::string::npos);
  build(sink, {"ann"}, 10);
  server()("CONFIG", "SET", "maxmemory", "1");
  const Status renewed = sink.renew(boot_clock_ns());
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(ask("nobody"), ":1");
}

TEST_F(RedisSinkTest, AnUnkeyedFilterIsNotTakenForAKeyedOne) {
  RedisSinkOptions unkeyed = options();
  unkeyed.is_keyed = false;
  RedisSink first(unkeyed);
  ASSERT_TRUE(first.open());
  build(first, {"ann"}, 10);
  RedisSink second(options());
  const auto found = second.open();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found) << "it is built anew";
  build(second, {"ann"}, 20);
  EXPECT_NE(info().find("+keyed :1"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::feed
