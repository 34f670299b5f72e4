// Translation units that are compiled for different processors link into one program, and agree.
#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "asks.h"

namespace bloomery {
namespace {

// What this machine can run.
std::vector<Asks> runnable() {
  std::vector<Asks> all = {kAsksPortable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) {
    all.push_back(kAsksAvx2);
  }
  if (__builtin_cpu_supports("avx512f") != 0) {
    all.push_back(kAsksAvx512);
  }
#endif
  return all;
}

std::vector<std::uint64_t> random_keys(std::size_t count) {
  std::mt19937_64 random(20261122);
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) {
    key = random();
  }
  return keys;
}

BlockedBloomFilter empty_filter(std::uint32_t hash_count, BlockedSetting setting) {
  return *BlockedBloomFilter::for_shape({.words = 8 * 50, .hash_count = hash_count, .setting = setting},
                                        1000);
}

std::string bytes_of(const BlockedBloomFilter& filter) {
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

TEST(Flags, TranslationUnitsForDifferentProcessorsAgree) {
  const std::vector<std::uint64_t> keys = random_keys(3000);
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (std::uint32_t hash_count = 8; hash_count <= 16; ++hash_count) {
      BlockedBloomFilter expected = empty_filter(hash_count, setting);
      kAsksPortable.insert(expected, std::span(keys).first(1000));
      const std::vector<bool> answers = kAsksPortable.may_contain(expected, keys);
      const std::vector<bool> tested = kAsksPortable.test_and_insert(expected, keys);
      for (const Asks& asks : runnable()) {
        BlockedBloomFilter filter = empty_filter(hash_count, setting);
        asks.insert(filter, std::span(keys).first(1000));
        EXPECT_EQ(asks.may_contain(filter, keys), answers) << asks.window << ", k = " << hash_count;
        EXPECT_EQ(asks.test_and_insert(filter, keys), tested) << asks.window << ", k = " << hash_count;
        EXPECT_EQ(bytes_of(filter), bytes_of(expected)) << asks.window << ", k = " << hash_count;
      }
    }
  }
}

#if defined(__x86_64__) && !defined(BLOOMERY_THREAD_SANITIZER)
TEST(Flags, EachInlinesTheWindowOfItsProcessor) {
  EXPECT_STREQ(kAsksAvx2.window, "WindowAvx2");
  EXPECT_STREQ(kAsksAvx512.window, "WindowAvx512");
}
#endif

// No function that depends on the flags stands by itself in an object file, where the linker could choose it for another
// translation unit.
TEST(Flags, NoCopyOfAnInlineQuestionStandsByItself) {
  for (const char* const object : {BLOOMERY_OBJECT_AVX2, BLOOMERY_OBJECT_AVX512}) {
    const std::string command = std::string("nm -C --defined-only '") + object + "' 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> names(popen(command.c_str(), "r"), pclose);
    ASSERT_NE(names, nullptr);
    std::array<char, 4096> line;
    std::size_t lines = 0;
    while (std::fgets(line.data(), line.size(), names.get()) != nullptr) {
      ++lines;
      const std::string name = line.data();
      for (const char* const part :
           {"BlockedBloomFilter::may_contain", "BlockedBloomFilter::insert",
            "BlockedBloomFilter::test_and_insert", ">::may_contain", ">::insert", "WindowAvx"}) {
        EXPECT_EQ(name.find(part), std::string::npos) << object << ": " << name;
      }
    }
    if (lines == 0) {
      GTEST_SKIP() << "there is no nm on this machine";
    }
  }
}

}  // namespace
}  // namespace bloomery
