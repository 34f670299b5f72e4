// The values of column chunks: of files that Arrow and DuckDB wrote, and of files that are made here.
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "codec/parquet/chunk_values.h"
#include "compress/block_compress.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"
#include "tests/codec/parquet_pages.h"

namespace bloomery {
namespace {

using parquet::ColumnChunk;
using parquet::Encoding;
using parquet::PageType;
using parquet::SchemaColumn;

// All values of a file, by column and row group.
using FileValues = std::map<std::pair<std::string, std::uint64_t>, std::vector<std::string>>;

Result<FileValues> chunk_values(std::string_view file, const std::shared_ptr<MemoryBudget>& memory = {}) {
  const auto bytes = std::as_bytes(std::span(file));
  BLOOMERY_ASSIGN_OR_RETURN(const parquet::Footer footer, parquet::read_footer(bytes));
  std::vector<SchemaColumn> columns;
  BLOOMERY_RETURN_IF_ERROR(parquet::for_each_column(footer, [&](const SchemaColumn& column) -> Status {
    columns.push_back(column);
    return {};
  }));
  FileValues values;
  BLOOMERY_RETURN_IF_ERROR(parquet::for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    if (chunk.index >= columns.size()) {
      return Error::corruption("test", 0, "another number of columns");
    }
    auto& of_chunk = values[{chunk.path, chunk.row_group}];
    return parquet::for_each_chunk_value(bytes, chunk, columns[chunk.index], memory,
                                         [&](std::span<const std::string_view> some) -> Status {
                                           of_chunk.insert(of_chunk.end(), some.begin(), some.end());
                                           return {};
                                         });
  }));
  return values;
}

// tests/golden/parquet/README.md: the values of the files pages_*.
std::vector<std::string> golden_values(const std::string& column, std::uint64_t row) {
  const std::uint64_t key = 37 * row % 101;
  const auto number = static_cast<double>(key);
  char text[40];
  std::snprintf(text, sizeof(text), "https://example.org/%03d/page", static_cast<int>(key));
  const std::string url = text;
  std::snprintf(text, sizeof(text), "%06d", static_cast<int>(key));
  if (column == "i32") {
    return {little_endian(static_cast<std::uint32_t>(104729 * key - 5000000))};
  }
  if (column == "i64") {
    return {little_endian(1000000000000 * key - 50000000000000)};
  }
  if (column == "f32") {
    return {little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(number / 4)))};
  }
  if (column == "f64") {
    return {little_endian(std::bit_cast<std::uint64_t>(number / 8 - 3))};
  }
  if (column == "url") {
    return {url};
  }
  if (column == "fixed") {
    return {text};
  }
  if (column == "optional") {
    return row % 3 == 0 ? std::vector<std::string>() : std::vector{url};
  }
  EXPECT_EQ(column, "list.list.element");
  return row % 7 == 0 || row % 5 == 0 ? std::vector<std::string>()
                                      : std::vector{little_endian(key), little_endian(key + 1000)};
}

std::vector<std::string> golden_values_of_group(const std::string& column, std::uint64_t row_group) {
  std::vector<std::string> values;
  for (std::uint64_t row = row_group * 30; row < row_group * 30 + 30; ++row) {
    const std::vector<std::string> of_row = golden_values(column, row);
    values.insert(values.end(), of_row.begin(), of_row.end());
  }
  return values;
}

constexpr std::array kPageFiles = {
    "plain_v1",         "plain_v2",         "dictionary_v1",    "dictionary_v2",   "delta_numbers_v1",
    "delta_numbers_v2", "delta_lengths_v1", "delta_lengths_v2", "delta_arrays_v1", "delta_arrays_v2",
    "split_v1",         "split_v2",         "fallback"};

