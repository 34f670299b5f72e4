// The tutorials' filter against bits and counts of an independent port.
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "codec/simple_java/simple_java_probes.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

const DialectPlan kNoPlan;

// ASCII text as UTF-16LE.
std::string wide(std::string_view ascii) {
  std::string units;
  for (const char c : ascii) {
    units += {c, '\0'};
  }
  return units;
}

std::string wide_numbered(std::uint64_t i) {
  return wide(numbered_key(i));
}

// "00680065": big-endian digits of each unit.
std::string units_of(const std::string& hex) {
  std::string units;
  for (std::size_t i = 0; i + 4 <= hex.size(); i += 4) {
    const unsigned long unit = std::stoul(hex.substr(i, 4), nullptr, 16);
    units += {static_cast<char>(unit & 0xff), static_cast<char>(unit >> 8)};
  }
  return units;
}

std::optional<ErrorCode> simple_java_error(const std::string& bytes, std::string_view dialect) {
  const auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
  return filter ? std::optional<ErrorCode>() : filter.error().code();
}

TEST(SimpleJava, VectorsOfEverySeed) {
  constexpr std::uint32_t kSeeds[] = {5, 7, 11, 13, 31, 37, 61};
  for (const auto& row : golden_table("simple-java/vectors.csv")) {
    const SimpleJavaProbes probes(std::stoull(row.at("cap")), kSeeds);
    auto probe = probes.begin(units_of(row.at("key_utf16_hex")));
    for (const std::uint32_t seed : kSeeds) {
      EXPECT_EQ(probes.next(probe), std::stoull(row.at("seed" + std::to_string(seed))))
          << row.at("key_utf16_hex");
    }
  }
}

