// The DCSO dialect against files and counts of the bloom tool 0.2.4.
#include <cmath>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "codec/dcso/dcso_header.h"
#include "codec/dcso/dcso_probes.h"
#include "compress/gzip_writer.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

struct DcsoGolden {
  explicit DcsoGolden(const std::map<std::string, std::string>& row)
      : file(row.at("file")),
        dialect(row.at("gzip") == "1" ? "dcso:gz" : "dcso"),
        plan({.capacity = std::stoull(row.at("capacity_n")),
              .fpp = std::stod(row.at("fpp")),
              .bits_per_key = {}}),
        inserted(std::stoull(row.at("inserted"))),
        cells(row) {}

  std::uint64_t number(const std::string& name) const { return std::stoull(cells.at(name)); }

  std::string file;
  std::string dialect;
  DialectPlan plan;
  std::uint64_t inserted;
  std::map<std::string, std::string> cells;
};

std::string gzip_of_bytes(std::string_view bytes) {
  std::string packed;
  const GzipWriter::Sink sink = [&packed](std::span<const std::byte> piece) {
    packed.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return Status();
  };
  auto writer = GzipWriter::create(sink);
  EXPECT_TRUE(writer->append(std::as_bytes(std::span(bytes))));
  EXPECT_TRUE(writer->finish());
  return packed;
}

std::optional<ErrorCode> dcso_error(const std::string& bytes, std::string_view dialect = "dcso") {
  const auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
  return filter ? std::optional<ErrorCode>() : filter.error().code();
}

// The file with the 64-bit field at `offset` replaced.
std::string with_field(std::string bytes, std::size_t offset, std::uint64_t value) {
  store_little(reinterpret_cast<std::byte*>(bytes.data() + offset), value);
  return bytes;
}

