// The Cassandra dialect against filters, vectors and sizes of Cassandra 1.2 to 5.0.
#include <cmath>
#include <optional>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "codec/cassandra/cassandra_probes.h"
#include "codec/cassandra/cassandra_sizing.h"
#include "codec/cassandra/sstable_name.h"
#include "tests/codec/cassandra_keys.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"
#include "tests/codec/golden_archive.h"

namespace bloomery {
namespace {

using Archive = std::map<std::string, std::string>;
using cassandra_keys::family;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

const Archive& filters() {
  static const Archive files = golden_archive("cassandra/filters");
  return files;
}

// The version that stands for a layout of the golden files.
std::string dialect_of(const std::string& layout) {
  return layout == "old_h1first" ? "cassandra:la" : layout == "old_h2first" ? "cassandra:me" : "cassandra:nb";
}

std::vector<std::map<std::string, std::string>> cassandra_rows() {
  auto rows = rows_of(filters().at("manifest_old.csv"));
  const auto newer = rows_of(filters().at("manifest_new.csv"));
  rows.insert(rows.end(), newer.begin(), newer.end());
  return rows;
}

// Many files share their keys, so that each range is made once.
const KeyRange& family_keys(const std::string& name, std::uint64_t first, std::uint64_t count) {
  static std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, KeyRange> ranges;
  const auto of = [&name](std::uint64_t i) {
    static std::map<std::string, cassandra_keys::Family> families;
    const auto known = families.try_emplace(name, family(name)).first;
    return known->second.key(i).bytes;
  };
  return ranges.try_emplace({name, first, count}, of, first, count).first->second;
}

TEST(Cassandra, EveryGoldenFileHasItsBitsAnswersAndFalsePositives) {
  const auto rows = cassandra_rows();
  ASSERT_GT(rows.size(), 370u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.at("file"));
    const std::string& bytes = filters().at(row.at("file"));
    const auto filter = viewed(bytes, dialect_of(row.at("layout")));
    ASSERT_NE(filter, nullptr);
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(filter->dialect(), dialect_of(row.at("layout")));
    EXPECT_EQ(facts.bits, std::stoull(row.at("words")) * 64);
    EXPECT_EQ(facts.hash_count, std::stoul(row.at("k")));
    EXPECT_EQ(facts.set_bits, std::stoull(row.at("bits_set")));
    const std::uint64_t count = std::stoull(row.at("count"));
    EXPECT_EQ(count_maybes(*filter,
                           family_keys(row.at("family"), std::stoull(row.at("first_index")), count).views()),
              count);
    EXPECT_EQ(count_maybes(*filter, family_keys(row.at("family"), std::stoull(row.at("absent_first")),
                                                std::stoull(row.at("absent_count")))
                                        .views()),
              std::stoull(row.at("absent_answered_yes")));
    EXPECT_EQ(written(*filter), bytes);
  }
}

TEST(Cassandra, TheSameKeysMakeTheSameBytes) {
  for (const auto& row : cassandra_rows()) {
    SCOPED_TRACE(row.at("file"));
    const DialectPlan plan{.capacity = std::stoull(row.at("sized_for")),
                           .fpp = std::stod(row.at("fp_chance")),
                           .bits_per_key = {}};
    if (*plan.fpp >= 1) {
      continue;
    }
    const KeyRange& keys =
        family_keys(row.at("family"), std::stoull(row.at("first_index")), std::stoull(row.at("count")));
    const auto filter = built(dialect_of(row.at("layout")), plan, keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), filters().at(row.at("file")));
  }
}

// Sstables of clusters that ran 1.2, 2.0 and 2.2.
TEST(Cassandra, OlderSSTablesAreTheBitsOfTheirKeys) {
  const Archive older = golden_archive("cassandra/older");
  for (const auto& row : rows_of(older.at("manifest.csv"))) {
    SCOPED_TRACE(row.at("name"));
    const std::string& bytes = older.at(row.at("name") + ".Filter.db");
    const std::string dialect = "cassandra:" + row.at("sstable_version");
    const auto filter = viewed(bytes, dialect);
    std::string empty = bytes.substr(0, 8) + std::string(bytes.size() - 8, '\0');
    const auto again = viewed(empty, dialect);
    ASSERT_NE(filter, nullptr);
    ASSERT_NE(again, nullptr);
    std::istringstream lines(older.at(row.at("name") + ".keys.hex"));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_TRUE(filter->may_contain(from_hex(line)));
      ASSERT_TRUE(again->insert(from_hex(line)));
    }
    EXPECT_EQ(count, std::stoull(row.at("keys")));
    EXPECT_EQ(written(*again), bytes);
  }
}

