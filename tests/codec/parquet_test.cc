// The Parquet dialect against files and counts of DuckDB, and against files of more row groups made here.
#include <cstring>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "codec/parquet/column_list.h"
#include "codec/parquet/filter_header.h"
#include "codec/parquet/parquet_sizing.h"
#include "hash/xxh.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"
#include "tests/codec/thrift_bytes.h"

namespace bloomery {
namespace {

using parquet::bitset_bytes;
using parquet::SizingRule;

// The plain-encoded value of a column of the golden files for K.
std::string plain_value(char column, std::uint64_t k) {
  switch (column) {
    case 'l':
      return little_endian(k * 7919);
    case 'n':
      return little_endian(static_cast<std::uint32_t>(k));
    case 'd':
      return little_endian(std::bit_cast<std::uint64_t>(0.5 * static_cast<double>(k)));
    case 'f':
      return little_endian(std::bit_cast<std::uint32_t>(0.5F * static_cast<float>(k)));
    case 'b': {
      std::string bytes(4, '\0');
      store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint32_t>(k));
      return bytes;
    }
    default:
      return numbered_key(k);
  }
}

// A filter of a golden file.
struct ParquetGolden {
  explicit ParquetGolden(const std::map<std::string, std::string>& row)
      : stem(row.at("file").substr(0, row.at("file").size() - std::strlen(".parquet"))),
        column(row.at("column").front()),
        physical_type(row.at("physical_type")),
        distinct(std::stoull(row.at("distinct_values"))),
        fpp(std::stod(row.at("fpp_option"))),
        offset(std::stoull(row.at("bloom_offset"))),
        length(std::stoull(row.at("bloom_length"))),
        absent_probes(std::stoull(row.at("absent_probes(K=1000000+)"))),
        absent_maybe(std::stoull(row.at("absent_maybe"))) {}

  bool whole() const { return stem != "n5000_p0.01"; }  // the .parquet file is here
  std::string file() const { return golden_file("parquet/" + stem + ".parquet"); }
  std::string raw() const {
    return whole() ? file().substr(offset, length)
                   : golden_file("parquet/" + stem + "." + std::string(1, column) + ".sbbf");
  }
  KeyRange values(std::uint64_t first, std::uint64_t count) const {
    return {[this](std::uint64_t k) { return plain_value(column, k); }, first, count};
  }
  DialectPlan plan() const { return {.capacity = distinct, .fpp = fpp, .bits_per_key = {}}; }

  std::string stem;
  char column;
  std::string physical_type;
  std::uint64_t distinct;
  double fpp;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t absent_probes;
  std::uint64_t absent_maybe;
};

void expect_answers(const DialectFilter& filter, const ParquetGolden& row) {
  EXPECT_EQ(count_maybes(filter, row.values(0, row.distinct).views()), row.distinct);
  EXPECT_EQ(count_maybes(filter, row.values(1'000'000, row.absent_probes).views()), row.absent_maybe);
}

TEST(Parquet, EveryGoldenFilterHasItsBytesAndDuckDbsAnswers) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    SCOPED_TRACE(row.stem + "." + row.column);
    const std::string bytes = row.raw();
    ASSERT_EQ(bytes.size(), row.length);
    const auto filter = viewed(bytes, "");
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->dialect(), "parquet");
    EXPECT_EQ(filter->facts().integrity, "none");
    EXPECT_EQ(filter->facts().hash_count, 8u);
    expect_answers(*filter, row);
    EXPECT_EQ(written(*filter), bytes);
  }
}

TEST(Parquet, EveryGoldenFileAnswersByItsColumns) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    if (!row.whole()) {
      continue;
    }
    for (const char* const row_group : {"", ",0"}) {
      const std::string name = "parquet:" + std::string(1, row.column) + row_group;
      SCOPED_TRACE(row.stem + " " + name);
      const std::string file = row.file();
      const auto filter = viewed(file, name);
      ASSERT_NE(filter, nullptr);
      EXPECT_EQ(filter->dialect(), name);
      EXPECT_TRUE(filter->is_static());
      const auto more = filter->facts().more;
      EXPECT_NE(
          std::ranges::find(more, std::pair<std::string, std::string>("physical type", row.physical_type)),
          more.end());
      expect_answers(*filter, row);
      EXPECT_EQ(written(*filter), file);
      EXPECT_EQ(filter->insert("key").error().code(), ErrorCode::kUnsupported);
    }
  }
}