TEST(Dcso, EveryGoldenFileHasItsBitsAnswersAndFalsePositives) {
  for (const DcsoGolden& row : golden_rows<DcsoGolden>("dcso/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const std::string bytes = golden_file("dcso/" + row.file);
    const auto filter = viewed(bytes, "");  // the bytes tell
    ASSERT_NE(filter, nullptr);
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(filter->dialect(), row.dialect);
    EXPECT_EQ(facts.bits, row.number("m_bits"));
    EXPECT_EQ(facts.hash_count, row.number("k"));
    EXPECT_EQ(facts.capacity, row.plan.capacity);
    EXPECT_EQ(facts.target_fpp, row.plan.fpp);
    EXPECT_EQ(facts.inserted, row.number("N_field"));
    EXPECT_EQ(facts.integrity, row.dialect == "dcso" ? "none" : "gzip crc32");
    EXPECT_EQ(count_maybes(*filter, KeyRange(numbered_key, 0, row.inserted).views()), row.inserted);
    EXPECT_EQ(count_maybes(*filter, KeyRange(numbered_key, 1'000'000, 100'000).views()),
              row.number("absent_matches"));
    if (row.dialect == "dcso") {
      EXPECT_EQ(written(*filter), bytes);
    }
  }
}

TEST(Dcso, TheSameKeysMakeTheSameBytes) {
  for (const DcsoGolden& row : golden_rows<DcsoGolden>("dcso/manifest.csv")) {
    SCOPED_TRACE(row.file);
    const auto filter = built("dcso", row.plan, KeyRange(numbered_key, 0, row.inserted).views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    const std::string raw = row.dialect == "dcso" ? row.file : row.file.substr(0, row.file.size() - 3);
    EXPECT_EQ(written(**filter), golden_file("dcso/" + raw));
  }
}

// Deflate leaves a writer free; what is inside is the same.
TEST(Dcso, GzipHoldsTheSameFilterAndStaysGzip) {
  const std::string raw = golden_file("dcso/n10000_p0.001.bloom");
  const auto opened = viewed(golden_file("dcso/n10000_p0.001.bloom.gz"), "dcso");
  EXPECT_EQ(opened->dialect(), "dcso:gz");
  const std::string again = written(*opened);
  EXPECT_EQ(again.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(again, gzip_of_bytes(raw));
  EXPECT_EQ(written(*viewed(again, "dcso:gz")), again);
  const auto made = built("dcso:gz", {.capacity = 10'000, .fpp = 0.001, .bits_per_key = {}},
                          KeyRange(numbered_key, 0, 10'000).views());
  EXPECT_EQ(written(**made), again);
  EXPECT_EQ(dcso_error(raw, "dcso:gz"), ErrorCode::kInvalidArgument);
}

TEST(Dcso, SizesAreRoundedTowardsZeroAsTheToolDoes) {
  EXPECT_EQ(dcso_header_for(1000, 0.01)->bits, 9585u);
  EXPECT_EQ(dcso_header_for(1, 0.01)->bits, 9u);
  EXPECT_EQ(dcso_header_for(1, 0.01)->hash_count, 7u);
  EXPECT_FALSE(dcso_header_for(0, 0.01));
  EXPECT_FALSE(dcso_header_for(1, 0.9));  // no bit
  EXPECT_FALSE(dcso_header_for(1, 0));
  EXPECT_FALSE(dcso_header_for(1, std::nan("")));
  EXPECT_FALSE(dcso_header_for(~std::uint64_t{0}, 0.01));
}

TEST(Dcso, PublishedPositions) {
  const DcsoProbes probes(9585, 7);
  auto probe = probes.begin("hello");
  std::vector<std::uint64_t> positions;
  for (int i = 0; i < 7; ++i) {
    positions.push_back(probes.next(probe));
  }
  EXPECT_EQ(positions, (std::vector<std::uint64_t>{2273, 333, 9240, 2654, 2106, 3076, 4571}));
}

TEST(Dcso, NCountsTheKeysThatChangedABit) {
  const auto filter = built("dcso", {.capacity = 100, .fpp = 0.01, .bits_per_key = {}}, {});
  EXPECT_TRUE((*filter)->insert("one").value_or(false));
  EXPECT_FALSE((*filter)->insert("one").value_or(true));
  EXPECT_EQ((*filter)->facts().inserted, 1u);
  const std::string full = with_field(written(**filter), 40, ~std::uint64_t{0});
  EXPECT_EQ(viewed(full, "dcso")->insert("two").error().code(), ErrorCode::kCapacity);
}

TEST(Dcso, MergeIsJoin) {
  const DialectPlan plan{.capacity = 1000, .fpp = 0.01, .bits_per_key = {}};
  const KeyRange keys(numbered_key, 0, 1000);
  const auto first = built("dcso", plan, keys.views().first(400));
  const auto second = built("dcso:gz", plan, keys.views().subspan(300));
  const std::uint64_t sum = *(*first)->facts().inserted + *(*second)->facts().inserted;
  ASSERT_TRUE((*first)->merge(**second));
  EXPECT_EQ((*first)->facts().inserted, sum);
  EXPECT_EQ(count_maybes(**first, keys.views()), 1000u);
  const std::string before = written(**first);
  const auto differs = [&](const std::string& dialect, const DialectPlan& other, const char* what) {
    const Status status = (*first)->merge(**built(dialect, other, {}));
    return !status && status.error().detail().find(what) != std::string::npos;
  };
  EXPECT_TRUE(differs("dcso", {.capacity = 1001, .fpp = 0.01, .bits_per_key = {}}, "n: expected 1000"));
  EXPECT_TRUE(differs("dcso", {.capacity = 1000, .fpp = 0.02, .bits_per_key = {}}, "k: expected 7"));
  EXPECT_TRUE(differs("guava", plan, "dialect"));
  const std::string full = with_field(before, 40, ~std::uint64_t{0});
  EXPECT_EQ((*first)->merge(*viewed(full, "dcso")).error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(written(**first), before);
}

TEST(Dcso, FreeDataAndFlagsStay) {
  const std::string bytes = with_field(golden_file("dcso/n1_p0.01.bloom"), 0, 0x7701) + R"({"made": "here"})";
  EXPECT_EQ(written(*viewed(bytes, "dcso")), bytes);
  EXPECT_EQ(written(*viewed(gzip_of_bytes(bytes), "dcso")), gzip_of_bytes(bytes));
}

// Free data that is another filter: its keys would be denied.
TEST(Dcso, ASecondFilterInTheFreeDataIsRefusedUnlessForced) {
  const std::string one = golden_file("dcso/n1_p0.01.bloom");
  const std::string two = one + golden_file("dcso/n1000_p0.01.bloom");
  EXPECT_EQ(dcso_error(two), ErrorCode::kUnsupported);
  EXPECT_EQ(dcso_error(gzip_of_bytes(two)), ErrorCode::kUnsupported);
  EXPECT_EQ(written(*viewed(two, "dcso:forced")), two);
}

TEST(Dcso, HeadersThatCannotBeAreErrors) {
  const std::string good = golden_file("dcso/n1_p0.01.bloom");
  EXPECT_EQ(dcso_error(good), std::nullopt);
  EXPECT_EQ(dcso_error(with_field(good, 0, 2)), ErrorCode::kUnsupported);
  EXPECT_EQ(dcso_error(with_field(good, 24, 0)), ErrorCode::kCorruption);           // k
  EXPECT_EQ(dcso_error(with_field(good, 24, 1ULL << 40)), ErrorCode::kCorruption);  // would take for ever
  EXPECT_EQ(dcso_error(with_field(good, 32, 0)), ErrorCode::kCorruption);           // m
  EXPECT_EQ(dcso_error(with_field(good, 32, 65)), ErrorCode::kCorruption);
  EXPECT_EQ(dcso_error(with_field(good, 32, ~0ULL)), ErrorCode::kCorruption);
  EXPECT_EQ(dcso_error(good.substr(0, 47)), ErrorCode::kCorruption);
  EXPECT_EQ(dcso_error(good.substr(0, 55)), ErrorCode::kCorruption);
  EXPECT_EQ(dcso_error(good, "dcso:zst"), ErrorCode::kInvalidArgument);
}

// Fields that disagree are no longer certain, and are not opened without the name.
TEST(Dcso, OnlyComputedSizesAreRecognisedForCertain) {
  const std::string good = golden_file("dcso/n1000_p0.01.bloom");
  EXPECT_EQ(dcso_error(good, ""), std::nullopt);
  const std::string other = with_field(good, 24, 6);
  EXPECT_EQ(dcso_error(other, ""), ErrorCode::kInvalidArgument);
  EXPECT_EQ(dcso_error(other, "dcso"), std::nullopt);
}

// Headers that promise more than the compressed bytes can hold, and data without end.
// A header whose numbers cannot belong together is damage, and a smaller m or a larger k would deny keys that are in.
TEST(Dcso, SizesThatContradictThePlanAreNamedAndRefusedUnlessForced) {
  const std::string good = golden_file("dcso/n1000_p0.01.bloom");
  const auto refused = [&](std::size_t offset, std::uint64_t value, const char* what) {
    const std::string bytes = with_field(good, offset, value);
    const auto filter = view_dialect(std::as_bytes(std::span(bytes)), "dcso");
    EXPECT_TRUE(view_dialect(std::as_bytes(std::span(bytes)), "dcso:forced")) << what;
    return !filter && filter.error().code() == ErrorCode::kCorruption &&
           filter.error().detail().find(what) != std::string::npos;
  };
  EXPECT_TRUE(refused(8, 1001, "expected m = 9594 and k = 7, as n = 1001 and p = 0.01 give"));
  EXPECT_TRUE(refused(8, 0, "n and p"));
  EXPECT_TRUE(refused(16, 0x3ff0000000000000, "n and p"));  // p = 1
  EXPECT_TRUE(refused(16, 0x7ff8000000000000, "n and p"));  // not a number
  EXPECT_TRUE(refused(24, 9, "found m = 9585 and k = 9"));
  EXPECT_TRUE(refused(32, 9583, "found m = 9583 and k = 7"));
  EXPECT_EQ(dcso_error(with_field(good, 32, 9584)), std::nullopt) << "another rounding of the logarithm";
}

TEST(Dcso, AGzipBombIsRefusedBeforeItIsUnpacked) {
  const std::string good = golden_file("dcso/n1_p0.01.bloom");
  EXPECT_EQ(dcso_error(gzip_of_bytes(with_field(good, 32, 1ULL << 40))), ErrorCode::kCorruption);
  EXPECT_EQ(dcso_error(gzip_of_bytes(good + std::string(std::size_t{17} << 20, '\0'))), ErrorCode::kCapacity);
  EXPECT_EQ(dcso_error(gzip_of_bytes(good) + "behind"), ErrorCode::kCorruption);
}

TEST(Dcso, ASaturatedFilterAnswersMaybeAndCannotBeCounted) {
  const std::string full = with_field(golden_file("dcso/n1_p0.01.bloom"), 48, 0x1ff);  // of nine bits
  const auto filter = viewed(full, "dcso");
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain("anything"));
  EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
}

TEST(Dcso, OneBitIsAFilter) {
  EXPECT_EQ(dcso_header_for(1, 0.5)->bits, 1u);
  const auto filter = built("dcso", {.capacity = 1, .fpp = 0.5, .bits_per_key = {}}, {});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_FALSE((*filter)->may_contain("key"));
  ASSERT_TRUE((*filter)->insert("key"));
  EXPECT_TRUE((*filter)->may_contain("another"));
}

}  // namespace
}  // namespace bloomery
