// XXH64 against the vectors of Parquet's values.
#include <gtest/gtest.h>

#include "hash/xxh.h"

namespace bloomery {
namespace {

TEST(Xxh64, PublishedVectors) {
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999u);
  EXPECT_EQ(xxh64("hello"), 0x26c7827d889f6da3u);
  EXPECT_EQ(xxh64({"\1\0\0\0\0\0\0\0", 8}), 0x9f29cb17a2a49995u);
  EXPECT_EQ(xxh64({"\1\0\0\0", 4}), 0xf42f94001fcb5351u);
}

}  // namespace
}  // namespace bloomery