TEST(Parquet, TheSameValuesMakeTheSameBytes) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    SCOPED_TRACE(row.stem + "." + row.column);
    const KeyRange values = row.values(0, row.distinct);
    for (const char* const dialect : {"parquet", "parquet:arrow", "parquet:duckdb"}) {
      const auto filter = built(dialect, row.plan(), values.views());
      ASSERT_TRUE(filter) << filter.error().to_string();
      EXPECT_EQ(written(**filter), row.raw());
    }
    const auto one_by_one = built("parquet", row.plan(), {});
    ASSERT_TRUE(one_by_one);
    std::uint64_t changed = 0;
    for (const std::string_view value : values.views()) {
      const bool was_in = (*one_by_one)->may_contain(value);
      auto change = (*one_by_one)->insert(value);
      EXPECT_EQ(std::move(change).value_or(was_in), !was_in);
      changed += was_in ? 0 : 1;
    }
    EXPECT_EQ(written(**one_by_one), row.raw());
    const auto batch = built("parquet", row.plan(), {});
    EXPECT_EQ((*batch)->insert_batch(values.views()).value_or(0), changed);
  }
}

// Positions published with the format: four blocks, "hello" in block 0, the empty text in block 3.
TEST(Parquet, AKeysBitsAreWhereTheFormatSays) {
  const auto bits_of = [](std::string_view key) {
    const auto filter = built("parquet", {.capacity = 100, .fpp = 0.01, .bits_per_key = {}}, {{key}});
    const std::string bytes = written(**filter);
    const std::string bitset = bytes.substr(bytes.size() - 128);
    std::vector<int> found;
    for (std::size_t i = 0; i < 1024; ++i) {
      if ((static_cast<unsigned char>(bitset[i / 8]) >> (i % 8) & 1) != 0) {
        found.push_back(static_cast<int>(i));
      }
    }
    return found;
  };
  const auto expected = [](int block, const std::vector<int>& bits) {
    std::vector<int> positions;
    for (std::size_t word = 0; word < bits.size(); ++word) {
      positions.push_back(block * 256 + static_cast<int>(word) * 32 + bits[word]);
    }
    return positions;
  };
  EXPECT_EQ(bits_of("hello"), expected(0, {20, 9, 10, 7, 9, 31, 28, 27}));
  EXPECT_EQ(bits_of(""), expected(3, {29, 0, 25, 28, 14, 22, 29, 30}));
  EXPECT_EQ(bits_of({"\1\0\0\0\0\0\0\0", 8}), expected(2, {27, 25, 25, 17, 26, 27, 6, 8}));
  EXPECT_EQ(bits_of({"\1\0\0\0", 4}), expected(3, {2, 26, 14, 2, 26, 13, 25, 11}));
}

