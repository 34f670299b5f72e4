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

std::string as_it_is(std::string_view text) {
  return std::string(text);
}

// The number of letters, as an integer of 8 bytes.
std::string letters(std::string_view text) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(text.size());
  return bytes;
}

struct Page {
  const char* name;
  const char* dialect;
  std::string (*key)(std::string_view text) = as_it_is;
  const char* absent = "cherry";
};

constexpr Page kPages[] = {{"bits-and-blooms.md", "bits-and-blooms"},
                           {"cassandra.md", "cassandra:nb"},
                           {"guava.md", "guava"},
                           {"dcso.md", "dcso"},
                           {"leveldb.md", "leveldb:raw", as_it_is, "grape"},
                           {"parquet.md", "parquet"},
                           {"redisbloom.md", "redisbloom"},
                           {"rocksdb.md", "rocksdb:fastlocal"},
                           {"simple-java.md", "simple-java:bits=64", wide},
                           {"spark.md", "spark"},
                           {"xor-singleheader.md", "fuse8:packed", letters, "fig"}};

TEST(DialectPages, TheirExamplesAreTheFiltersTheyDescribe) {
  for (const Page& page : kPages) {
    SCOPED_TRACE(page.name);
    const auto builder = build_dialect(page.dialect, {.capacity = 4, .fpp = 0.1, .bits_per_key = {}});
    ASSERT_TRUE(builder) << builder.error().to_string();
    for (const char* fruit : {"apple", "banana"}) {
      const std::string key = page.key(fruit);
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
    EXPECT_TRUE((*opened)->may_contain(page.key("banana")));
    EXPECT_FALSE((*opened)->may_contain(page.key(page.absent)));
  }
}

}  // namespace
}  // namespace bloomery
