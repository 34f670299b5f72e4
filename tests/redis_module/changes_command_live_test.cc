// BLOOM.CHANGES returns the new items of a fed key since a number, or says that the copy must be made again. It never leaves
// out an item in silence.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

constexpr const char* kFarLease = "4000000000000";

class Changes : public OneServerTest {
 protected:
  void SetUp() override {
    OneServerTest::SetUp();
    if (!IsSkipped()) {
      ASSERT_EQ(server()("BLOOM.CREATE", "k", "CAPACITY", "100000"), "+OK");
      server()("BLOOM.FEED", "k", "", "r0", kFarLease, "ann", "bob");
    }
  }
  std::string changes(const std::string& id, const std::string& from, const std::string& key = "k") {
    return server()("BLOOM.CHANGES", key, id, from);
  }
  static std::string field(const std::string& reply, const std::string& name) {
    const std::size_t at = reply.find("+" + name + " ");
    EXPECT_NE(at, std::string::npos) << reply;
    const std::size_t begin = at + name.size() + 2;
    return reply.substr(begin + 1, reply.find(' ', begin) - begin - 1);
  }
  std::string id() { return field(changes("0", "0"), "id"); }
  void add(int first, int end) {
    std::vector<std::string> words = {"BLOOM.MADD", "k"};
    for (; first < end; ++first) {
      words.push_back("item" + std::to_string(first));
    }
    server().run(words);
  }
  // Returns whether the key's list is still `id`, with the items from `from` on.
  bool goes_on(const std::string& id, const std::string& from) {
    return changes(id, from).find("+hashes _") == std::string::npos;
  }
};

TEST_F(Changes, TheListBeginsWithTheFirstCall) {
  const std::string first = changes("0", "0");
  EXPECT_NE(first.find("+hashes _"), std::string::npos) << first;
  EXPECT_EQ(field(first, "next"), "0") << "ann and bob came before";
  EXPECT_EQ(field(first, "layers"), "1");
  EXPECT_NE(first.find("$r0"), std::string::npos);
  const std::string list = field(first, "id");
  EXPECT_NE(list, "0");
  EXPECT_EQ(id(), list);
  server()("BLOOM.FEED", "k", "r0", "r1", kFarLease, "ann", "carl", "dora");
  const std::string then = changes(list, "0");
  EXPECT_EQ(field(then, "next"), "2") << "ann was known";
  EXPECT_NE(then.find("$r1"), std::string::npos);
  EXPECT_TRUE(goes_on(list, "2"));
  EXPECT_FALSE(goes_on(list, "3")) << "there is no such number yet";
  EXPECT_FALSE(goes_on(std::to_string(std::stoll(list) ^ 1), "2")) << "another list";
}

TEST_F(Changes, WhatTheListLacksIsSaid) {
  const std::string list = id();
  add(0, 1000);
  EXPECT_TRUE(goes_on(list, "0"));
  for (int i = 1; i < 40; ++i) {
    add(i * 1000, (i + 1) * 1000);
  }
  EXPECT_FALSE(goes_on(list, "0")) << "too many came";
  const std::string next = field(changes(list, "0"), "next");
  EXPECT_GT(std::stol(next), 39'000) << "a few are false positives";
  EXPECT_TRUE(goes_on(list, std::to_string(std::stol(next) - 1000)));
}

TEST_F(Changes, AnotherValueHasAnotherList) {
  const std::string list = id();
  server()("RENAME", "k", "moved");
  EXPECT_EQ(field(changes(list, "0", "moved"), "id"), list);
  server()("RENAME", "moved", "k");
  server()("COPY", "k", "copy");
  EXPECT_NE(field(changes(list, "0", "copy"), "id"), list);
  server()("DEBUG", "RELOAD");
  EXPECT_NE(id(), list) << "what is loaded may be older";
  const std::string reloaded = id();
  server()("BLOOM.CREATE", "other", "CAPACITY", "100000");
  server()("BLOOM.ADD", "other", "x");
  EXPECT_EQ(server()("BLOOM.UNION", "k", "other"), "+OK");
  EXPECT_EQ(id(), "0") << "a union has more than one layer";
}

TEST_F(Changes, AFilterThatGrowsHasNone) {
  server()("BLOOM.CREATE", "small", "CAPACITY", "100");
  server()("BLOOM.FEED", "small", "", "r", kFarLease);
  EXPECT_NE(field(changes("0", "0", "small"), "id"), "0");
  for (int i = 0; i < 1000; ++i) {
    server()("BLOOM.ADD", "small", "item" + std::to_string(i));
  }
  const std::string grown = changes("0", "0", "small");
  EXPECT_EQ(field(grown, "id"), "0");
  EXPECT_NE(field(grown, "layers"), "1");
}

TEST_F(Changes, WhatNobodyFeedsIsRefused) {
  EXPECT_EQ(changes("0", "0", "missing"), "-ERR not found");
  server()("SET", "text", "1");
  EXPECT_EQ(changes("0", "0", "text").find("-WRONGTYPE"), 0U);
  server()("BLOOM.ADD", "alone", "a");
  EXPECT_EQ(changes("0", "0", "alone"), "-ERR no feeder has this key (BLOOM.FEED)");
  for (const char* const wrong : {"-1", "x", ""}) {
    EXPECT_EQ(changes(wrong, "0").find("-ERR bad number"), 0U) << wrong;
    EXPECT_EQ(changes("0", wrong).find("-ERR bad number"), 0U) << wrong;
  }
}

}  // namespace
}  // namespace bloomery