// 5,000 keys at 0.01 are 48,412 bits; where the two rules differ, between 2^k bytes and 2^k bytes and 7 bits.
TEST(Parquet, SizesAreThoseOfTheWriters) {
  const auto bytes = [](std::uint64_t capacity, double fpp, SizingRule rule) {
    return bitset_bytes({.capacity = capacity, .fpp = fpp, .bits_per_key = {}}, rule).value_or(0);
  };
  for (const SizingRule rule : {SizingRule::kArrow, SizingRule::kDuckDb}) {
    EXPECT_EQ(bytes(0, 0.01, rule), 32u);
    EXPECT_EQ(bytes(1, 0.01, rule), 32u);
    EXPECT_EQ(bytes(26, 0.01, rule), 32u);
    EXPECT_EQ(bytes(28, 0.01, rule), 64u);
    EXPECT_EQ(bytes(5000, 0.01, rule), 8192u);
    EXPECT_EQ(bytes(1'000'000, 0.01, rule), 2'097'152u);
  }
  EXPECT_EQ(bytes(27, 0.01, SizingRule::kArrow), 64u);  // 261 bits
  EXPECT_EQ(bytes(27, 0.01, SizingRule::kDuckDb), 32u);
  const DialectPlan just_above{.capacity = 259, .fpp = {}, .bits_per_key = 1};
  EXPECT_EQ(bitset_bytes(just_above, SizingRule::kArrow).value_or(0), 64u);
  EXPECT_EQ(bitset_bytes(just_above, SizingRule::kDuckDb).value_or(0), 32u);
  EXPECT_EQ(bytes(1'000'000'000'000, 0.01, SizingRule::kArrow), 134'217'728u);
  EXPECT_EQ(bytes(500'000'000, 0.01, SizingRule::kDuckDb), 1'073'741'824u);
  EXPECT_EQ(
      bitset_bytes({.capacity = ~std::uint64_t{0}, .fpp = 0.01, .bits_per_key = {}}, SizingRule::kDuckDb)
          .error()
          .code(),
      ErrorCode::kCapacity);
  // 1 - fpp^(1/8) is 1: Arrow takes the most, and DuckDB's rule has no number.
  EXPECT_EQ(bytes(100, 1e-200, SizingRule::kArrow), 134'217'728u);
  EXPECT_EQ(
      bitset_bytes({.capacity = 100, .fpp = 1e-200, .bits_per_key = {}}, SizingRule::kDuckDb).error().code(),
      ErrorCode::kCapacity);
  EXPECT_EQ(build_dialect("parquet:unheard-of", just_above).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(build_dialect("parquet", {}).error().code(), ErrorCode::kInvalidArgument);
}

TEST(Parquet, BatchesOfAFilterLargerThanTheCacheAnswerAsSingleQuestions) {
  const KeyRange keys(numbered_key, 0, 200'000);
  const auto filter =
      built("parquet", {.capacity = 10'000'000, .fpp = 0.01, .bits_per_key = {}}, keys.views());
  ASSERT_TRUE(filter);
  EXPECT_EQ(count_maybes(**filter, keys.views()), 200'000u);
  EXPECT_LT(count_maybes(**filter, KeyRange(numbered_key, 1'000'000, 100'003).views()), 20u);
  EXPECT_NEAR((*filter)->estimated_count().value_or(0), 200'000, 2'000);
}

TEST(Parquet, TheMeasuredRateIsTheOneItTells) {
  const auto filter = built("parquet", {.capacity = 20'000, .fpp = 0.01, .bits_per_key = {}},
                            KeyRange(numbered_key, 0, 60'000).views());
  ASSERT_TRUE(filter);
  const auto maybes =
      static_cast<double>(count_maybes(**filter, KeyRange(numbered_key, 1'000'000, 100'000).views()));
  EXPECT_NEAR(maybes / 100'000, (*filter)->current_fpp(), 0.1 * (*filter)->current_fpp());
}

TEST(Parquet, ASaturatedFilterAnswersMaybeAndCannotBeCounted) {
  const std::string bytes = parquet::filter_header_bytes(32) + std::string(32, '\xff');
  const auto filter = viewed(bytes, "parquet");
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain("anything"));
  EXPECT_EQ(filter->current_fpp(), 1);
  EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
}

TEST(Parquet, MergedFiltersAreTheFilterOfBoth) {
  const DialectPlan plan{.capacity = 1000, .fpp = 0.01, .bits_per_key = {}};
  const auto first = built("parquet", plan, KeyRange(numbered_key, 0, 500).views());
  const auto second = built("parquet", plan, KeyRange(numbered_key, 500, 500).views());
  const auto both = built("parquet", plan, KeyRange(numbered_key, 0, 1000).views());
  ASSERT_TRUE((*first)->merge(**second));
  EXPECT_EQ(written(**first), written(**both));
  const auto smaller = built("parquet", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}, {});
  const Status refused = (*first)->merge(**smaller);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail(), "blocks: expected 64, found 1");
  EXPECT_EQ((*first)->merge(**first).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(written(**first), written(**both));
}

TEST(Parquet, AColumnsFilterIsMergedIntoOneOfItsOwn) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    if (row.whole()) {
      const std::string file = row.file();
      const auto column = viewed(file, "parquet:" + std::string(1, row.column));
      const auto own = built("parquet", row.plan(), {});
      ASSERT_TRUE((*own)->merge(*column));
      EXPECT_EQ(written(**own), row.raw());
      EXPECT_EQ(column->merge(**own).error().code(), ErrorCode::kUnsupported);
    }
  }
}

// --- Headers ---

Result<std::unique_ptr<DialectFilter>> opened_parquet(const std::string& bytes,
                                                      const std::string& dialect = "parquet") {
  return view_dialect(std::as_bytes(std::span(bytes)), dialect);
}

// Thrift says the same in many ways: ids in full, another order, a varint longer than it must be.
TEST(Parquet, AHeaderInAnySpellingOfThriftIsRead) {
  const std::string choice("\x1c\0\0", 3);
  const std::string canonical = parquet::filter_header_bytes(32);
  EXPECT_EQ(canonical, std::string("\x15\x40\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15));
  const std::vector<std::string> spellings = {
      std::string("\x05\x02\x40", 3) + "\x1c" + choice + "\x1c" + choice + "\x1c" + choice +
          std::string(1, '\0'),
      std::string("\x15\xc0\x80\x00", 4) + "\x1c" + choice + "\x1c" + choice + "\x1c" + choice +
          std::string(1, '\0'),
      "\x2c" + choice + "\x1c" + choice + "\x1c" + choice + std::string("\x05\x02\x40\0", 4),
  };
  for (const std::string& spelling : spellings) {
    const std::string bitset(32, '\x11');
    const auto filter = opened_parquet(spelling + bitset);
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), canonical + bitset);
  }
}

TEST(Parquet, ADamagedHeaderIsRefused) {
  const auto with_size = [](std::int64_t size, std::size_t bytes) {
    return "\x15" + zigzag(size) + std::string("\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 13) +
           std::string(bytes, 'x');
  };
  for (const std::string& bytes :
       {with_size(0, 0), with_size(-32, 32), with_size(33, 33), with_size(31, 31), with_size(64, 63),
        with_size(64, 65), with_size(64, 0), with_size(0x7fffffe0, 32), with_size(std::int64_t{1} << 32, 32),
        std::string(), std::string("\x15"), std::string(1, '\0')}) {
    const auto filter = opened_parquet(bytes);
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption) << filter.error().to_string();
  }
}

TEST(Parquet, AnotherAlgorithmHashOrCompressionIsUnsupported) {
  for (const std::size_t place : {std::size_t{3}, std::size_t{7}, std::size_t{11}}) {
    std::string bytes = parquet::filter_header_bytes(32) + std::string(32, 'x');
    bytes[place] = '\x2c';  // the second choice of the union
    const auto filter = opened_parquet(bytes);
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kUnsupported) << filter.error().to_string();
  }
}

// --- Files of several row groups ---

struct TestChunk {
  std::string path;  // one part
  std::optional<std::string> filter = {};
  std::int64_t values = 10;
  std::int32_t type = 6;
  std::optional<std::int32_t> length = {};
  std::string outer_fields = {};  // of the column chunk, behind its metadata
};
using TestRowGroup = std::vector<TestChunk>;

std::string list_of_structs(std::size_t count) {
  return std::string(1, static_cast<char>(count << 4 | 12));
}

std::string text(const std::string& bytes) {
  return std::string(1, static_cast<char>(bytes.size())) + bytes;
}

std::string chunk_bytes(const TestChunk& chunk, std::size_t offset) {
  std::string bytes("\x3c", 1);  // field 3: the metadata
  bytes += "\x15" + zigzag(chunk.type);
  bytes += "\x29\x18" + text(chunk.path);  // field 3
  bytes += "\x26" + zigzag(chunk.values);  // field 5
  if (chunk.filter) {
    bytes += "\x96" + zigzag(static_cast<std::int64_t>(offset));  // field 14
    if (chunk.length) {
      bytes += "\x15" + zigzag(*chunk.length);
    }
  }
  return bytes + std::string(1, '\0') + chunk.outer_fields + std::string(1, '\0');
}

std::string file_around(const std::string& data, const std::string& metadata) {
  return "PAR1" + data + metadata + little_endian(static_cast<std::uint32_t>(metadata.size())) + "PAR1";
}

std::string row_group_bytes(const std::vector<std::string>& chunks, std::int64_t rows) {
  std::string bytes = "\x19" + list_of_structs(chunks.size());  // field 1
  for (const std::string& chunk : chunks) {
    bytes += chunk;
  }
  return bytes + "\x26" + zigzag(rows) + std::string(1, '\0');  // field 3
}

std::string metadata_of(const std::vector<std::string>& row_groups, std::int64_t rows) {
  std::string bytes = "\x36" + zigzag(rows) + "\x19" + list_of_structs(row_groups.size());  // fields 3, 4
  for (const std::string& row_group : row_groups) {
    bytes += row_group;
  }
  return bytes + std::string(1, '\0');
}

// Of row groups with ten rows each.
std::string file_of(const std::vector<TestRowGroup>& row_groups) {
  std::string filters;
  std::vector<std::string> bytes;
  for (const TestRowGroup& row_group : row_groups) {
    std::vector<std::string> chunks;
    for (const TestChunk& chunk : row_group) {
      chunks.push_back(chunk_bytes(chunk, 4 + filters.size()));
      filters += chunk.filter.value_or("");
    }
    bytes.push_back(row_group_bytes(chunks, 10));
  }
  return file_around(filters, metadata_of(bytes, static_cast<std::int64_t>(bytes.size()) * 10));
}

std::string numbered_filter(std::uint64_t capacity, std::uint64_t first, std::uint64_t count) {
  const auto filter = built("parquet", {.capacity = capacity, .fpp = 0.001, .bits_per_key = {}},
                            KeyRange(numbered_key, first, count).views());
  return written(**filter);
}

TEST(Parquet, AnyRowGroupsFilterMayHaveTheKey) {
  const std::string file = file_of({{{.path = "k", .filter = numbered_filter(100, 0, 100)}},
                                    {{.path = "k", .filter = numbered_filter(1000, 100, 900)}},
                                    {{.path = "k", .filter = {}, .values = 0}}});
  const auto all = viewed(file, "");
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->dialect(), "parquet:k");
  EXPECT_EQ(count_maybes(*all, KeyRange(numbered_key, 0, 1000).views()), 1000u);
  EXPECT_LT(count_maybes(*all, KeyRange(numbered_key, 5000, 1000).views()), 20u);
  EXPECT_NEAR(all->estimated_count().value_or(0), 1000, 50);
  const auto second = viewed(file, "parquet:k,1");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(count_maybes(*second, KeyRange(numbered_key, 100, 900).views()), 900u);
  EXPECT_LT(count_maybes(*second, KeyRange(numbered_key, 0, 100).views()), 10u);
  EXPECT_EQ(opened_parquet(file, "parquet:k,2").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(opened_parquet(file, "parquet:k,3").error().code(), ErrorCode::kInvalidArgument);
}

// Old releases of parquet-rs wrote 0 in the place of the number of rows. Any other wrong number means a lost row group.
TEST(Parquet, AFooterThatSaysZeroRowsIsRead) {
  const std::string filter = numbered_filter(100, 0, 100);
  const std::string row_group = row_group_bytes({chunk_bytes({.path = "k", .filter = filter}, 4)}, 10);
  const std::string file = file_around(filter, metadata_of({row_group}, 0));
  const auto read = opened_parquet(file);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(count_maybes(**read, KeyRange(numbered_key, 0, 100).views()), 100u);
  for (const std::int64_t rows : {-1, 1, 9, 11, 20}) {
    EXPECT_EQ(opened_parquet(file_around(filter, metadata_of({row_group}, rows))).error().code(),
              ErrorCode::kCorruption)
        << rows;
  }
}

// Without bloom_filter_length the header of the filter says how many bytes it has.
TEST(Parquet, TheBytesOfAFilterAreListedWithoutTheirLengthInTheFooter) {
  const std::string filter = numbered_filter(100, 0, 100);
  const std::string schema = "\x29" + list_of_structs(2) + "\x48" + text("schema") + "\x15" + zigzag(1) +
                             std::string(1, '\0') + "\x15" + zigzag(6) + "\x38" + text("k") +
                             std::string(1, '\0');
  const auto listed = [&](std::optional<std::int32_t> length) {
    const std::string row_group =
        row_group_bytes({chunk_bytes({.path = "k", .filter = filter, .length = length}, 4)}, 10);
    const std::string metadata = schema + "\x16" + metadata_of({row_group}, 10).substr(1);
    const std::string file = file_around(filter, metadata);
    const auto list = parquet::list_columns(bytes_of(file), {});
    EXPECT_TRUE(list) << list.error().to_string();
    return list ? list->columns.at(0).filter_bytes : 0;
  };
  EXPECT_EQ(listed(static_cast<std::int32_t>(filter.size())), filter.size());
  EXPECT_EQ(listed(std::nullopt), filter.size());
}

TEST(Parquet, ARowGroupWithoutAFilterIsNamedSinceANoWouldNotBeCertain) {
  const std::string file =
      file_of({{{.path = "k", .filter = numbered_filter(10, 0, 10)}}, {{.path = "k", .filter = {}}}});
  const auto filter = opened_parquet(file);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(filter.error().detail().find("row group 1"), std::string::npos);
  EXPECT_TRUE(opened_parquet(file, "parquet:k,0"));
}

// Either its filter was lost, or the column it is of: a key of that row group would be denied.
TEST(Parquet, ARowGroupThatLacksTheColumnIsDamage) {
  const TestRowGroup whole = {{.path = "k", .filter = numbered_filter(10, 0, 10)},
                              {.path = "other", .filter = numbered_filter(10, 0, 10)}};
  const TestRowGroup renamed = {{.path = "j", .filter = numbered_filter(10, 10, 10)},
                                {.path = "other", .filter = numbered_filter(10, 0, 10)}};
  for (const std::vector<TestRowGroup>& row_groups :
       {std::vector{whole, renamed}, std::vector{renamed, whole}, std::vector{whole, renamed, whole},
        std::vector{whole, TestRowGroup()}}) {
    const auto filter = opened_parquet(file_of(row_groups), "parquet:k");
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption);
  }
  EXPECT_TRUE(opened_parquet(file_of({whole, renamed}), "parquet:k,0"));
  EXPECT_TRUE(opened_parquet(file_of({whole, renamed}), "parquet:other"));
}

// A list of row groups that was cut short would deny the keys of the others.
TEST(Parquet, RowGroupsMustHaveTheRowsOfTheFile) {
  const std::string chunk = chunk_bytes({.path = "k", .filter = "here"}, 4);
  const auto code = [&chunk](std::int64_t first, std::int64_t second, std::int64_t all) {
    const std::string metadata =
        metadata_of({row_group_bytes({chunk}, first), row_group_bytes({chunk}, second)}, all);
    const auto filter = opened_parquet(file_around(numbered_filter(1, 0, 1), metadata));
    return filter ? std::optional<ErrorCode>() : filter.error().code();
  };
  EXPECT_EQ(code(3, 4, 7), std::nullopt);
  EXPECT_EQ(code(3, 4, 8), ErrorCode::kCorruption);
  EXPECT_EQ(code(-1, 8, 7), ErrorCode::kCorruption);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(code(kMost, kMost, -2), ErrorCode::kCorruption);
  const std::string uncounted = "\x19" + list_of_structs(1) + chunk + std::string(1, '\0');
  EXPECT_FALSE(opened_parquet(file_around(numbered_filter(1, 0, 1), metadata_of({uncounted}, 0))));
  const std::string nothing_said =
      "\x49" + list_of_structs(1) + row_group_bytes({chunk}, 0) + std::string(1, '\0');
  EXPECT_FALSE(opened_parquet(file_around(numbered_filter(1, 0, 1), nothing_said)));
}

TEST(Parquet, SeveralColumnsAreListedWhenNoneIsNamed) {
  const std::string file = file_of({{{.path = "one", .filter = numbered_filter(10, 0, 10)},
                                     {.path = "two,3", .filter = numbered_filter(10, 0, 10)},
                                     {.path = "bare", .filter = {}}}});
  for (const char* const name : {"parquet", "parquet:bare", "parquet:One", "parquet:one,x", "parquet:one,"}) {
    const auto filter = opened_parquet(file, name);
    ASSERT_FALSE(filter) << name;
    EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(filter.error().detail().find("one, two,3"), std::string::npos) << filter.error().to_string();
    EXPECT_EQ(filter.error().detail().find("bare,"), std::string::npos);
  }
  EXPECT_EQ((*opened_parquet(file, "parquet:two,3"))->dialect(), "parquet:two,3");
  EXPECT_EQ((*opened_parquet(file, "parquet:two,3,0"))->dialect(), "parquet:two,3,0");
  EXPECT_EQ(opened_parquet(file_of({{{.path = "bare", .filter = {}}}})).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(Parquet, WhatCannotBeReadIsRefusedByName) {
  const std::string filter = numbered_filter(10, 0, 10);
  const auto code = [](const std::string& file) { return opened_parquet(file, "parquet:k").error().code(); };
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter, .outer_fields = "\x5c" + std::string(1, '\0')}}})),
            ErrorCode::kUnsupported);  // crypto_metadata
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter}, {.path = "k", .filter = filter}}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter, .length = 46}}})), ErrorCode::kCorruption);
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter, .type = 8}}})), ErrorCode::kUnsupported);
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter, .type = -1}}})), ErrorCode::kCorruption);
  EXPECT_EQ(code(file_of({{{.path = "k", .filter = filter, .type = 1}},
                          {{.path = "k", .filter = filter, .type = 2}}})),
            ErrorCode::kCorruption);
  std::string encrypted = file_of({{{.path = "k", .filter = filter}}});
  encrypted.replace(0, 4, "PARE");
  encrypted.replace(encrypted.size() - 4, 4, "PARE");
  EXPECT_EQ(code(encrypted), ErrorCode::kUnsupported);
  EXPECT_NE(opened_parquet(encrypted, "").error().to_string().find("PARE"), std::string::npos);
}

