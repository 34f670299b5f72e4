// The Spark dialect against files, counts and vectors of spark-sketch 4.1.1.
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "base/byte_source.h"
#include "base/endian.h"
#include "codec/spark/spark_header.h"
#include "codec/spark/spark_probes.h"
#include "codec/spark/spark_sizing.h"
#include "compress/decompress.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

std::uint64_t extreme_item(std::uint64_t i) {
  static constexpr std::int64_t kList[] = {0,
                                           1,
                                           -1,
                                           2,
                                           -2,
                                           127,
                                           128,
                                           -128,
                                           -129,
                                           255,
                                           256,
                                           32767,
                                           32768,
                                           -32768,
                                           65535,
                                           65536,
                                           2147483647,
                                           2147483648,
                                           -2147483648,
                                           -2147483649,
                                           4294967295,
                                           4294967296,
                                           -4294967296,
                                           9223372036854775807,
                                           -9223372036854775807 - 1,
                                           -9223372036854775807,
                                           std::int64_t{1} << 52,
                                           std::int64_t{1} << 53,
                                           (std::int64_t{1} << 53) + 1,
                                           -(std::int64_t{1} << 53),
                                           std::int64_t{1} << 62,
                                           0x0123456789abcdef,
                                           static_cast<std::int64_t>(0xfedcba9876543210)};
  return i < std::size(kList) ? static_cast<std::uint64_t>(kList[i]) : (i << 32) ^ i;
}

std::uint64_t boxed_item(std::uint64_t i) {
  const std::uint64_t value = i * 0xBF58476D1CE4E5B9;
  const auto sign_extended = [value](unsigned bits) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
  };
  return sign_extended(8U << (i % 4));
}

std::string text_of_length(std::uint64_t i) {
  std::string text;
  for (std::uint64_t j = 0; j < i % 40; ++j) {
    text += static_cast<char>('a' + (i + j) % 26);
  }
  return i == 0 ? text : text + std::to_string(i / 40);
}