TEST(ParquetChunkValues, EveryEncodingAndVersionHasTheValuesThatArrowWrote) {
  for (const char* const name : kPageFiles) {
    SCOPED_TRACE(name);
    const auto values = chunk_values(golden_file("parquet/pages_" + std::string(name) + ".parquet"));
    ASSERT_TRUE(values) << values.error().to_string();
    EXPECT_GE(values->size(), 4u);
    for (const auto& [chunk, found] : *values) {
      SCOPED_TRACE(chunk.first);
      const std::vector<std::string> expected = golden_values_of_group(chunk.first, chunk.second);
      // Values of a dictionary come last, once, in its order.
      EXPECT_EQ(std::multiset(found.begin(), found.end()), std::multiset(expected.begin(), expected.end()));
    }
  }
}

TEST(ParquetChunkValues, DuckDbsValuesAreRead) {
  for (const auto& [name, distinct] :
       {std::pair("n1_p0.01", 1u), {"n100_p0.05", 100u}, {"n500_p0.001", 500u}}) {
    const auto values = chunk_values(golden_file("parquet/" + std::string(name) + ".parquet"));
    ASSERT_TRUE(values) << values.error().to_string();
    std::set<std::string> expected;
    for (std::uint64_t k = 0; k < distinct; ++k) {
      expected.insert(numbered_key(k));
    }
    const auto& found = values->at({"s", 0});
    EXPECT_EQ(std::set(found.begin(), found.end()), expected) << name;
    EXPECT_EQ(found.size(), distinct);
  }
}

TestChunk plain_chunk(const std::vector<std::string>& texts) {
  const auto count = static_cast<std::int64_t>(texts.size());
  return {.values = count, .pages = {{.values = count, .body = plain_arrays(texts)}}};
}

ErrorCode code_of(const TestChunk& chunk) {
  const auto values = chunk_values(parquet_file({chunk}));
  EXPECT_FALSE(values);
  return values ? ErrorCode::kIo : values.error().code();
}

std::vector<std::string> made_values(const TestChunk& chunk) {
  const auto values = chunk_values(parquet_file({chunk}));
  EXPECT_TRUE(values) << values.error().to_string();
  return values ? values->begin()->second : std::vector<std::string>();
}

const std::vector<std::string> kTexts = {"one", "two", "three"};

TEST(ParquetChunkValues, TheNumberOfValuesIsThatOfTheMetadata) {
  TestChunk chunk = plain_chunk(kTexts);
  EXPECT_EQ(made_values(chunk), kTexts);
  for (const std::int64_t lie : {-1, 0, 2, 4}) {
    chunk.values = lie;
    EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption) << lie;
  }
  EXPECT_TRUE(made_values({.values = 0}).empty());
  chunk = plain_chunk(kTexts);
  chunk.pages.push_back({.type = PageType::kIndex, .body = "index"});
  chunk.pages.push_back({.values = 0, .body = ""});
  EXPECT_EQ(made_values(chunk), kTexts);
  chunk.pages.push_back(chunk.pages[0]);
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.values = 6;
  EXPECT_EQ(made_values(chunk).size(), 6u);
}

TEST(ParquetChunkValues, PagesThatEndTooEarlyOrTooLateAreDamage) {
  TestChunk chunk = plain_chunk(kTexts);
  const auto size = static_cast<std::int64_t>(chunk.page_bytes_of_all().size());
  for (std::int64_t bytes = 0; bytes < size; ++bytes) {
    chunk.page_bytes = bytes;
    EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption) << bytes;
  }
  chunk.page_bytes = size + 1;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
}

