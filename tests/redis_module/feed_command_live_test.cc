// BLOOM.FEED moves a key from one record to the next, with items and lease, and a fed key says no only while its lease runs.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

constexpr const char* kFar = "4000000000000";  // a lease of decades
constexpr const char* kOther = "-OTHERRECORD the key has another record";

class Feed : public OneServerTest {
 protected:
  void SetUp() override {
    OneServerTest::SetUp();
    if (!IsSkipped()) {
      ASSERT_EQ(server()("BLOOM.CREATE", "k", "CAPACITY", "1000"), "+OK");
    }
  }
  // Returns the number of new items, or the error.
  std::string feed(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"BLOOM.FEED"};
    all.insert(all.end(), words.begin(), words.end());
    const std::string reply = server().run(all);
    return reply.front() == '[' ? reply.substr(reply.find(' ') + 1, reply.size() - reply.find(' ') - 2)
                                : reply;
  }
  std::string info(const std::string& key, const std::string& field) {
    const std::string reply = server()("BLOOM.INFO", key);
    const std::size_t at = reply.find("+" + field + " ");
    EXPECT_NE(at, std::string::npos) << reply;
    const std::size_t begin = at + field.size() + 2;
    return reply.substr(begin, reply.find(' ', begin) - begin);
  }
};

TEST_F(Feed, AStepAddsItemsAndMovesTheRecord) {
  EXPECT_EQ(info("k", "record"), "_");
  EXPECT_EQ(info("k", "lease-left"), "_");
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":0") << "nobody feeds it yet";
  EXPECT_EQ(feed({"k", "", "one", "0", "ann", "bob", "ann"}), ":2");
  EXPECT_EQ(info("k", "record"), "$one");
  EXPECT_EQ(info("k", "lease-left"), ":0");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ann", "absent"), "[:1 :1]") << "there is no lease";
  EXPECT_EQ(feed({"k", "one", "two", kFar}), ":0");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ann", "bob", "absent"), "[:1 :1 :0]");
  EXPECT_EQ(server()("BF.EXISTS", "k", "absent"), ":0");
  EXPECT_EQ(feed({"k", "two", "three", "0"}), ":0") << "the feeder doubts";
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":1");
  EXPECT_EQ(server()("BF.EXISTS", "k", "absent"), ":1");
}

TEST_F(Feed, TheLeaseEndsByTheServersClock) {
  const std::string reply = server()("BLOOM.FEED", "k", "", "one", "0");
  const long long now = std::stoll(reply.substr(2));
  EXPECT_EQ(feed({"k", "one", "two", std::to_string(now + 200)}), ":0");
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":0");
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":1");
}

TEST_F(Feed, AStepFromAnotherRecordChangesNothing) {
  EXPECT_EQ(feed({"k", "one", "two", kFar, "ann"}), kOther);
  EXPECT_EQ(feed({"k", "", "one", kFar, "bob"}), ":1");
  for (const char* const before : {"", "on", "one ", "two"}) {
    EXPECT_EQ(feed({"k", before, "two", "0", "ann"}), kOther) << before;
  }
  EXPECT_EQ(info("k", "record"), "$one");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ann", "bob"), "[:0 :1]");
}

TEST_F(Feed, WhatCannotBeFedIsRefused) {
  EXPECT_EQ(feed({"missing", "", "one", "0"}), "-OTHERRECORD there is no such key");
  server()("SET", "text", "1");
  server()("CF.ADD", "cuckoo", "a");
  EXPECT_EQ(feed({"text", "", "one", "0"}).find("-WRONGTYPE"), 0U);
  EXPECT_EQ(feed({"cuckoo", "", "one", "0"}).find("-WRONGTYPE"), 0U);
  EXPECT_EQ(feed({"k", "", "", "0"}), "-ERR bad record: expected 1 to 512 bytes");
  EXPECT_EQ(feed({"k", "", std::string(513, 'r'), "0"}), "-ERR bad record: expected 1 to 512 bytes");
  for (const char* const until : {"-1", "x", "", "9223372036854775807", "18446744073709551616"}) {
    EXPECT_EQ(feed({"k", "", "one", until}), "-ERR bad lease: expected 0 or more milliseconds") << until;
  }
  EXPECT_EQ(feed({"k", "", "one"}).find("-ERR wrong number of arguments"), 0U);
  const std::string header = server()("BLOOM.SCANDUMP", "k", "0");
  server()("BLOOM.LOADCHUNK", "half", "1", header.substr(5, header.size() - 6));
  EXPECT_EQ(feed({"half", "", "one", "0"}), "-ERR filter is being loaded");
  EXPECT_EQ(feed({"k", "", std::string(512, 'r'), "0"}), ":0");
  EXPECT_EQ(feed({"k", std::string(512, 'r'), std::string("\0\r\n\xff", 4), "0"}), ":0");
}