// A footer of 1.9 MB had 50,000 row groups share a filter of 1 MiB, which was looked at 50,000 times.
TEST(Parquet, AFilterThatRowGroupsShareIsOne) {
  const std::string filter = numbered_filter(1000, 0, 1000);
  std::vector<std::string> row_groups;
  for (int i = 0; i < 14; ++i) {
    row_groups.push_back(row_group_bytes({chunk_bytes({.path = "k", .filter = filter}, 4)}, 10));
  }
  const std::string file = file_around(filter, metadata_of(row_groups, 140));
  const auto shared = viewed(file, "parquet:k");
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(shared->facts().bits, viewed(filter, "parquet")->facts().bits);
  EXPECT_EQ(shared->facts().more.back(), (std::pair<std::string, std::string>("row groups", "14")));
  EXPECT_EQ(count_maybes(*shared, KeyRange(numbered_key, 0, 1000).views()), 1000u);
}

// Else filters that begin a byte apart could be many times as large as the file.
TEST(Parquet, FiltersThatOverlapAreDamage) {
  const std::string inner = numbered_filter(1, 0, 1);
  const std::string header = parquet::filter_header_bytes(64);
  const std::string outer = header + std::string(64, '\xff');
  std::string data = outer;
  data.replace(header.size(), inner.size(), inner);  // as large as the rest of it, or smaller
  data += std::string(64, '\0');
  for (const bool outer_first : {true, false}) {
    const std::string a = row_group_bytes({chunk_bytes({.path = "k", .filter = outer}, 4)}, 10);
    const std::string b =
        row_group_bytes({chunk_bytes({.path = "k", .filter = inner}, 4 + header.size())}, 10);
    const auto filter = opened_parquet(
        file_around(data, metadata_of(outer_first ? std::vector{a, b} : std::vector{b, a}, 20)));
    ASSERT_FALSE(filter);
    EXPECT_NE(filter.error().to_string().find("filters that do not overlap"), std::string::npos)
        << filter.error().to_string();
  }
}