TEST(ParquetChunkValues, WhatIsNotReadIsNamed) {
  TestChunk boolean = plain_chunk(kTexts);
  boolean.type = 0;
  EXPECT_EQ(code_of(boolean), ErrorCode::kUnsupported);
  TestChunk empty = plain_chunk(kTexts);
  empty.type = 7;
  EXPECT_EQ(code_of(empty), ErrorCode::kUnsupported);
  empty.type_length = -1;
  EXPECT_EQ(code_of(empty), ErrorCode::kCorruption);
  TestChunk encrypted = plain_chunk(kTexts);
  encrypted.encrypted = true;
  EXPECT_EQ(code_of(encrypted), ErrorCode::kUnsupported);
  TestChunk levels = plain_chunk(kTexts);
  levels.repetition = 1;
  levels.pages[0].level_encoding = 4;
  EXPECT_EQ(code_of(levels), ErrorCode::kUnsupported);
  TestChunk delta_dictionary = plain_chunk(kTexts);
  delta_dictionary.pages[0].type = PageType::kDictionary;
  delta_dictionary.pages[0].encoding = Encoding::kDeltaByteArray;
  EXPECT_EQ(code_of(delta_dictionary), ErrorCode::kUnsupported);
  for (const int codec : {3, 4, 8, -1}) {
    TestChunk other = plain_chunk(kTexts);
    other.codec = codec;
    const auto values = chunk_values(parquet_file({other}));
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().code(), ErrorCode::kUnsupported) << values.error().to_string();
  }
}

// One level of every value: 1 is a value, 0 is null.
TEST(ParquetChunkValues, NullsHaveNoValue) {
  const std::string levels("\x03\x15", 2);  // eight packed: 1, 0, 1, 0, 1, 0, 0, 0
  TestChunk chunk{
      .repetition = 1,
      .values = 8,
      .pages = {{.values = 8, .body = little_endian(std::uint32_t{2}) + levels + plain_arrays(kTexts)}}};
  EXPECT_EQ(made_values(chunk), kTexts);
  TestPage v2{.type = PageType::kDataV2,
              .values = 8,
              .body = levels + plain_arrays(kTexts),
              .definition_bytes = 2,
              .nulls = 5};
  chunk.pages = {v2};
  EXPECT_EQ(made_values(chunk), kTexts);
  chunk.pages[0].nulls = 4;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages[0].nulls = 9;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages = {v2};
  chunk.pages[0].definition_bytes = 1;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages[0].definition_bytes = 1 << 30;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  // All null: a run of 8 times 0.
  chunk.pages = {{.values = 8, .body = little_endian(std::uint32_t{2}) + std::string("\x10\0", 2)}};
  EXPECT_TRUE(made_values(chunk).empty());
  chunk.pages[0].body[0] = 3;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  // A level of 2, where 1 is the greatest.
  chunk.pages[0].body = little_endian(std::uint32_t{2}) + std::string("\x10\2", 2);
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
}

TEST(ParquetChunkValues, ADictionaryIsTheFirstPage) {
  const TestPage dictionary{.type = PageType::kDictionary, .values = 3, .body = plain_arrays(kTexts)};
  const TestPage indices{.encoding = Encoding::kRleDictionary, .values = 2, .body = std::string("\2\4\1", 3)};
  TestChunk chunk{.values = 2, .pages = {dictionary, indices}};
  EXPECT_EQ(made_values(chunk), (std::vector<std::string>{"two"}));
  chunk.pages[0].encoding = Encoding::kPlainDictionary;
  chunk.pages[1].encoding = Encoding::kPlainDictionary;
  EXPECT_EQ(made_values(chunk), (std::vector<std::string>{"two"}));
  chunk.pages = {indices};
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages = {indices, dictionary};
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages = {dictionary, indices, dictionary};
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages = {dictionary, {.values = 1, .body = plain_arrays({"plain"})}, indices};
  chunk.values = 3;
  EXPECT_EQ(made_values(chunk), (std::vector<std::string>{"plain", "two"}));
  chunk.pages = {dictionary, indices};
  chunk.values = 2;
  chunk.pages[1].body[2] = 3;  // past the dictionary
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages[0].values = 2;  // bytes that are no value
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
}

