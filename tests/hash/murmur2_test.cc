// MurmurHash2 of 32 bits and MurmurHash64A against vectors of RedisBloom; more are in
// tests/golden/redisbloom/.
#include "hash/murmur2.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(Murmur2, PublishedVectors) {
  EXPECT_EQ(murmur64a("hello", 0xc6a4a7935bd1e995), 0x5ba5b8a59803e699u);
  EXPECT_EQ(murmur64a("hello", 0x5ba5b8a59803e699), 0xa7d451d588a0c2a4u);
  EXPECT_EQ(murmur64a("key000000", 0xc6a4a7935bd1e995), 0xc41128626accefb7u);
  EXPECT_EQ(murmur2_32("key000000", 0x9747b28c), 0x463d59afu);
  EXPECT_EQ(murmur2_32("key000000", 0x463d59af), 0x46780c7eu);
}

// No bytes: the end of the definition, of the seed alone.
TEST(Murmur2, EmptyKey) {
  EXPECT_EQ(murmur64a("", 0), 0u);
  EXPECT_EQ(murmur2_32("", 0), 0u);
}

}  // namespace
}  // namespace bloomery