TEST(Parquet, OffsetsAndLengthsThatLieAreRefused) {
  for (const std::int64_t offset :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3}, std::int64_t{51}, std::int64_t{1} << 40,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const std::string chunk = chunk_bytes({.path = "k", .filter = "here"}, static_cast<std::size_t>(offset));
    const std::string file =
        file_around(numbered_filter(1, 0, 1), metadata_of({row_group_bytes({chunk}, 10)}, 10));
    EXPECT_EQ(opened_parquet(file).error().code(), ErrorCode::kCorruption) << offset;
  }
  // A list of 2^40 row groups; a text of 2^40 bytes; lists in lists without an end.
  EXPECT_EQ(
      opened_parquet(file_around("", "\x49\xfc" + std::string("\x80\x80\x80\x80\x80\x20", 6))).error().code(),
      ErrorCode::kCorruption);
  EXPECT_EQ(
      opened_parquet(file_around("", "\x18" + std::string("\x80\x80\x80\x80\x80\x20", 6))).error().code(),
      ErrorCode::kCorruption);
  EXPECT_EQ(opened_parquet(file_around("", "\x19" + std::string(100'000, '\x19'))).error().code(),
            ErrorCode::kCorruption);
  EXPECT_EQ(opened_parquet(file_around("", "\x1c" + std::string(100'000, '\x1c'))).error().code(),
            ErrorCode::kCorruption);
  std::string longer = file_of({{{.path = "k", .filter = numbered_filter(1, 0, 1)}}});
  longer[longer.size() - 5] = 1;  // the metadata's length
  EXPECT_EQ(opened_parquet(longer).error().code(), ErrorCode::kCorruption);
}

TEST(Parquet, AKeyThatIsNoValueOfTheColumnIsMaybe) {
  const std::string file = golden_file("parquet/n100_p0.05.parquet");
  const auto filter = viewed(file, "parquet:n");
  EXPECT_TRUE(filter->may_contain("1000000"));
  EXPECT_EQ(count_maybes(*filter, std::vector<std::string_view>{"1000000", "", "12345"}), 3u);
}

// A number of values that was damaged to 0 does not hide the filter beside it.
TEST(Parquet, AFilterOfNoValuesIsAskedAllTheSame) {
  const std::string file = file_of({{{.path = "k", .filter = numbered_filter(10, 0, 10)}},
                                    {{.path = "k", .filter = numbered_filter(10, 10, 10), .values = 0}}});
  EXPECT_EQ(count_maybes(*viewed(file, "parquet:k"), KeyRange(numbered_key, 0, 20).views()), 20u);
}

TEST(Parquet, TheBitsOfAllFiltersAreSummed) {
  const std::string large = parquet::filter_header_bytes(64) + std::string(64, '\x0f');
  const std::string small = parquet::filter_header_bytes(32) + std::string(32, '\1');
  EXPECT_EQ(viewed(large, "parquet")->facts().bits, 512u);
  const std::string file = file_of({{{.path = "k", .filter = large}}, {{.path = "k", .filter = small}}});
  const DialectFacts facts = viewed(file, "parquet:k")->facts();
  EXPECT_EQ(facts.bits, 512u + 256u);
  EXPECT_EQ(facts.set_bits, 256u + 32u);
}

// A column in a group, "a.b", has a path of two parts.
TEST(Parquet, APathsPartsAreJoinedByDots) {
  const std::string filter = numbered_filter(10, 0, 10);
  std::string chunk = chunk_bytes({.path = "ab", .filter = filter}, 4);
  chunk.replace(chunk.find("\x29\x18\x02"
                           "ab"),
                5,
                "\x29\x28\x01"
                "a\x01"
                "b");
  const std::string file = file_around(filter, metadata_of({row_group_bytes({chunk}, 10)}, 10));
  EXPECT_EQ(count_maybes(*viewed(file, "parquet:a.b"), KeyRange(numbered_key, 0, 10).views()), 10u);
  EXPECT_EQ(opened_parquet(file, "parquet:ab").error().code(), ErrorCode::kInvalidArgument);
}

// The filter views the file, which nobody else holds open.
TEST(Parquet, AFileThatIsOpenedByItsNameStaysReadable) {
  const auto filter =
      open_dialect(std::string(BLOOMERY_SOURCE) + "/tests/golden/parquet/n100_p0.05.parquet", "parquet:s");
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(count_maybes(**filter, KeyRange(numbered_key, 0, 100).views()), 100u);
  EXPECT_EQ(written(**filter), golden_file("parquet/n100_p0.05.parquet"));
}

// --- Damage ---

// What the bits at `offset` say: the definition, once more.
bool bits_say(std::string_view bitset, std::string_view key) {
  static constexpr std::array<std::uint32_t, 8> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                          0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  const std::uint64_t hash = xxh64(key);
  const std::uint64_t block = (hash >> 32) * (bitset.size() / 32) >> 32;
  bool all = true;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t bit = static_cast<std::uint32_t>(hash) * kSalts[i] >> 27;
    all = all && (static_cast<unsigned char>(bitset[block * 32 + i * 4 + bit / 8]) >> (bit % 8) & 1) != 0;
  }
  return all;
}

TEST(Parquet, EveryFlippedByteOfAFilterIsAnErrorOrTheAnswersOfTheBits) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    if (row.column != 's' && row.column != 'l') {
      continue;
    }
    SCOPED_TRACE(row.stem + "." + row.column);
    const std::size_t header = row.length % 32;
    const KeyRange keys = row.values(0, 20);
    std::size_t open = 0;
    for_each_flip(row.raw(), [&](const std::string& bytes, const std::string& what) {
      const auto filter = opened_parquet(bytes);
      open += std::size_t{filter.has_value()};
      for (std::size_t k = 0; filter && k < keys.views().size(); ++k) {
        ASSERT_EQ((*filter)->may_contain(keys.views()[k]),
                  bits_say(std::string_view(bytes).substr(header), keys.views()[k]))
            << what;
      }
    });
    EXPECT_EQ(open, (row.length - header) * 3) << "a damaged header was read";
  }
}

TEST(Parquet, EveryCutAndEveryByteBehindIsAnError) {
  const std::string bytes = golden_file("parquet/n5000_p0.01.s.sbbf");
  for_each_cut(bytes, [](const std::string& cut, const std::string& what) {
    ASSERT_FALSE(opened_parquet(cut)) << what;
  });
  EXPECT_FALSE(opened_parquet(bytes + std::string(1, '\0')));
}

TEST(Parquet, EveryFlippedByteOfAFileIsAnErrorOrTheAnswersOfTheBits) {
  for (const ParquetGolden& row : golden_rows<ParquetGolden>("parquet/manifest.csv")) {
    if (row.stem != "n1_p0.01" && (row.stem != "n100_p0.05" || row.column != 'n')) {
      continue;
    }
    SCOPED_TRACE(row.stem + "." + row.column);
    const std::size_t header = row.length % 32;
    const KeyRange keys = row.values(0, std::min<std::uint64_t>(row.distinct, 10));
    const std::string original = row.file();
    std::size_t open = 0;
    for_each_flip(original, [&](const std::string& file, const std::string& what) {
      const auto filter = opened_parquet(file, "parquet:" + std::string(1, row.column));
      open += std::size_t{filter.has_value()};
      const auto bitset = std::string_view(file).substr(row.offset + header, row.length - header);
      // A column's type that was flipped makes every key one of another length: maybe.
      const bool footer = file.compare(0, row.offset + row.length, original, 0, row.offset + row.length) == 0;
      for (std::size_t k = 0; filter && k < keys.views().size(); ++k) {
        const bool answer = (*filter)->may_contain(keys.views()[k]);
        ASSERT_TRUE(answer == bits_say(bitset, keys.views()[k]) || (answer && footer)) << what;
      }
    });
    EXPECT_GE(open, (row.length - header) * 3);
  }
}

// None hides a row group, a column's part of one, or that it has values.
TEST(Parquet, NoFlippedBitOfTheMetadataOfSeveralRowGroupsDeniesAKey) {
  std::vector<TestRowGroup> row_groups;
  for (std::uint64_t i = 0; i < 7; ++i) {
    row_groups.push_back({{.path = "k", .filter = numbered_filter(10, i * 10, 10), .length = 47},
                          {.path = "n", .filter = numbered_filter(10, i * 10, 10), .length = 47}});
  }
  const std::string file = file_of(row_groups);
  const KeyRange keys(numbered_key, 0, 70);
  const std::size_t footer = 4 + 14 * std::size_t{47};
  std::size_t open = 0;
  for (std::size_t i = footer; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      const auto filter = opened_parquet(damaged, "parquet:k");
      if (filter) {
        ++open;
        EXPECT_EQ(count_maybes(**filter, keys.views()), 70u) << "byte " << i << ", bit " << bit;
      }
    }
  }
  EXPECT_GT(open, 0u);
}

TEST(Parquet, EveryCutOfAFileIsAnError) {
  for_each_cut(golden_file("parquet/n100_p0.05.parquet"),
               [](const std::string& cut, const std::string& what) {
                 ASSERT_FALSE(opened_parquet(cut, "parquet:s")) << what;
               });
}

}  // namespace
}  // namespace bloomery