TEST_F(Feed, AFilterThatTakesOnlySomeItemsKeepsItsRecord) {
  server()("BLOOM.CREATE", "small", "CAPACITY", "100", "NONSCALING");
  EXPECT_EQ(feed({"small", "", "one", kFar}), ":0");
  std::vector<std::string> words = {"small", "one", "two", kFar};
  for (int i = 0; i < 200; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  EXPECT_EQ(feed(words), "-ERR non scaling filter is full");
  EXPECT_EQ(info("small", "record"), "$one");
  EXPECT_EQ(server()("BLOOM.EXISTS", "small", "item0"), ":1");
}

TEST_F(Feed, OtherCommandsLeaveTheRecordAlone) {
  EXPECT_EQ(feed({"k", "", "one", kFar, "ann"}), ":1");
  EXPECT_EQ(server()("BLOOM.LEASE", "k", "0"), "-ERR a feeder renews the lease of this key (BLOOM.FEED)");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "bob"), ":1");
  server()("BLOOM.ADD", "more", "eve");
  EXPECT_EQ(server()("BLOOM.CREATE", "empty", "CAPACITY", "1000"), "+OK");
  EXPECT_EQ(server()("BLOOM.UNION", "k", "more"), "+OK");
  EXPECT_EQ(info("k", "record"), "$one");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ann", "bob", "eve", "absent"), "[:1 :1 :1 :0]");
  EXPECT_EQ(server()("COPY", "k", "copy"), ":1");
  EXPECT_EQ(server()("RENAME", "copy", "moved"), "+OK");
  EXPECT_EQ(info("moved", "record"), "$one");
  EXPECT_EQ(feed({"moved", "one", "two", "0"}), ":0");
  EXPECT_EQ(info("k", "record"), "$one") << "the copy is another key";
}

TEST_F(Feed, AKeyIsMadeAndFedInOneTransaction) {
  EXPECT_EQ(server()("MULTI"), "+OK");
  server()("BLOOM.CREATE", "new", "CAPACITY", "1000");
  server()("BLOOM.FEED", "new", "", "one", "0", "ann");
  EXPECT_EQ(server()("EXEC").find("[+OK [:"), 0U);
  EXPECT_EQ(info("new", "record"), "$one");
  EXPECT_EQ(server()("BLOOM.EXISTS", "new", "absent"), ":1");
}

TEST_F(Feed, AMissingKeyIsNoNo) {
  EXPECT_EQ(server()("BLOOM.EXISTS", "missing", "a"), "-ERR not found");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "missing", "a", "b"), "-ERR not found");
  EXPECT_EQ(server()("BF.EXISTS", "missing", "a"), ":0") << "as RedisBloom's";
}

TEST_F(Feed, AServerWithoutMemoryRefusesTheStepWhole) {
  EXPECT_EQ(feed({"k", "", "one", "0", "ann"}), ":1");
  server()("CONFIG", "SET", "maxmemory", "1");
  EXPECT_EQ(feed({"k", "one", "two", kFar, "bob"}).find("-OOM"), 0U);
  EXPECT_EQ(info("k", "record"), "$one");
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":1") << "there is no lease";
}

}  // namespace
}  // namespace bloomery
