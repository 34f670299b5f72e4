// The Guava dialect against files, counts and vectors of Guava 31.1.
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/hash/key_form.h"
#include "codec/guava/guava_probes.h"
#include "codec/guava/guava_sizing.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

std::string formed(const std::string& text, KeyForm form) {
  KeyWriter writer;
  EXPECT_TRUE(append_formed(writer, text, {.form = form}));
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

std::string unicode_text(std::uint64_t i) {
  return "k\u00e9\u20ac\U0001F600-" + std::to_string(i);
}

// What the funnel of a golden family feeds for item i.
std::string funnelled(const std::string& family, std::uint64_t i) {
  if (family == "string_utf8") {
    return numbered_key(i);
  }
  if (family == "unicode_utf8") {
    return unicode_text(i);
  }
  if (family == "chars_utf16le") {
    return formed(unicode_text(i), KeyForm::kUtf16);
  }
  if (family == "int") {
    return little_endian(static_cast<std::uint32_t>(i * 0x9E3779B1));
  }
  if (family == "long") {
    return little_endian(i * 0x9E3779B97F4A7C15);
  }
  std::string bytes(4, '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint32_t>(i));
  for (std::uint64_t j = 0; j < i % 37; ++j) {
    bytes += static_cast<char>((i * 7 + j * 13) & 255);
  }
  return bytes;
}

struct GuavaGolden {
  explicit GuavaGolden(const std::map<std::string, std::string>& row)
      : file(row.at("file")),
        family(row.at("family")),
        dialect(row.at("strategy") == "0" ? "guava:mitz32" : "guava:mitz64"),
        plan({.capacity = std::stoull(row.at("expected_insertions")),
              .fpp = std::stod(row.at("fpp")),
              .bits_per_key = {}}),
        inserted(std::stoull(row.at("inserted"))),
        cells(row) {}

  std::uint64_t number(const std::string& name) const { return std::stoull(cells.at(name)); }
  KeyRange keys(std::uint64_t first, std::uint64_t count) const {
    return {[this](std::uint64_t i) { return funnelled(family, i); }, first, count};
  }

  std::string file;
  std::string family;
  std::string dialect;
  DialectPlan plan;
  std::uint64_t inserted;
  std::map<std::string, std::string> cells;
};

TEST(Guava, EveryGoldenFileHasItsBitsAnswersAndFalsePositives) {
  for (const GuavaGolden& row : golden_rows<GuavaGolden>("guava/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const std::string bytes = golden_file("guava/" + row.file);
    const auto filter = viewed(bytes, "guava");
    ASSERT_NE(filter, nullptr);
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(filter->dialect(), row.dialect);
    EXPECT_EQ(facts.bits, row.number("bit_size"));
    EXPECT_EQ(facts.hash_count, row.number("k"));
    EXPECT_EQ(facts.set_bits, row.number("bits_set"));
    EXPECT_EQ(facts.integrity, "none");
    EXPECT_EQ(count_maybes(*filter, row.keys(0, row.inserted).views()), row.inserted);
    EXPECT_EQ(count_maybes(*filter, row.keys(1'000'000, 100'000).views()),
              row.number("false_positives_1000000_to_1099999"));
    EXPECT_EQ(written(*filter), bytes);
  }
}

TEST(Guava, TheSameKeysMakeTheSameBytesAndPutAnswersTheSame) {
  for (const GuavaGolden& row : golden_rows<GuavaGolden>("guava/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const KeyRange keys = row.keys(0, row.inserted);
    const auto filter = built(row.dialect + ",k-old", row.plan, keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), golden_file("guava/" + row.file));
    const auto again = built(row.dialect + ",k-old", row.plan, {});
    ASSERT_TRUE(again);
    std::uint64_t changed = 0;
    for (const std::string_view key : keys.views()) {
      const bool was_in = (*again)->may_contain(key);
      EXPECT_EQ((*again)->insert(key).value_or(was_in), !was_in);
      changed += was_in ? 0 : 1;
    }
    EXPECT_EQ(changed, row.number("puts_returning_true"));
    const auto batch = built(row.dialect + ",k-old", row.plan, {});
    EXPECT_EQ((*batch)->insert_batch(keys.views()).value_or(0), changed);
  }
}

TEST(Guava, ExpectedFppAndApproximateElementCountAreGuavas) {
  for (const GuavaGolden& row : golden_rows<GuavaGolden>("guava/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const std::string bytes = golden_file("guava/" + row.file);
    const auto filter = viewed(bytes, "guava");
    const double expected = std::bit_cast<double>(
        static_cast<std::uint64_t>(std::stoull(row.cells.at("expected_fpp_ieee754_hex"), nullptr, 16)));
    const DialectFacts facts = filter->facts();
    const double fill = static_cast<double>(facts.set_bits) / static_cast<double>(facts.bits);
    EXPECT_NEAR(std::pow(fill, facts.hash_count), expected, expected * 2e-16);
    // Guava's number takes a key's bits for independent; what is told here is that or what is true (stepped_fpp_test.cc).
    EXPECT_TRUE(std::abs(filter->current_fpp() - expected) <= expected * 2e-16 ||
                expected * static_cast<double>(facts.bits) < 64);
    EXPECT_EQ(filter->estimated_count().value_or(-1),
              static_cast<double>(row.number("approximate_element_count")));
  }
}

TEST(Guava, ASaturatedFilterAnswersMaybeAndCannotBeCounted) {
  const std::string bytes = std::string("\1\7\0\0\0\1", 6) + std::string(8, '\xff');
  const auto filter = viewed(bytes, "guava");
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain("anything"));
  EXPECT_EQ(filter->current_fpp(), 1);
  ASSERT_FALSE(filter->estimated_count());
  EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
}

TEST(Guava, FunnelsFeedTheseBytesAndTheHashIsGuavas) {
  const auto hex = [](std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += kDigits[static_cast<unsigned char>(c) / 16];
      text += kDigits[static_cast<unsigned char>(c) % 16];
    }
    return text;
  };
  for (const auto& row : golden_table("guava/vectors.csv")) {
    const std::string key = funnelled(row.at("family"), std::stoull(row.at("index")));
    EXPECT_EQ(hex(key), row.at("funnel_bytes_hex"));
    EXPECT_EQ(murmur3_x64_128(key).low, std::stoull(row.at("low64_unsigned")));
    EXPECT_EQ(murmur3_x64_128(key).high, std::stoull(row.at("high64_unsigned")));
  }
}

// The table of the format page: n = 100, fpp 0.01.
TEST(Guava, PublishedPositions) {
  struct Vector {
    std::string key;
    std::vector<std::uint64_t> mitz32;
    std::vector<std::uint64_t> mitz64;
  };
  const std::vector<Vector> vectors = {
      {"hello", {78, 245, 257, 344, 356, 436, 535}, {91, 152, 244, 525, 678, 831, 898}},
      {formed("hello", KeyForm::kUtf16), {33, 75, 297, 444, 624, 666, 813}, {71, 83, 95, 395, 407, 719, 731}},
      {formed("1", KeyForm::kInt32), {93, 259, 263, 429, 433, 599, 883}, {62, 126, 190}},
      {formed("-1", KeyForm::kInt32),
       {109, 168, 428, 487, 509, 750, 828},
       {301, 325, 349, 833, 857, 881, 905}},
      {formed("1", KeyForm::kInt64), {34, 153, 272, 391, 510, 756, 875}, {16, 110, 220, 330, 424, 662, 866}},
      {"", {0}, {0}},
  };
  const auto positions = [](const auto& scheme, std::string_view key) {
    std::set<std::uint64_t> found;
    auto probe = scheme.begin(key);
    for (std::uint32_t i = 0; i < scheme.hash_count(); ++i) {
      found.insert(scheme.next(probe));
    }
    return std::vector<std::uint64_t>(found.begin(), found.end());
  };
  for (const Vector& vector : vectors) {
    EXPECT_EQ(positions(Mitz32(960, 7), vector.key), vector.mitz32);
    EXPECT_EQ(positions(Mitz64(960, 7), vector.key), vector.mitz64);
  }
}

TEST(Guava, SizesAreGuavas) {
  for (const auto& row : golden_table("guava/sizing.csv")) {
    const auto shape = guava_shape(std::stoull(row.at("expected_insertions")), std::stod(row.at("fpp")),
                                   GuavaHashCountRule::kFromBits);
    ASSERT_TRUE(shape) << shape.error().to_string();
    EXPECT_EQ(shape.value().computed_bits, std::stoull(row.at("numbits_before_rounding")));
    EXPECT_EQ(shape.value().hash_count, std::stoul(row.at("k")));
  }
  EXPECT_EQ(guava_shape(1, 0.01, GuavaHashCountRule::kFromFpp)->hash_count, 7u);
  EXPECT_EQ(guava_shape(0, 0.01, GuavaHashCountRule::kFromBits)->words, 1u);
}

TEST(Guava, ImpossiblePlansAreRefused) {
  const auto refused = [](const char* dialect, const DialectPlan& plan) {
    const auto builder = build_dialect(dialect, plan);
    return !builder && builder.error().code() == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = 0.9999, .bits_per_key = {}}));  // no bit
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = 1.0, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = 0.0, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = std::nan(""), .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = 1e-100, .bits_per_key = {}}));  // k = 332
  EXPECT_TRUE(refused("guava", {.capacity = 100'000'000'000, .fpp = 1e-4, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava", {.capacity = ~std::uint64_t{0}, .fpp = 0.01, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = 0.01, .bits_per_key = 10}));
  EXPECT_TRUE(refused("guava", {.capacity = 1, .fpp = {}, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava:mitz128", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}));
  EXPECT_EQ(
      built("guava:k-old", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}, {}).value()->facts().hash_count,
      6u);
  EXPECT_EQ(built("guava", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}, {}).value()->facts().hash_count,
            7u)
      << "the rule of current releases";
  EXPECT_TRUE(refused("guava:k-new", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava:mitz32,mitz64", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}));
  EXPECT_TRUE(refused("guava:java=double", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}));
}

TEST(Guava, MergeIsPutAll) {
  const DialectPlan plan{.capacity = 1000, .fpp = 0.01, .bits_per_key = {}};
  const KeyRange keys(numbered_key, 0, 1000);
  const auto whole = built("guava", plan, keys.views());
  const auto first = built("guava", plan, keys.views().first(400));
  const auto second = built("guava", plan, keys.views().subspan(300));
  ASSERT_TRUE((*first)->merge(**second));
  EXPECT_EQ(written(**first), written(**whole));
  EXPECT_FALSE((*first)->merge(**first));
  const auto differs = [&](const char* dialect, const DialectPlan& other, const char* what) {
    const Status status = (*first)->merge(**built(dialect, other, {}));
    return !status && status.error().detail().find(what) != std::string::npos;
  };
  EXPECT_TRUE(differs("guava:mitz32", plan, "strategy"));
  EXPECT_TRUE(differs("guava", {.capacity = 2000, .fpp = 0.01, .bits_per_key = {}}, "bits"));
  EXPECT_TRUE(differs("guava", {.capacity = 1000, .fpp = 0.001, .bits_per_key = {}}, "hash count"));
  EXPECT_EQ(written(**first), written(**whole));
}

TEST(Guava, HeadersThatCannotBeAreErrors) {
  const std::string word(8, '\0');
  const auto error_of = [](const std::string& bytes, const char* dialect = "guava") {
    const auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
    return filter ? std::optional<ErrorCode>() : filter.error().code();
  };
  EXPECT_EQ(error_of(std::string("\1\1\0\0\0\1", 6) + word), std::nullopt);
  EXPECT_EQ(error_of(std::string("\2\1\0\0\0\1", 6) + word), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(std::string("\xff\1\0\0\0\1", 6) + word), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(std::string("\1\0\0\0\0\1", 6) + word), ErrorCode::kCorruption);  // k = 0
  EXPECT_EQ(error_of(std::string("\1\1\0\0\0\0", 6) + word), ErrorCode::kCorruption);  // no words
  EXPECT_EQ(error_of(std::string("\1\1\0\0\0\2", 6) + word), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(std::string("\1\1\x7f\xff\xff\xff", 6) + word), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(std::string("\1\1\x80\0\0\1", 6) + word), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(std::string("\1\1\0\0\0\1", 6)), ErrorCode::kCorruption);
  EXPECT_EQ(error_of("\1"), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(""), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(std::string("\1\1\0\0\0\1", 6) + word, "guava:mitz32"), ErrorCode::kInvalidArgument);
}

// readFrom() leaves them in the stream. They may be the next filter, whose keys the first one denies.
TEST(Guava, BytesBehindTheFilterAreRefusedUnlessForced) {
  const std::string one = std::string("\1\1\0\0\0\1", 6) + std::string(8, '\0');
  const std::string text = golden_file("guava/java/latin1.ser");  // a funnel that is not known byte for byte
  const struct {
    std::string bytes;
    ErrorCode code;
  } files[] = {{one + "the next filter", ErrorCode::kCorruption},
               {one + "\n", ErrorCode::kCorruption},
               {one + one, ErrorCode::kUnsupported},
               {one + golden_file("guava/java/long.ser"), ErrorCode::kUnsupported},
               {text + text, ErrorCode::kUnsupported}};
  for (const auto& file : files) {
    const auto filter = view_dialect(bytes_of(file.bytes), "guava");
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), file.code) << filter.error().to_string();
    EXPECT_NE(filter.error().to_string().find("behind"), std::string::npos) << filter.error().to_string();
  }
  // A file that is saved over itself does not lose them.
  const auto filter = viewed(one + one, "guava:forced");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(written(*filter), one + one);
  EXPECT_EQ(filter->facts().bits, 64u);
}

// Filters beyond what is not prefetched (256 KiB), with one bit a key, two, the usual number, and more than
// are found ahead.
TEST(Guava, LargeFiltersAnswerTheSameInBatches) {
  const DialectPlan plans[] = {{.capacity = 1'500'000, .fpp = 0.5, .bits_per_key = {}},
                               {.capacity = 1'000'000, .fpp = 0.25, .bits_per_key = {}},
                               {.capacity = 300'000, .fpp = 0.01, .bits_per_key = {}},
                               {.capacity = 60'000, .fpp = 1e-8, .bits_per_key = {}}};
  const KeyRange keys(numbered_key, 0, 50'001);
  const KeyRange absent(numbered_key, 1'000'000, 50'001);
  for (const char* dialect : {"guava:mitz32", "guava:mitz64", "dcso"}) {
    for (const DialectPlan& plan : plans) {
      const auto filter = built(dialect, plan, keys.views());
      const auto singly = built(dialect, plan, {});
      for (const std::string_view key : keys.views()) {
        ASSERT_TRUE((*singly)->insert(key));
      }
      EXPECT_EQ(written(**filter), written(**singly)) << dialect << " " << *plan.fpp;
      EXPECT_EQ(count_maybes(**filter, keys.views()), keys.views().size());
      EXPECT_LT(static_cast<double>(count_maybes(**filter, absent.views())), *plan.fpp * 50'001 + 1);
      EXPECT_EQ((*filter)->insert_batch(keys.views().first(3)).value_or(9), 0u);
    }
  }
}

TEST(Guava, ModuloIsTheRestOfADivision) {
  std::mt19937_64 random(20261121);
  const std::uint64_t top = ~std::uint64_t{0};
  std::vector<std::uint64_t> values = {0, 1, 2, 63, 64, top, top - 1, top / 2, top / 2 + 1};
  for (int i = 0; i < 200; ++i) {
    values.push_back(random() >> (random() % 64));
  }
  for (const std::uint64_t divisor : values) {
    for (const std::uint64_t value : values) {
      if (divisor != 0) {
        ASSERT_EQ(Modulo(divisor).of(value), value % divisor) << value << " mod " << divisor;
        ASSERT_EQ(Modulo(divisor).of(value - value % divisor), 0u) << value << " mod " << divisor;
      }
    }
  }
}

// --- Java's serialisation.

struct JavaFile {
  const char* name;
  const char* option;  // with which we make it
};

constexpr JavaFile kJavaFiles[] = {{"long", "java=long"},   {"int", "java=int"},
                                   {"bytes", "java=bytes"}, {"text", "java=text"},
                                   {"utf16", "java=utf16"}, {"mitz32", "mitz32,java=long"}};

std::string java_key(const std::string& name, std::uint64_t i) {
  if (name == "long" || name == "mitz32" || name == "sequence") {
    return funnelled("long", i);
  }
  if (name == "int") {
    return funnelled("int", i);
  }
  return name == "utf16" ? formed(numbered_key(i), KeyForm::kUtf16) : numbered_key(i);
}

std::string java_file(const std::string& name) {
  return golden_file("guava/java/" + name + ".ser");
}

TEST(GuavaJava, SerialisedFiltersAreReadAndMadeByteForByte) {
  for (const JavaFile& file : kJavaFiles) {
    SCOPED_TRACE(file.name);
    const std::string bytes = java_file(file.name);
    const KeyRange keys([&](std::uint64_t i) { return java_key(file.name, i); }, 0, 100);
    const auto filter = viewed(bytes, "");  // the bytes tell
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(count_maybes(*filter, keys.views()), 100u);
    EXPECT_EQ(written(*filter), bytes);
    EXPECT_EQ(written(*viewed(bytes, filter->dialect())), bytes);
    const auto made = built("guava:" + std::string(file.option),
                            {.capacity = 100, .fpp = 0.01, .bits_per_key = {}}, keys.views());
    ASSERT_TRUE(made) << made.error().to_string();
    EXPECT_EQ(written(**made), bytes);
    EXPECT_EQ((*made)->dialect(), filter->dialect());
  }
}

TEST(GuavaJava, BothFormsHaveTheSameBits) {
  for (const std::string name : {"long", "text"}) {
    const auto serialised = viewed(java_file(name), "guava");
    const std::string plain_bytes = golden_file("guava/java/" + name + ".bf");
    const auto plain = viewed(plain_bytes, "guava");
    ASSERT_TRUE(plain->merge(*serialised));
    EXPECT_EQ(written(*plain), plain_bytes);
    EXPECT_EQ(serialised->facts().set_bits, plain->facts().set_bits);
  }
}

// A user's own funnel: its bytes are kept, and the class is named.
TEST(GuavaJava, OtherFunnelsAreKept) {
  for (const auto& [file, funnel] :
       {std::pair{"latin1", "StringCharsetFunnel"}, std::pair{"sequence", "SequentialFunnel"}}) {
    const std::string name = file;
    const std::string bytes = java_file(name);
    const auto filter = viewed(bytes, "");
    EXPECT_EQ(filter->dialect(), "guava:mitz64");
    const KeyRange keys([&](std::uint64_t i) { return java_key(name, i); }, 0, 100);
    EXPECT_EQ(count_maybes(*filter, keys.views()), 100u);
    EXPECT_NE(filter->facts().more.back().second.find(funnel), std::string::npos);
    EXPECT_TRUE(filter->insert("another"));
    EXPECT_EQ(written(*filter).substr(written(*filter).size() - 100), bytes.substr(bytes.size() - 100));
  }
}

TEST(GuavaJava, FiltersOfOtherFunnelsAreNotMerged) {
  const auto text = viewed(java_file("text"), "guava");
  const Status merged = text->merge(*viewed(java_file("latin1"), "guava"));
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().detail().find("funnel"), std::string::npos);
}

TEST(GuavaJava, EveryFlippedByteOutsideTheWordsIsNoticed) {
  for (const char* name : {"long", "text", "mitz32"}) {
    const std::string file = java_file(name);
    const std::string own = viewed(file, "")->dialect();
    for_each_flip(file, [&](const std::string& damaged, const std::string& what) {
      const bool in_words = damaged.substr(0, 226) == file.substr(0, 226) &&
                            damaged.substr(226 + 15 * 8) == file.substr(226 + 15 * 8);
      const auto filter = view_dialect(std::as_bytes(std::span(damaged)), "guava");
      if (in_words) {
        EXPECT_TRUE(filter) << what;
      } else if (filter) {  // another k, or another funnel: a charset, or a class of somebody's own
        EXPECT_TRUE((*filter)->facts().hash_count != 7 || (*filter)->dialect() != own) << what;
        EXPECT_EQ((*filter)->facts().bits, 960u) << what;
        EXPECT_EQ(written(**filter), damaged) << what;
      }
    });
  }
}

TEST(GuavaJava, EveryCutIsAnError) {
  for (const char* name : {"long", "text"}) {
    for_each_cut(java_file(name), [](const std::string& cut, const std::string& what) {
      EXPECT_FALSE(view_dialect(std::as_bytes(std::span(cut)), "guava")) << what;
      EXPECT_FALSE(view_dialect(std::as_bytes(std::span(cut)), "")) << what;
    });
  }
}

TEST(GuavaJava, ContradictionsAndOtherObjectsAreErrors) {
  const auto says = [](const std::string& bytes, const char* dialect, const char* what) {
    const auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
    return !filter && filter.error().to_string().find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(java_file("text"), "guava:java=long", "funnel: expected com.google"));
  EXPECT_TRUE(says(java_file("long"), "guava:mitz32", "strategy"));
  EXPECT_TRUE(says(golden_file("guava/java/long.bf"), "guava:java=long", "which names none"));
  EXPECT_TRUE(says(std::string("\xac\xed\0\5sr\0\7a.Class", 15), "guava", "found another one"));
  // A serialised filter that is opened as another kind is named.
  EXPECT_TRUE(says(java_file("long"), "leveldb:raw", "an object of Java's serialisation"));
  EXPECT_TRUE(says(java_file("long"), "spark", "an object of Java's serialisation"));
}

// Java's Math.round goes up from a half.
TEST(Guava, AHalfProbeIsRoundedUp) {
  for (const double half : {1.5, 2.5, 4.5}) {
    const double fpp = std::exp2(-half);
    ASSERT_EQ(-std::log(fpp) / std::numbers::ln2, half);
    EXPECT_EQ(guava_shape(1000, fpp, GuavaHashCountRule::kFromFpp)->hash_count, half + 0.5);
  }
}

// What is wrong with a header is said of the field that is wrong.
TEST(Guava, ErrorsNameTheFieldAndItsRange) {
  const auto says = [](const std::string& bytes, const char* what) {
    const auto filter = view_dialect(std::as_bytes(std::span(bytes)), "guava");
    return !filter && filter.error().to_string().find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(std::string("\1\1\0\0\0", 5), "the end after 5"));
  EXPECT_TRUE(says(std::string("\1\1\0\0\0\1", 6), "at most the 0 that the file has"));
  EXPECT_TRUE(says(std::string("\1\1\0\0\0\0", 6), "1 to 2147483647"));
  EXPECT_TRUE(says(std::string("\1\1\x80\0\0\0", 6), "1 to 2147483647"));
  EXPECT_TRUE(says(std::string("\1\1\x7f\xff\xff\xff", 6), "at most the 0 that the file has"));
}

}  // namespace
}  // namespace bloomery
