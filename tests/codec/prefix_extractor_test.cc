// RocksDB's prefix extractors: their names, and the prefix of a key.
#include "codec/rocksdb/prefix_extractor.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(RocksDbPrefixExtractor, TakesTheFrontOfAKey) {
  const auto fixed = RocksDbPrefixExtractor::parse("fixed:4");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->prefix_of("abcdef"), "abcd");
  EXPECT_EQ(fixed->prefix_of("abcd"), "abcd");
  EXPECT_EQ(fixed->prefix_of("abc"), std::nullopt);
  const auto capped = RocksDbPrefixExtractor::parse("capped:4");
  ASSERT_TRUE(capped);
  EXPECT_EQ(capped->prefix_of("abcdef"), "abcd");
  EXPECT_EQ(capped->prefix_of("abc"), "abc");
  EXPECT_EQ(RocksDbPrefixExtractor::parse("noop")->prefix_of("abc"), "abc");
}

TEST(RocksDbPrefixExtractor, HasTheNamesThatRocksDbWrites) {
  for (const char* const name : {"rocksdb.FixedPrefix.4", "rocksdb.CappedPrefix.12", "rocksdb.Noop"}) {
    const auto extractor = RocksDbPrefixExtractor::parse(name);
    ASSERT_TRUE(extractor) << name;
    EXPECT_EQ(extractor->name(), name);
  }
  EXPECT_EQ(*RocksDbPrefixExtractor::parse("fixed:4"),
            *RocksDbPrefixExtractor::parse("rocksdb.FixedPrefix.4"));
  for (const char* const wrong :
       {"", "fixed", "fixed:", "fixed:4x", "fixed:-1", "capped:99999999999999999999", "nullptr",
        "rocksdb.FixedPrefix", "my.Own"}) {
    EXPECT_FALSE(RocksDbPrefixExtractor::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace bloomery