TEST(Cassandra, HashAndPositionsAreTheOriginals) {
  for (const auto& row : rows_of(filters().at("vectors_old.csv"))) {
    SCOPED_TRACE(row.at("key_hex"));
    const std::string key = from_hex(row.at("key_hex"));
    EXPECT_EQ(cassandra_hash(key).low, std::stoull(row.at("h1"), nullptr, 16));
    EXPECT_EQ(cassandra_hash(key).high, std::stoull(row.at("h2"), nullptr, 16));
    EXPECT_EQ(murmur3_x64_128_signed_tail(key), cassandra_hash(key));
    const CassandraProbes probes(std::stoull(row.at("m")),
                                 static_cast<std::uint32_t>(std::stoul(row.at("k"))),
                                 row.at("order") == "h1first" ? CassandraProbeOrder::kFirstHalfFirst
                                                              : CassandraProbeOrder::kSecondHalfFirst);
    auto probe = probes.begin(key);
    std::istringstream positions(row.at("positions_in_probe_order"));
    for (std::uint64_t position = 0; positions >> position;) {
      EXPECT_EQ(probes.next(probe), position);
    }
  }
}

TEST(Cassandra, SizesAreTheOriginals) {
  std::size_t refused = 0;
  for (const auto& row : rows_of(filters().at("sizing.csv"))) {
    SCOPED_TRACE(row.at("n") + " " + row.at("fp_chance"));
    const auto shape = cassandra_shape(std::stoull(row.at("n")), std::stod(row.at("fp_chance")));
    std::istringstream result(row.at("result"));
    std::uint32_t k = 0;
    std::uint32_t words = 0;
    std::string name;
    if (std::stod(row.at("fp_chance")) >= 1 || !(result >> name >> k)) {
      EXPECT_FALSE(shape);
      ++refused;
      continue;
    }
    result >> name >> words;
    ASSERT_TRUE(shape) << shape.error().to_string();
    EXPECT_EQ(shape->hash_count, k);
    EXPECT_EQ(shape->words, words) << row.at("result");
  }
  EXPECT_GT(refused, 0u);
}

TEST(Cassandra, ImpossiblePlansAreRefused) {
  const auto refused = [](const char* dialect, const DialectPlan& plan, const char* what) {
    const auto builder = build_dialect(dialect, plan);
    return !builder && builder.error().code() == ErrorCode::kInvalidArgument &&
           builder.error().to_string().find(what) != std::string::npos;
  };
  EXPECT_TRUE(refused("cassandra:nb", {.capacity = 10, .fpp = 6.7e-5, .bits_per_key = {}}, "6.71e-05"));
  EXPECT_TRUE(refused("cassandra:nb", {.capacity = 10, .fpp = 1.0, .bits_per_key = {}}, "fpp"));
  EXPECT_TRUE(
      refused("cassandra:nb", {.capacity = ~std::uint64_t{0}, .fpp = 0.01, .bits_per_key = {}}, "words"));
  EXPECT_TRUE(refused("cassandra", {.capacity = 10, .fpp = 0.01, .bits_per_key = {}}, "cassandra:nb"));
  const auto unknown = build_dialect("cassandra:zz", {.capacity = 10, .fpp = 0.01, .bits_per_key = {}});
  EXPECT_EQ(unknown.error().code(), ErrorCode::kUnsupported);
}

TEST(Cassandra, MergeUnitesFiltersOfOneShapeAndOrder) {
  const DialectPlan plan{.capacity = 1000, .fpp = 0.01, .bits_per_key = {}};
  const KeyRange keys(numbered_key, 0, 1000);
  const auto whole = built("cassandra:nb", plan, keys.views());
  const auto first = built("cassandra:nb", plan, keys.views().first(400));
  const auto second = built("cassandra:me", plan, keys.views().subspan(300));  // the same order of probes
  ASSERT_TRUE((*first)->merge(**second));
  EXPECT_EQ(written(**first), written(**whole));
  const auto differs = [&](const char* dialect, const DialectPlan& other, const char* what) {
    const Status status = (*first)->merge(**built(dialect, other, {}));
    return !status && status.error().detail().find(what) != std::string::npos;
  };
  EXPECT_TRUE(differs("cassandra:la", plan, "probe order"));
  EXPECT_TRUE(differs("cassandra:nb", {.capacity = 2000, .fpp = 0.01, .bits_per_key = {}}, "bits"));
  EXPECT_TRUE(differs("cassandra:nb", {.capacity = 1000, .fpp = 0.001, .bits_per_key = {}}, "hash count"));
  EXPECT_EQ(written(**first), written(**whole));
}

