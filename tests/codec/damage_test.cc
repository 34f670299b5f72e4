// Damaged files of formats without a checksum: an error, or exactly the answers of the bits that are there.
//
// What the bits say is read from the file's bytes by models that share nothing with the dialects but the
// hashes: plain divisions, one bit at a time.
#include "damage.h"

#include <optional>

#include <gtest/gtest.h>

#include "hash/fnv1_64.h"
#include "hash/murmur3_x64_128.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

std::uint64_t byte_or_zero(std::string_view file, std::uint64_t offset) {
  return offset < file.size() ? static_cast<unsigned char>(file[offset]) : 0;
}

std::uint64_t little64(std::string_view file, std::uint64_t offset) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    value |= byte_or_zero(file, offset + i) << (8 * i);
  }
  return value;
}

using Model = bool (*)(std::string_view file, std::string_view key);

bool guava_says(std::string_view file, std::string_view key) {
  const std::uint64_t words = byte_or_zero(file, 2) << 24 | byte_or_zero(file, 3) << 16 |
                              byte_or_zero(file, 4) << 8 | byte_or_zero(file, 5);
  const Hash128 hash = murmur3_x64_128(key);
  for (std::uint64_t i = 0; i < byte_or_zero(file, 1); ++i) {
    std::uint64_t value = (hash.low + i * hash.high) & 0x7fffffffffffffff;
    if (file[0] == 0) {
      const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(hash.low) +
                                                 (i + 1) * static_cast<std::uint32_t>(hash.low >> 32));
      value = static_cast<std::uint64_t>(sum < 0 ? ~sum : sum);
    }
    const std::uint64_t bit = value % (words * 64);
    if ((byte_or_zero(file, 6 + bit / 64 * 8 + 7 - bit % 64 / 8) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

bool dcso_says(std::string_view file, std::string_view key) {
  constexpr std::uint64_t kPrime = 18446744073709551557U;
  std::uint64_t state = fnv1_64(key) % kPrime;
  for (std::uint64_t i = 0; i < little64(file, 24); ++i) {
    state = state * 18446744073709550147U % kPrime;
    const std::uint64_t bit = state % little64(file, 32);
    if ((byte_or_zero(file, 48 + bit / 8) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

bool simple_java_says(std::string_view file, std::string_view key) {
  for (const std::uint32_t seed : {5U, 7U, 11U, 13U, 31U, 37U, 61U}) {
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < key.size(); i += 2) {
      hash = seed * hash + static_cast<std::uint32_t>(byte_or_zero(key, i) | byte_or_zero(key, i + 1) << 8);
    }
    const std::uint64_t bit = hash % 16384;
    if ((byte_or_zero(file, bit / 8) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

// "key000042" as UTF-16LE.
std::string wide_key(std::uint64_t i) {
  std::string units;
  for (const char c : numbered_key(i)) {
    units += {c, '\0'};
  }
  return units;
}

// Returns whether it opened.
bool check(const std::string& file, const std::string& dialect, Model model, const std::string& what) {
  const auto filter = view_dialect(std::as_bytes(std::span(file)), dialect);
  if (!filter) {
    EXPECT_FALSE(filter.error().detail().empty()) << what;
    return false;
  }
  static const KeyRange keys(numbered_key, 60, 80);
  static const KeyRange wide_keys(wide_key, 460, 80);
  for (const std::string_view key : (model == simple_java_says ? wide_keys : keys).views()) {
    EXPECT_EQ((*filter)->may_contain(key), model(file, key)) << what << ", " << key;
  }
  return true;
}

struct Example {
  const char* file;
  const char* dialect;
  Model model;
};

constexpr Example kExamples[] = {
    {"guava/string_utf8_s0_e100_n100_p0.01.bf", "guava", guava_says},
    {"guava/string_utf8_s1_e100_n100_p0.01.bf", "guava", guava_says},
    {"guava/string_utf8_s1_e1_n1_p0.01.bf", "guava", guava_says},
    {"dcso/n1_p0.01.bloom", "dcso:forced", dcso_says},
    {"dcso/n100_p0.01_over.bloom", "dcso:forced", dcso_says},
    {"dcso/n1000_p0.01.bloom", "dcso:forced", dcso_says},
    {"simple-java/cap16384_n500.bits", "simple-java:bits=16384,forced", simple_java_says},
};

TEST(DialectDamage, EveryFlippedByteIsAnErrorOrTheAnswersOfTheFlippedBits) {
  for (const Example& example : kExamples) {
    SCOPED_TRACE(example.file);
    std::size_t opened = 0;
    for_each_flip(golden_file(example.file), [&](const std::string& damaged, const std::string& what) {
      opened += check(damaged, example.dialect, example.model, what) ? 1U : 0U;
    });
    EXPECT_GT(opened, 0u);
  }
}

TEST(DialectDamage, EveryCutIsAnErrorOrTheAnswersOfWhatIsLeft) {
  for (const Example& example : kExamples) {
    SCOPED_TRACE(example.file);
    for_each_cut(golden_file(example.file), [&](const std::string& cut, const std::string& what) {
      const bool opened = check(cut, example.dialect, example.model, what);
      EXPECT_FALSE(opened && example.model != simple_java_says) << what;
    });
  }
}

// gzip has a checksum.
TEST(DialectDamage, OfACompressedFileItIsAnErrorOrTheSameFilter) {
  const auto packed = built("dcso:gz", {.capacity = 1000, .fpp = 0.01, .bits_per_key = {}},
                            KeyRange(numbered_key, 0, 1000).views());
  const std::string file = written(**packed);
  const auto is_same = [&](const std::string& damaged, const std::string& what) {
    const auto filter = view_dialect(std::as_bytes(std::span(damaged)), "dcso");
    EXPECT_TRUE(!filter || written(**filter) == file) << what;
    return filter.has_value();
  };
  for_each_flip(file, is_same);
  for_each_cut(file, [&](const std::string& cut, const std::string& what) {
    EXPECT_FALSE(is_same(cut, what)) << what;
  });
}

// What is recognised opens under the name that is told, or is damage that only opening finds.
TEST(DialectDamage, RecognitionStandsEveryFlipAndCut) {
  for (const Example& example : kExamples) {
    const auto look = [](const std::string& damaged, const std::string& what) {
      for (const RecognisedDialect& found : recognise_dialects(std::as_bytes(std::span(damaged)))) {
        const auto filter = view_dialect(std::as_bytes(std::span(damaged)), found.name);
        EXPECT_TRUE(filter || (found.recognition == Recognition::kMaybe &&
                               filter.error().code() == ErrorCode::kCorruption))
            << what << ", " << found.name;
      }
    };
    for_each_flip(golden_file(example.file), look);
    for_each_cut(golden_file(example.file), look);
  }
}

}  // namespace
}  // namespace bloomery