TEST(SimpleJava, EveryGoldenFileHasItsBitsAnswersAndFalsePositives) {
  for (const auto& row : golden_table("simple-java/manifest.csv")) {
    if (row.at("file").starts_with("(")) {
      continue;  // positions only
    }
    SCOPED_TRACE(row.at("file"));
    const std::string dialect = "simple-java:bits=" + row.at("cap_bits");
    const std::string bytes = golden_file("simple-java/" + row.at("file"));
    const KeyRange keys(wide_numbered, 0, std::stoull(row.at("keys")));
    const auto filter = viewed(bytes, dialect);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->dialect(), dialect);
    EXPECT_EQ(filter->facts().set_bits, std::stoull(row.at("bits_set")));
    EXPECT_EQ(filter->facts().hash_count, 7u);
    EXPECT_EQ(filter->facts().integrity, "none");
    EXPECT_EQ(count_maybes(*filter, keys.views()), keys.views().size());
    EXPECT_EQ(count_maybes(*filter, KeyRange(wide_numbered, 1'000'000, 100'000).views()),
              std::stoull(row.at("false_positives_1000000_to_1099999")));
    EXPECT_EQ(written(*filter), bytes);
    EXPECT_EQ(written(**built(dialect, kNoPlan, keys.views())), bytes);
    const std::string words = written(**built(dialect + ",words", kNoPlan, keys.views()));
    EXPECT_EQ(words.size() % 8, 0u);
    EXPECT_EQ(words, bytes + std::string(words.size() - bytes.size(), '\0'));
    EXPECT_EQ(written(*viewed(words, dialect)), bytes);
    EXPECT_EQ(written(*viewed(words, dialect + ",words")), words);
  }
}

TEST(SimpleJava, TheUsualSizeAndTwoKeys) {
  const std::string hello = wide("hello");
  const std::string_view view = hello;
  const auto filter = built("simple-java", kNoPlan, {&view, 1});
  EXPECT_EQ((*filter)->facts().bits, 33'554'432u);
  EXPECT_EQ((*filter)->facts().set_bits, 7u);
  const std::string bytes = written(**filter);
  EXPECT_EQ(bytes.size(), 32'408'496u / 8 + 1);
  EXPECT_EQ(written(*viewed(bytes, "simple-java")), bytes);
  EXPECT_TRUE((*filter)->may_contain(hello));
  EXPECT_FALSE((*filter)->may_contain(wide("hallo")));
}

// "" has the bits 0 for every seed.
TEST(SimpleJava, TheEmptyStringIsBitZero) {
  const auto filter = built("simple-java:bits=1024", kNoPlan, {});
  EXPECT_EQ(written(**filter), "");
  EXPECT_TRUE((*filter)->insert("").value_or(false));
  EXPECT_EQ(written(**filter), "\1");
  EXPECT_EQ(simple_java_error("", "simple-java:bits=1024"), ErrorCode::kCorruption) << "an empty file";
  EXPECT_EQ(simple_java_error("", "simple-java:bits=1024,forced"), std::nullopt);
}

TEST(SimpleJava, OtherSeedsAreOtherFilters) {
  const std::string hello = wide("hello");
  const std::string_view view = hello;
  const auto six = built("simple-java:bits=1024,seeds6", kNoPlan, {&view, 1});
  const auto seven = built("simple-java:bits=1024", kNoPlan, {&view, 1});
  const auto eight = built("simple-java:bits=1024,seeds8", kNoPlan, {&view, 1});
  EXPECT_EQ((*six)->facts().more.front().second, "7 11 13 31 37 61");
  EXPECT_EQ((*eight)->facts().more.front().second, "3 5 7 11 13 31 37 61");
  EXPECT_EQ((*six)->facts().set_bits, 6u);
  EXPECT_EQ((*eight)->dialect(), "simple-java:bits=1024,seeds8");
  EXPECT_FALSE((*seven)->merge(**six));
  EXPECT_FALSE((*seven)->merge(**built("simple-java:bits=2048", kNoPlan, {})));
  EXPECT_TRUE((*seven)->merge(**built("simple-java:bits=1024,words", kNoPlan, {})));
}

// The size is not in the file, and a wrong one would answer no for keys that are in.
TEST(SimpleJava, AFileThatMayBeOfAnotherSizeMustNameIt) {
  const std::string small = golden_file("simple-java/cap65536_n4000.bits");
  EXPECT_EQ(simple_java_error(small, "simple-java"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(simple_java_error("", "simple-java:forced"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(simple_java_error(small, "simple-java:bits=16384"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(simple_java_error(small, "simple-java:bits=33554432"), std::nullopt);  // who names it is believed
  EXPECT_EQ(simple_java_error(small, ""), ErrorCode::kInvalidArgument);
}

TEST(SimpleJava, HalfAUnitIsRefusedAndNeverDenied) {
  const auto filter = built("simple-java:bits=1024", kNoPlan, {});
  EXPECT_EQ((*filter)->insert("abc").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE((*filter)->may_contain("abc"));
  const std::string even = wide("even");
  const std::string other = wide("other");
  const std::vector<std::string_view> keys = {even, "odd", other};
  EXPECT_FALSE((*filter)->insert_batch(keys));
  EXPECT_EQ(count_maybes(**filter, keys), 2u);  // what stood before it is in
}

TEST(SimpleJava, ImpossibleOptionsAreRefused) {
  for (const char* option :
       {"bits=1000", "bits=0", "bits=", "bits=2147483648", "bits=1024x", "seeds9", "bytes"}) {
    EXPECT_EQ(simple_java_error("", std::string("simple-java:") + option), ErrorCode::kInvalidArgument)
        << option;
    EXPECT_FALSE(build_dialect(std::string("simple-java:") + option, kNoPlan)) << option;
  }
  EXPECT_EQ(simple_java_error("\1", "simple-java:bits=1024,words"), ErrorCode::kCorruption);
}

// toByteArray() and toLongArray() end with the last bit that is set.
TEST(SimpleJava, ZerosAtTheEndAreOfNoBitSet) {
  EXPECT_EQ(simple_java_error("\1", "simple-java:bits=1024"), std::nullopt);
  EXPECT_EQ(simple_java_error(std::string("\1\0", 2), "simple-java:bits=1024"), ErrorCode::kCorruption);
  EXPECT_EQ(simple_java_error(std::string("\1\0", 2), "simple-java:bits=1024,forced"), std::nullopt);
  const std::string word("\1\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(simple_java_error(word, "simple-java:bits=1024"), std::nullopt) << "the same bits";
  EXPECT_EQ(simple_java_error(word, "simple-java:bits=1024,words"), std::nullopt);
  EXPECT_EQ(simple_java_error(word + std::string(8, '\0'), "simple-java:bits=1024,words"),
            ErrorCode::kCorruption);
}

TEST(SimpleJava, EveryBitSetAnswersMaybeAndCannotBeCounted) {
  const auto filter = viewed(std::string(8, '\xff'), "simple-java:bits=64");
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain(wide("anything")));
  EXPECT_EQ(filter->current_fpp(), 1);
  EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
}

// The last bit of the lower half is also the last one of a filter of half the size.
TEST(SimpleJava, ABitBelowTheUpperHalfDoesNotShowTheUsualSize) {
  constexpr std::size_t kHalfBytes = 33'554'432 / 2 / 8;
  std::string below(kHalfBytes, '\0');
  below.back() = '\x80';
  EXPECT_EQ(simple_java_error(below, "simple-java"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(simple_java_error(below, "simple-java:bits=33554432"), std::nullopt);
  EXPECT_EQ(simple_java_error(std::string(kHalfBytes, '\0') + '\1', "simple-java"), std::nullopt);
}

}  // namespace
}  // namespace bloomery
