// The worked example of docs/formats/native.md is a filter, and the one that its text describes.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/filter/bloom_filter.h"

namespace bloomery {
namespace {

// The bytes of the page's ```hex block: up to 16 two-digit groups behind each offset, until three spaces.
std::string example_bytes() {
  std::ifstream page(std::string(BLOOMERY_SOURCE) + "/docs/formats/native.md");
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```hex";
      continue;
    }
    if (inside) {
      std::istringstream groups(line.substr(8, line.find("   ", 8) - 8));
      EXPECT_EQ(std::stoul(line.substr(0, 6), nullptr, 16), bytes.size()) << line;
      for (std::string group; groups >> group;) {
        bytes += static_cast<char>(std::stoul(group, nullptr, 16));
      }
    }
  }
  return bytes;
}

BloomFilter described_filter() {
  BloomFilter filter = *BloomFilter::for_capacity(4, 0.1);
  filter.insert("apple");
  filter.insert("banana");
  EXPECT_TRUE(filter.set_metadata("fruit"));
  return filter;
}

TEST(NativeFormatPage, ItsExampleIsTheFilterItDescribes) {
  std::string written;
  described_filter().serialize(written);
  EXPECT_EQ(example_bytes(), written);
}

TEST(NativeFormatPage, ItsExampleOpensAndAnswers) {
  const std::string bytes = example_bytes();
  const Result<BloomFilter> filter =
      BloomFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->shape(), (BloomShape{.bits = 20, .hash_count = 3}));
  EXPECT_EQ(filter->capacity(), 4u);
  EXPECT_EQ(filter->inserted(), 2u);
  EXPECT_EQ(filter->metadata(), "fruit");
  EXPECT_TRUE(filter->may_contain("apple"));
  EXPECT_TRUE(filter->may_contain("banana"));
  EXPECT_EQ(hash_key("apple").low, 0x5cf5d97583ab91bbu);
  EXPECT_EQ(hash_key("banana").low, 0x5583a5477f1ed1edu);
}

// The same file as it was written when version 1 began: never to be regenerated.
TEST(NativeFormatPage, ItsExampleIsTheGoldenFile) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/tests/golden/native/apple_banana_v1.bloom",
                     std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(golden.size(), 205u);
  EXPECT_EQ(example_bytes(), golden);
}

}  // namespace
}  // namespace bloomery