TEST(Cassandra, LargeFiltersAnswerTheSameInBatches) {
  const KeyRange keys(numbered_key, 0, 50'001);
  const KeyRange absent(numbered_key, 1'000'000, 50'001);
  for (const char* dialect : {"cassandra:la", "cassandra:me", "cassandra:oa"}) {
    const DialectPlan plan{.capacity = 300'000, .fpp = 0.01, .bits_per_key = {}};
    const auto filter = built(dialect, plan, keys.views());
    const auto singly = built(dialect, plan, {});
    for (const std::string_view key : keys.views()) {
      ASSERT_TRUE((*singly)->insert(key));
    }
    EXPECT_EQ(written(**filter), written(**singly));
    EXPECT_EQ(count_maybes(**filter, keys.views()), keys.views().size());
    EXPECT_LT(count_maybes(**filter, absent.views()), 600u);
  }
}

// A model of the answers that shares nothing with the dialect but the hash.
bool says(std::string_view file, std::string_view key, bool big_words, bool first_half_first) {
  const auto byte_at = [file](std::uint64_t at) {
    return std::uint64_t{static_cast<unsigned char>(file[at])};
  };
  const std::uint64_t bits = (file.size() - 8) * 8;
  const Hash128 hash = murmur3_x64_128_signed_tail(key);
  for (std::uint64_t i = 0; i < byte_at(3); ++i) {
    const auto at =
        static_cast<std::int64_t>(first_half_first ? hash.low + i * hash.high : hash.high + i * hash.low);
    const std::int64_t rest = at % static_cast<std::int64_t>(bits);
    const auto bit = static_cast<std::uint64_t>(std::abs(rest));
    const std::uint64_t byte = big_words ? bit / 64 * 8 + 7 - bit % 64 / 8 : bit / 8;
    if ((byte_at(8 + byte) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

TEST(Cassandra, EveryFlipIsAnErrorOrTheAnswersOfTheBitsAndEveryCutIsAnError) {
  struct Kind {
    const char* dialect;
    bool big_words;
    bool first_half_first;
  };
  const KeyRange keys(numbered_key, 0, 60);
  for (const Kind& kind : {Kind{"cassandra:la", true, true}, Kind{"cassandra:me", true, false},
                           Kind{"cassandra:nb", false, false}}) {
    const auto filter =
        built(kind.dialect, {.capacity = 30, .fpp = 0.01, .bits_per_key = {}}, keys.views().first(30));
    const std::string whole = written(**filter);
    for_each_flip(whole, [&](const std::string& file, const std::string& what) {
      const auto damaged = view_dialect(std::as_bytes(std::span(file)), kind.dialect);
      if (!damaged) {
        EXPECT_EQ(damaged.error().code(), ErrorCode::kCorruption) << what;
        return;
      }
      for (const std::string_view key : keys.views()) {
        ASSERT_EQ((*damaged)->may_contain(key), says(file, key, kind.big_words, kind.first_half_first))
            << what;
      }
    });
    for_each_cut(whole, [&](const std::string& file, const std::string& what) {
      const auto damaged = view_dialect(std::as_bytes(std::span(file)), kind.dialect);
      ASSERT_FALSE(damaged) << what;
      EXPECT_EQ(damaged.error().code(), ErrorCode::kCorruption);
    });
    for (const std::string& longer : {whole + "x", whole + whole}) {
      EXPECT_FALSE(view_dialect(std::as_bytes(std::span(longer)), kind.dialect));
    }
  }
}

TEST(Cassandra, NamesOfFilesTellTheVersion) {
  const auto version = [](const char* name) {
    const auto parsed = parse_sstable_name(name);
    return parsed ? parsed->version + " " + parsed->component + (parsed->is_temporary ? " temporary" : "")
                  : "";
  };
  EXPECT_EQ(version("nb-7-big-Filter.db"), "nb Filter.db");
  EXPECT_EQ(version("da-3-bti-Filter.db"), "da Filter.db");
  EXPECT_EQ(version("oa-3h5q_0tpq_2zt6i21i761l4k7u7t-big-TOC.txt"), "oa TOC.txt");
  EXPECT_EQ(version("shop-orders-ka-12-Filter.db"), "ka Filter.db");
  EXPECT_EQ(version("shop-orders-tmp-ka-12-Data.db"), "ka Data.db temporary");
  EXPECT_EQ(version("shop-orders-tmplink-jb-12-Data.db"), "jb Data.db temporary");
  EXPECT_EQ(version("tmp-la-5-big-Data.db"), "la Data.db temporary");
  EXPECT_EQ(version("nb-7-big-SAI+aa+by-name.db"), "nb SAI+aa+by-name.db");
  EXPECT_EQ(parse_sstable_name("oa-3h5q_0tpq_2z-big-TOC.txt")->prefix, "oa-3h5q_0tpq_2z-big-");
  for (const char* other :
       {"", "-", "nb-7-big-", "nb-7-big", "nb-7-huge-Filter.db", "n-7-big-Filter.db", "manifest.json",
        "shop-orders-ka-x-Filter.db", "000005.ldb", "nb--big-Filter.db"}) {
    EXPECT_EQ(version(other), "") << other;
  }
  EXPECT_EQ(cassandra_layout("lb")->order, CassandraProbeOrder::kFirstHalfFirst);
  EXPECT_TRUE(cassandra_layout("mf")->big_endian_words);
  EXPECT_EQ(cassandra_layout("ma")->order, CassandraProbeOrder::kSecondHalfFirst);
  EXPECT_FALSE(cassandra_layout("da")->big_endian_words);
  EXPECT_EQ(cassandra_layout("da")->order, CassandraProbeOrder::kSecondHalfFirst);
  EXPECT_EQ(cassandra_layout("hd").error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery
