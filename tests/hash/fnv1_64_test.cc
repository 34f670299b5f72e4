// FNV-1 against its published vectors (RFC 9923, appendix).
#include "hash/fnv1_64.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(Fnv1, PublishedVectors) {
  EXPECT_EQ(fnv1_64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1_64("a"), 0xaf63bd4c8601b7beu);
  EXPECT_EQ(fnv1_64("foobar"), 0x340d8765a4dda9c2u);
  EXPECT_EQ(fnv1_64("hello"), 0x7b495389bdbdd4c7u);
}

}  // namespace
}  // namespace bloomery