std::string binary_item(std::uint64_t i) {
  if (i == 0) {
    return {};
  }
  std::string bytes(4, '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint32_t>(i));
  for (std::uint64_t j = 4; j < i % 19 + 4; ++j) {
    bytes += static_cast<char>((11 * i + 37 * j) & 255);
  }
  return bytes;
}

std::string nuls_item(std::uint64_t i) {
  std::string bytes(i % 256, '\0');
  if (i >= 256) {
    bytes += {static_cast<char>(i >> 16 & 255), static_cast<char>(i >> 8 & 255), 1};
  }
  return bytes;
}

// The bytes that Spark hashes for item i of a family (tests/golden/spark/README.md).
std::string item(const std::string& family, std::uint64_t i) {
  if (family == "long") {
    return little_endian(i * 0xD1342543DE82EF95 + 1);
  }
  if (family == "seq") {
    return little_endian(i - 100);
  }
  if (family == "extreme") {
    return little_endian(extreme_item(i));
  }
  if (family == "boxed") {
    return little_endian(boxed_item(i));
  }
  if (family == "ascii") {
    char text[32];
    std::snprintf(text, sizeof text, "row-%05llu", static_cast<unsigned long long>(i));
    return text;
  }
  if (family == "uni") {
    return "k\u00e9\u20ac\U0001F600-" + std::to_string(i);
  }
  if (family == "strlen") {
    return text_of_length(i);
  }
  return family == "bytes" ? binary_item(i) : nuls_item(i);
}

struct SparkGolden {
  explicit SparkGolden(const std::map<std::string, std::string>& row)
      : file(row.at("file")), family(row.at("family")), cells(row) {
    dialect = "spark:v" + cells.at("format_version");
    if (cells.at("seed") != "0") {
      dialect += ",seed=" + cells.at("seed");
    }
  }

  std::uint64_t number(const std::string& name) const { return std::stoull(cells.at(name)); }
  KeyRange keys(std::uint64_t first, std::uint64_t count) const {
    return {[this](std::uint64_t i) { return item(family, i); }, first, count};
  }
  KeyRange inserted() const { return keys(number("first_index"), number("count")); }
  KeyRange absent() const { return keys(number("absent_first"), number("absent_count")); }
  bool is_of_put() const { return file.find("_pair_") == std::string::npos; }

  // "n=1000 p=0.01" or "n=1000 bits=64"; the builds of pairs, whose shape is one, are of the latter kind.
  std::string named_dialect() const {
    const std::string& made = cells.at("created_by");
    const std::size_t bits = made.find("bits=");
    return bits == std::string::npos
               ? dialect
               : dialect + "," + made.substr(bits, made.find_first_not_of("0123456789", bits + 5) - bits);
  }
  DialectPlan plan() const {
    const std::string& made = cells.at("created_by");
    const std::size_t fpp = made.find("p=");
    return {.capacity = std::stoull(made.substr(made.find("n=") + 2)),
            .fpp = fpp == std::string::npos ? 0.5 : std::stod(made.substr(fpp + 2)),
            .bits_per_key = {}};
  }

  std::string file;
  std::string family;
  std::string dialect;
  std::map<std::string, std::string> cells;
};

TEST(Spark, EveryGoldenFileHasItsBitsAnswersAndFalsePositives) {
  for (const SparkGolden& row : golden_rows<SparkGolden>("spark/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const std::string bytes = golden_file("spark/" + row.file);
    const auto filter = viewed(bytes, "");  // the bytes tell
    ASSERT_NE(filter, nullptr);
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(filter->dialect(), row.dialect);
    EXPECT_EQ(facts.bits, row.number("bit_size"));
    EXPECT_EQ(facts.hash_count, row.number("k"));
    EXPECT_EQ(facts.set_bits, row.number("bits_set"));
    EXPECT_EQ(facts.integrity, "none");
    const double expected = std::stod(row.cells.at("expected_fpp"));
    const double fill = static_cast<double>(facts.set_bits) / static_cast<double>(facts.bits);
    EXPECT_NEAR(std::pow(fill, facts.hash_count), expected, expected * 1e-14);
    // Spark's number takes a key's bits for independent; what is told here is that or what is true (stepped_fpp_test.cc).
    EXPECT_TRUE(std::abs(filter->current_fpp() - expected) <= expected * 1e-14 ||
                expected * static_cast<double>(facts.bits) < 64);
    EXPECT_EQ(count_maybes(*filter, row.inserted().views()), row.number("inserted_answered_yes"));
    EXPECT_EQ(count_maybes(*filter, row.absent().views()), row.number("absent_answered_yes"));
    EXPECT_EQ(written(*filter), bytes);
  }
}

TEST(Spark, TheSameKeysMakeTheSameBytesAndPutAnswersTheSame) {
  std::size_t compared = 0;
  for (const SparkGolden& row : golden_rows<SparkGolden>("spark/manifest.csv")) {
    if (!row.is_of_put()) {
      continue;
    }
    SCOPED_TRACE(row.file);
    const KeyRange keys = row.inserted();
    const std::string bytes = golden_file("spark/" + row.file);
    const auto filter = built(row.named_dialect(), row.plan(), keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), bytes);
    const auto again = built(row.named_dialect(), row.plan(), {});
    std::uint64_t changed = 0;
    for (const std::string_view key : keys.views()) {
      const bool was_in = (*again)->may_contain(key);
      EXPECT_EQ((*again)->insert(key).value_or(was_in), !was_in);
      changed += was_in ? 0 : 1;
    }
    EXPECT_EQ(written(**again), bytes);
    if (row.cells.at("puts_returning_true") != "-1") {
      EXPECT_EQ(changed, row.number("puts_returning_true"));
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Spark, HashesAndPositionsAreSparks) {
  for (const auto& row : golden_table("spark/vectors.csv")) {
    SCOPED_TRACE(row.at("family") + " " + row.at("index"));
    const std::string key = item(row.at("family"), std::stoull(row.at("index")));
    const auto seed = static_cast<std::uint32_t>(std::stoll(row.at("seed")));
    const SparkHashes hashes = spark_hashes(key, seed);
    EXPECT_EQ(static_cast<std::int32_t>(hashes.first), std::stol(row.at("h1")));
    EXPECT_EQ(static_cast<std::int32_t>(hashes.second), std::stol(row.at("h2")));
    const std::uint64_t bits = std::stoull(row.at("bit_size"));
    const auto count = static_cast<std::uint32_t>(std::stoul(row.at("k")));
    std::set<std::uint64_t> found;
    const auto collect = [&](const auto& scheme) {
      auto probe = scheme.begin(key);
      for (std::uint32_t i = 0; i < count; ++i) {
        found.insert(scheme.next(probe));
      }
    };
    if (row.at("version") == "1") {
      collect(SparkV1(bits, count));
    } else {
      collect(SparkV2(bits, count, seed));
    }
    std::string text;
    for (const std::uint64_t position : found) {
      text += (text.empty() ? "" : " ") + std::to_string(position);
    }
    EXPECT_EQ(text, row.at("set_bits_sorted"));
  }
}

// Keys of eight bytes have a way of their own.
TEST(Spark, ALongIsHashedAsItsBytesAre) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string key = item("long", i);
    const std::uint32_t first = spark_murmur3_x86_32(key, 42);
    EXPECT_EQ(spark_hashes(key, 42).first, first);
    EXPECT_EQ(spark_hashes(key, 42).second, spark_murmur3_x86_32(key, first));
  }
}

TEST(Spark, SizesAndRefusalsAreSparks) {
  std::size_t compared = 0;
  for (const auto& row : golden_table("spark/sizing.csv")) {
    const std::int64_t n = std::stoll(row.at("n"));
    const std::string& size = row.at("fpp_or_bits");
    const std::string& result = row.at("result");
    SCOPED_TRACE(row.at("n") + " " + size + " " + result);
    const bool names_bits = size.starts_with("bits=");
    if (n < 0 || (names_bits && size[5] == '-')) {
      continue;  // cannot be said here
    }
    const auto capacity = static_cast<std::uint64_t>(n);
    const auto shape = names_bits ? spark_shape_of_bits(capacity, std::stoull(size.substr(5)))
                                  : spark_shape(capacity, std::stod(size));
    if (result.starts_with("refused")) {
      ASSERT_FALSE(shape);
      EXPECT_EQ(shape.error().code(), ErrorCode::kInvalidArgument);
    } else if (shape) {
      const std::string text = (names_bits ? "" : "bits " + std::to_string(shape->computed_bits)) +
                               std::string(names_bits ? "" : " ") + "k " + std::to_string(shape->hash_count) +
                               " words " + std::to_string(shape->words);
      EXPECT_EQ(text.substr(0, result.size()), result);
      ++compared;
    } else {  // Spark says how many bits it would take, and has no array of that length
      EXPECT_TRUE(size == "0.0" || std::stoull(result.substr(5)) > 2147483647ULL * 64);
    }
  }
  EXPECT_GT(compared, 80u);
}

TEST(Spark, ImpossiblePlansAreRefused) {
  const auto refused = [](const char* dialect, const DialectPlan& plan) {
    const auto builder = build_dialect(dialect, plan);
    return !builder && builder.error().code() == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused("spark", {.capacity = 0, .fpp = 0.03, .bits_per_key = {}}));
  EXPECT_TRUE(refused("spark", {.capacity = 1, .fpp = 0.7, .bits_per_key = {}}));  // no bit
  EXPECT_TRUE(refused("spark", {.capacity = 1, .fpp = std::nan(""), .bits_per_key = {}}));
  EXPECT_TRUE(refused("spark", {.capacity = std::uint64_t{1} << 60, .fpp = 1e-300, .bits_per_key = {}}));
  EXPECT_TRUE(refused("spark", {.capacity = ~std::uint64_t{0}, .fpp = 0.03, .bits_per_key = {}}));
  EXPECT_TRUE(refused("spark", {.capacity = std::uint64_t{1} << 62, .fpp = {}, .bits_per_key = 1000}));
  EXPECT_TRUE(refused("spark:bits=0", {.capacity = 1, .fpp = 0.03, .bits_per_key = {}}));
  EXPECT_TRUE(refused("spark:bits=137438953409", {.capacity = 1, .fpp = 0.03, .bits_per_key = {}}));
  for (const char* dialect : {"spark:v3", "spark:v1,v2", "spark:v1,seed=0", "spark:seed=", "spark:seed=4x",
                              "spark:seed=2147483648", "spark:bits=", "spark:bits=-1", "spark:bits=1k"}) {
    EXPECT_TRUE(refused(dialect, {.capacity = 1, .fpp = 0.03, .bits_per_key = {}})) << dialect;
  }
}

// create(1000, 8000) is what bloom_filter_agg() makes of 1,000 items.
TEST(Spark, BitsPerKeyAreTheBitsOfCreate) {
  const auto per_key = built("spark", {.capacity = 1000, .fpp = {}, .bits_per_key = 8}, {});
  const auto named = built("spark:bits=8000", {.capacity = 1000, .fpp = 0.5, .bits_per_key = {}}, {});
  EXPECT_EQ(written(**per_key), written(**named));
  EXPECT_EQ((*named)->facts().hash_count, 6u);
}

TEST(Spark, MergeIsMergeInPlace) {
  for (const char* pair : {"v1_s0_bytes", "v1_s0_uni", "v2_s42_bytes", "v2_s-2147483648_uni"}) {
    const auto file = [pair](const char* name) {
      return golden_file("spark/" + std::string(pair) + "_" + name + ".bf");
    };
    const std::string first = file("pairA");
    const std::string second = file("pairB");
    const auto filter = viewed(first, "spark");
    ASSERT_TRUE(filter->merge(*viewed(second, "spark")));
    EXPECT_EQ(written(*filter), file("pair_or_"));
    EXPECT_FALSE(filter->merge(*filter));
  }
}

TEST(Spark, FiltersThatSparkRefusesToMergeAreNotMerged) {
  const DialectPlan plan{.capacity = 1000, .fpp = 0.03, .bits_per_key = {}};
  const auto filter = built("spark", plan, {});
  const std::string before = written(**filter);
  const auto differs = [&](const char* dialect, const DialectPlan& other, const char* what) {
    const Status status = (*filter)->merge(**built(dialect, other, {}));
    return !status && status.error().detail().find(what) != std::string::npos;
  };
  EXPECT_TRUE(differs("spark:v1", plan, "version"));
  EXPECT_TRUE(differs("spark:seed=1", plan, "seed"));
  EXPECT_TRUE(differs("spark", {.capacity = 2000, .fpp = 0.03, .bits_per_key = {}}, "bits"));
  EXPECT_TRUE(differs("spark:bits=7298", {.capacity = 2000, .fpp = 0.03, .bits_per_key = {}}, "hash count"));
  EXPECT_TRUE(differs("guava", plan, "dialect"));
  EXPECT_EQ(written(**filter), before);
}

std::optional<ErrorCode> spark_error(const std::string& bytes, const char* dialect = "spark") {
  const auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
  return filter ? std::optional<ErrorCode>() : filter.error().code();
}

std::string v1(std::uint32_t k, std::uint32_t words, std::size_t has) {
  std::string bytes(12 + 8 * has, '\0');
  auto* const at = reinterpret_cast<std::byte*>(bytes.data());
  store_big(at, std::uint32_t{1});
  store_big(at + 4, k);
  store_big(at + 8, words);
  return bytes;
}

TEST(Spark, HeadersThatCannotBeAreErrors) {
  EXPECT_EQ(spark_error(v1(1, 1, 1)), std::nullopt);
  EXPECT_EQ(spark_error(v1(44, 1, 1)), std::nullopt);  // round(64 ln 2): one key in 64 bits
  EXPECT_EQ(spark_error(v1(45, 1, 1)), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(0, 1, 1)), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(0xffffffff, 1, 1)), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(5, 0, 1)), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(5, 2, 1)), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(5, 0x80000001, 1)), ErrorCode::kCorruption);
  std::string other = v1(5, 1, 1);
  other[3] = 3;
  EXPECT_EQ(spark_error(other), ErrorCode::kUnsupported);
  EXPECT_EQ(spark_error(""), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(v1(5, 1, 1), "spark:v2"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(spark_error(v1(5, 1, 1), "spark:seed=0"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(spark_error(v1(5, 1, 1), "spark:bits=65"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(spark_error(v1(5, 1, 1), "spark:v1,bits=33"), std::nullopt);
  const std::string seeded = golden_file("spark/v2_s42_empty_n1_b64.bf");
  EXPECT_EQ(spark_error(seeded, "spark:seed=42"), std::nullopt);
  EXPECT_EQ(spark_error(seeded, "spark:seed=0"), ErrorCode::kInvalidArgument);
}

// The format has no checksum. So a flip of the words changes answers, and one of the header is an error unless
// the header that results is one that Spark could have written for as many words.
TEST(Spark, EveryFlippedByteOfAHeaderIsAnErrorOrAnotherFilterOfTheSameWords) {
  for (const char* name : {"spark/v1_s0_long_n10_b65.bf", "spark/v2_s42_long_n10_b65.bf"}) {
    const std::string file = golden_file(name);
    const std::size_t header = file.size() - 16;
    std::size_t opened = 0;
    for_each_flip(file, [&](const std::string& damaged, const std::string& what) {
      const auto filter = view_dialect(std::as_bytes(std::span(damaged)), "spark");
      const bool in_words = std::memcmp(damaged.data(), file.data(), header) == 0;
      EXPECT_TRUE(filter || !in_words) << what;
      if (filter) {
        ++opened;
        EXPECT_EQ((*filter)->facts().bits, 128u) << what;
        EXPECT_EQ(written(**filter), damaged) << what;
      }
    });
    EXPECT_LE(opened, 16 * 3 + 3u + (header == 16 ? 12u : 0u));  // words; k; the seed
  }
}

TEST(Spark, EveryCutIsAnError) {
  for (const char* name : {"spark/v1_s0_uni_pairA.bf", "spark/v2_s42_uni_pairA.bf"}) {
    for_each_cut(golden_file(name), [](const std::string& cut, const std::string& what) {
      EXPECT_EQ(spark_error(cut), ErrorCode::kCorruption) << what;
      EXPECT_NE(spark_error(cut, ""), std::nullopt) << what;
    });
  }
}

// readFrom() leaves them in the stream. They may be the next filter, whose keys the first one denies.
TEST(Spark, BytesBehindTheFilterAreRefusedUnlessForced) {
  const std::string one = golden_file("spark/v2_s0_uni_n100_p1.0E-4.bf");
  const std::string bytes = one + "the next filter";
  EXPECT_TRUE(recognise_dialects(std::as_bytes(std::span(bytes))).empty());
  EXPECT_EQ(spark_error(bytes), ErrorCode::kCorruption);
  EXPECT_EQ(spark_error(one + one), ErrorCode::kUnsupported);
  EXPECT_EQ(written(*viewed(bytes, "spark:forced")), bytes);
}

TEST(Spark, LargeFiltersAnswerTheSameInBatches) {
  const DialectPlan plans[] = {{.capacity = 1'500'000, .fpp = 0.5, .bits_per_key = {}},
                               {.capacity = 1'000'000, .fpp = 0.25, .bits_per_key = {}},
                               {.capacity = 3'000'000, .fpp = 0.01, .bits_per_key = {}},
                               {.capacity = 60'000, .fpp = 1e-12, .bits_per_key = {}}};
  const KeyRange longs([](std::uint64_t i) { return item("long", i); }, 0, 50'001);
  const KeyRange texts(numbered_key, 0, 50'001);
  const KeyRange absent([](std::uint64_t i) { return item("long", i); }, 1'000'000, 50'001);
  for (const char* dialect : {"spark:v1", "spark:v2", "spark:seed=-7"}) {
    for (const DialectPlan& plan : plans) {
      for (const KeyRange* const keys : {&longs, &texts}) {
        const auto filter = built(dialect, plan, keys->views());
        const auto singly = built(dialect, plan, {});
        for (const std::string_view key : keys->views()) {
          ASSERT_TRUE((*singly)->insert(key));
        }
        EXPECT_EQ(written(**filter), written(**singly)) << dialect << " " << *plan.fpp;
        EXPECT_EQ(count_maybes(**filter, keys->views()), keys->views().size());
        EXPECT_LT(static_cast<double>(count_maybes(**filter, absent.views())), *plan.fpp * 50'001 + 2);
        EXPECT_EQ((*filter)->insert_batch(keys->views().first(3)).value_or(9), 0u);
      }
    }
  }
}

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// Above 2^31 bits: version 1 computes in ints and never reaches the bits behind; version 2 does.
TEST(Spark, HugeFiltersAreSparksBitByBit) {
  for (const char* name : {"v1_s0", "v2_s42"}) {
    SCOPED_TRACE(name);
    const std::string dialect =
        std::string("spark:bits=2147495993,") + (name[1] == '1' ? "v1" : "v2,seed=42");
    const auto builder = build_dialect(dialect, {.capacity = 300'000'000, .fpp = 0.5, .bits_per_key = {}});
    ASSERT_TRUE(builder) << builder.error().to_string();
    std::uint64_t absent = 0;
    const auto filter = (*builder)->finish();
    for (const char* family : {"long", "uni", "bytes"}) {
      const auto of = [family](std::uint64_t i) { return item(family, i); };
      const KeyRange keys(of, 0, 200);
      EXPECT_EQ((*filter)->insert_batch(keys.views()).value_or(0), 200u);
      EXPECT_EQ(count_maybes(**filter, keys.views()), 200u);
      absent += count_maybes(**filter, KeyRange(of, 1000, 1000).views());
    }
    EXPECT_EQ(absent, 0u);
    auto theirs = decompressed(
        std::make_unique<TextBytes>(golden_file("spark/huge/" + std::string(name) + "_b2147495993.bf.zst")),
        name);
    ASSERT_TRUE(theirs);
    std::vector<std::byte> expected;
    const Status same = (*filter)->write([&](std::span<const std::byte> ours) -> Status {
      expected.resize(ours.size());
      BLOOMERY_ASSIGN_OR_RETURN(const std::size_t got, read_fully(**theirs, expected));
      return got == ours.size() && std::ranges::equal(ours, expected)
                 ? Status()
                 : Status(Error::corruption(name, 0, "Spark's bytes", "others"));
    });
    EXPECT_TRUE(same);
    EXPECT_EQ((*theirs)->read(expected).value_or(1), 0u);  // nothing is left
  }
}

}  // namespace
}  // namespace bloomery
