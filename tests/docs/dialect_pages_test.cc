// The worked examples of the dialects' pages are the filters that their text describes.
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/dialects/dialects.h"
#include "page_example.h"

namespace bloomery {
namespace {

// ASCII as UTF-16LE.
std::string wide(std::string_view ascii) {
  std::string units;
  for (const char c : ascii) {
    units += {c, '\0'};
  }
  return units;
}

struct Page {
  const char* name;
  const char* dialect;
  bool wide_keys;
  const char* absent = "cherry";
};

constexpr Page kPages[] = {{"bits-and-blooms.md", "bits-and-blooms", false},
                           {"cassandra.md", "cassandra:nb", false},
                           {"guava.md", "guava", false},
                           {"dcso.md", "dcso", false},
                           {"leveldb.md", "leveldb:raw", false, "grape"},
                           {"parquet.md", "parquet", false},
                           {"redisbloom.md", "redisbloom", false},
                           {"rocksdb.md", "rocksdb:fastlocal", false},
                           {"simple-java.md", "simple-java:bits=64", true},
                           {"spark.md", "spark", false}};

TEST(DialectPages, TheirExamplesAreTheFiltersTheyDescribe) {
  for (const Page& page : kPages) {
    SCOPED_TRACE(page.name);
    const auto builder = build_dialect(page.dialect, {.capacity = 4, .fpp = 0.1, .bits_per_key = {}});
    ASSERT_TRUE(builder) << builder.error().to_string();
    for (const char* fruit : {"apple", "banana"}) {
      const std::string key = page.wide_keys ? wide(fruit) : fruit;
      const std::string_view view = key;
      ASSERT_TRUE((*builder)->add({&view, 1}));
    }
    const auto filter = (*builder)->finish();
    ASSERT_TRUE(filter);
    std::string written;
    ASSERT_TRUE((*filter)->append_to(written));
    const std::string example = page_example(page.name);
    EXPECT_EQ(example, written);
    const auto opened = view_dialect(std::as_bytes(std::span(example)), page.dialect);
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_TRUE((*opened)->may_contain(page.wide_keys ? wide("banana") : "banana"));
    EXPECT_FALSE((*opened)->may_contain(page.wide_keys ? wide(page.absent) : page.absent));
  }
}

}  // namespace
}  // namespace bloomery