// Hadoop's framing, and the raw block that some writers wrote under its number.
TEST(ParquetChunkValues, BothFormsOfLz4AreRead) {
  const std::string plain = plain_arrays(kTexts);
  // One sequence of literals: a token, a length past 15, the bytes.
  const std::string block = std::string("\xf0", 1) + static_cast<char>(plain.size() - 15) + plain;
  const auto big = [](std::size_t number) {
    std::string bytes(4, '\0');
    store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint32_t>(number));
    return bytes;
  };
  for (const auto& [codec, body] :
       {std::pair(7, block), {5, block}, {5, big(plain.size()) + big(block.size()) + block}}) {
    TestChunk chunk = plain_chunk(kTexts);
    chunk.codec = codec;
    chunk.pages[0].body = body;
    chunk.pages[0].decompressed = static_cast<std::int64_t>(plain.size());
    EXPECT_EQ(made_values(chunk), kTexts) << codec;
    chunk.pages[0].decompressed += 1;
    EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
    chunk.pages[0].decompressed = 1 << 30;
    EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);  // more than the bytes can become
  }
}

// A v2 page whose values are not compressed, in a chunk with a codec.
TEST(ParquetChunkValues, AV2PageSaysWhetherItIsCompressed) {
  TestChunk chunk{
      .codec = 1,
      .values = 3,
      .pages = {
          {.type = PageType::kDataV2, .values = 3, .body = plain_arrays(kTexts), .is_compressed = false}}};
  EXPECT_EQ(made_values(chunk), kTexts);
  chunk.pages[0].decompressed = 5;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
  chunk.pages[0].decompressed = -1;
  chunk.pages[0].is_compressed = true;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
}

// A page of a gigabyte, a claim that is refused before the memory is allocated.
TEST(ParquetChunkValues, APageOfTooManyBytesIsALimitOfMemory) {
  TestChunk chunk = plain_chunk(kTexts);
  chunk.codec = 6;
  chunk.pages[0].body = std::string(1 << 17, '\0');
  chunk.pages[0].decompressed = 1 << 30;
  EXPECT_EQ(code_of(chunk), ErrorCode::kCapacity);
  chunk.pages[0].decompressed = 1 << 20;
  const auto values = chunk_values(parquet_file({chunk}), std::make_shared<MemoryBudget>(1 << 19));
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(code_of(chunk), ErrorCode::kCorruption);
}

// 2^31 - 1 nulls in a run of six bytes, in 100 pages, and as many indices.
TEST(ParquetChunkValues, PagesThatClaimManyValuesCostTheirBytes) {
  constexpr std::int64_t kMost = 0x7fffffff;
  TestChunk chunk{.repetition = 1, .values = 0};
  for (int i = 0; i < 100; ++i) {
    chunk.pages.push_back(
        {.values = kMost,
         .body = little_endian(std::uint32_t{6}) + std::string("\xfe\xff\xff\xff\x0f\0", 6)});
    chunk.values += kMost;
  }
  EXPECT_TRUE(made_values(chunk).empty());
  const TestChunk indices{
      .values = kMost,
      .pages = {{.type = PageType::kDictionary, .values = 3, .body = plain_arrays(kTexts)},
                {.encoding = Encoding::kRleDictionary,
                 .values = kMost,
                 .body = std::string("\2\xfe\xff\xff\xff\x0f\1", 7)}}};
  EXPECT_EQ(made_values(indices).size(), 1u);
}

TEST(ParquetChunkValues, AChangedPageIsFoundByItsChecksum) {
  const std::string file = golden_file("parquet/pages_plain_v1.parquet");
  const std::size_t at = file.find("https://example.org/037/page");
  ASSERT_NE(at, std::string::npos);
  std::string damaged = file;
  damaged[at] ^= 1;
  const auto values = chunk_values(damaged);
  ASSERT_FALSE(values);
  EXPECT_NE(values.error().detail().find("CRC-32"), std::string::npos) << values.error().to_string();
}

}  // namespace
}  // namespace bloomery
