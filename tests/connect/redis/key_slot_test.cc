// The slots of keys. What is expected was answered by CLUSTER KEYSLOT of Redis 7.0.15.
#include "connect/redis/key_slot.h"

#include <gtest/gtest.h>

namespace bloomery::redis {
namespace {

TEST(RedisKeySlot, TheChecksumIsXmodem) {
  EXPECT_EQ(crc16_xmodem("123456789"), 0x31c3);  // the check value of the specification
  EXPECT_EQ(crc16_xmodem(""), 0);
}

TEST(RedisKeySlot, ServersSayTheSame) {
  EXPECT_EQ(key_slot(""), 0);
  EXPECT_EQ(key_slot("foo"), 12182);
  EXPECT_EQ(key_slot("bar"), 5061);
  EXPECT_EQ(key_slot("hello"), 866);
  EXPECT_EQ(key_slot("somekey"), 11058);
  EXPECT_EQ(key_slot("foo{hash_tag}"), 2515);
  EXPECT_EQ(key_slot("123456789"), 12739);
}

TEST(RedisKeySlot, OnlyTheFirstTagCountsAndNoEmptyOne) {
  EXPECT_EQ(hash_tag("{user1000}.following"), "user1000");
  EXPECT_EQ(key_slot("{user1000}.following"), key_slot("{user1000}.followers"));
  EXPECT_EQ(key_slot("{user1000}.following"), 3443);
  EXPECT_EQ(hash_tag("foo{}{bar}"), "foo{}{bar}");
  EXPECT_EQ(key_slot("foo{}{bar}"), 8363);
  EXPECT_EQ(hash_tag("foo{{bar}}zap"), "{bar");
  EXPECT_EQ(key_slot("foo{{bar}}zap"), 4015);
  EXPECT_EQ(hash_tag("foo{bar}{zap}"), "bar");
  EXPECT_EQ(key_slot("foo{bar}{zap}"), 5061);
  EXPECT_EQ(hash_tag("{"), "{");
  EXPECT_EQ(hash_tag("}{"), "}{");
  EXPECT_EQ(hash_tag("a{b"), "a{b");
  EXPECT_EQ(hash_tag("}a{b}"), "b");
}

}  // namespace
}  // namespace bloomery::redis
