// Row groups of Parquet files without a Bloom filter: what their least and greatest values deny, and which of these values
// are believed. Footers that are made here, and a file of Arrow.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/parquet/column_filters.h"
#include "codec/parquet/column_list.h"
#include "codec/parquet/value_range.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/golden.h"
#include "tests/codec/thrift_bytes.h"

namespace bloomery::parquet {
namespace {

using namespace std::string_literals;

// --- Footers ---

constexpr int kThriftTrue = 1;
constexpr int kThriftFalse = 2;
constexpr int kThriftInt32 = 5;
constexpr int kThriftInt64 = 6;
constexpr int kThriftBinary = 8;
constexpr int kThriftList = 9;
constexpr int kThriftStruct = 12;

std::string thrift_field(int id, int type) {
  return std::string(1, static_cast<char>(type)) + zigzag(id);
}

std::string thrift_number(int id, std::int64_t value, int type = kThriftInt64) {
  return thrift_field(id, type) + zigzag(value);
}

std::string thrift_text(int id, const std::string& bytes) {
  EXPECT_LT(bytes.size(), 128u);
  return thrift_field(id, kThriftBinary) + static_cast<char>(bytes.size()) + bytes;
}

std::string thrift_struct(int id, const std::string& fields) {
  return thrift_field(id, kThriftStruct) + fields + '\0';
}

std::string thrift_list(int id, const std::vector<std::string>& structs) {
  EXPECT_LT(structs.size(), 15u);
  std::string bytes = thrift_field(id, kThriftList) + static_cast<char>(structs.size() << 4 | kThriftStruct);
  for (const std::string& fields : structs) {
    bytes += fields + '\0';
  }
  return bytes;
}

// The fields of a column's schema element behind its name.
std::string converted_type_of(int number) {
  return thrift_number(6, number, kThriftInt32);
}

std::string logical_type_of(int member, const std::string& fields = "") {
  return thrift_struct(10, thrift_struct(member, fields));
}

std::string newer_bounds(const std::string& least, const std::string& greatest) {
  return thrift_text(5, greatest) + thrift_text(6, least);
}

std::string older_bounds(const std::string& least, const std::string& greatest) {
  return thrift_text(1, greatest) + thrift_text(2, least);
}

struct RangedGroup {
  std::string statistics = {};
  std::optional<std::string> filter = {};
  std::string of_chunk = {};  // fields of the column chunk behind its metadata
};

struct RangedColumn {
  PhysicalType physical = PhysicalType::kInt32;
  std::int32_t length = 0;
  std::string more = {};
};

// What column_orders has for each column; nothing if the footer has no such field.
using Orders = std::optional<std::vector<std::string>>;

std::string type_order() {
  return thrift_struct(1, "");
}

std::string later_order() {
  return thrift_struct(2, "");
}

Orders orders_of(const std::vector<std::string>& orders) {
  return orders;
}

constexpr const char* kArrow = "parquet-cpp-arrow version 26.0.1";

// A file of one column k, with ten values in each row group.
std::string ranged_file(const RangedColumn& column, const std::vector<RangedGroup>& groups,
                        const Orders& orders = orders_of({type_order()}),
                        const std::string& created_by = kArrow) {
  std::string leaf = thrift_number(1, static_cast<int>(column.physical), kThriftInt32);
  leaf += column.length == 0 ? "" : thrift_number(2, column.length, kThriftInt32);
  leaf += thrift_text(4, "k") + column.more;
  std::string data;
  std::vector<std::string> row_groups;
  for (const RangedGroup& group : groups) {
    std::string metadata = thrift_number(1, static_cast<int>(column.physical), kThriftInt32) +
                           thrift_field(3, kThriftList) + "\x18\1k" + thrift_number(5, 10) +
                           (group.statistics.empty() ? "" : thrift_struct(12, group.statistics));
    if (group.filter) {
      metadata += thrift_number(14, static_cast<std::int64_t>(4 + data.size()));
      data += *group.filter;
    }
    row_groups.push_back(thrift_list(1, {thrift_struct(3, metadata) + group.of_chunk}) +
                         thrift_number(3, 10));
  }
  std::string footer = thrift_list(2, {thrift_text(4, "root") + thrift_number(5, 1, kThriftInt32), leaf}) +
                       thrift_number(3, static_cast<std::int64_t>(groups.size()) * 10) +
                       thrift_list(4, row_groups) + thrift_text(6, created_by) +
                       (orders ? thrift_list(7, *orders) : "") + '\0';
  return "PAR1" + data + footer + little_endian(static_cast<std::uint32_t>(footer.size())) + "PAR1";
}

// The filter looks into the file, which is kept as long.
std::shared_ptr<DialectFilter> opened_ranges(std::string file, const std::string& name = "parquet:k") {
  const auto kept = std::make_shared<const std::string>(std::move(file));
  auto filter = view_dialect(bytes_of(*kept), name, {}, MissingFilters::kAnyKey);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return filter ? std::shared_ptr<DialectFilter>(filter->release(), [kept](DialectFilter* it) { delete it; })
                : nullptr;
}

std::string float_bytes_of(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value));
}

std::string double_bytes_of(double value) {
  return little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string int32_bytes(std::int64_t value) {
  return little_endian(static_cast<std::uint32_t>(value));
}

std::string int64_bytes(std::int64_t value) {
  return little_endian(static_cast<std::uint64_t>(value));
}

// Big-endian two's complement of so many bytes.
std::string decimal_bytes(std::int64_t value, std::size_t size) {
  std::string bytes(size, value < 0 ? '\xff' : '\0');
  for (std::size_t i = 0; i < size && i < 8; ++i) {
    bytes[size - 1 - i] = static_cast<char>(value >> (8 * i));
  }
  return bytes;
}

// DECIMAL(9, 2)
std::string decimal_type() {
  return converted_type_of(5) + thrift_number(7, 2, kThriftInt32) + thrift_number(8, 9, kThriftInt32);
}

// --- What a range denies ---

struct Ordered {
  const char* name;
  RangedColumn column;
  std::string least;
  std::string greatest;
  std::vector<std::string> inside;
  std::vector<std::string> outside;
};

std::vector<Ordered> ordered_columns() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"INT32",
       {PhysicalType::kInt32},
       int32_bytes(-5),
       int32_bytes(300),
       {int32_bytes(-5), int32_bytes(0), int32_bytes(300)},
       {int32_bytes(-6), int32_bytes(301), int32_bytes(std::int64_t{1} << 31)}},
      {"INT64",
       {PhysicalType::kInt64},
       int64_bytes(-5),
       int64_bytes(300),
       {int64_bytes(-5), int64_bytes(256), int64_bytes(300)},
       {int64_bytes(-6), int64_bytes(301), int64_bytes(std::numeric_limits<std::int64_t>::min()),
        int64_bytes(std::numeric_limits<std::int64_t>::max())}},
      {"UINT32",
       {PhysicalType::kInt32, 0, converted_type_of(13)},
       int32_bytes(7),
       int32_bytes(4'000'000'000),
       {int32_bytes(7), int32_bytes(2'147'483'648), int32_bytes(4'000'000'000)},
       {int32_bytes(6), int32_bytes(4'000'000'001)}},
      {"UINT64",
       {PhysicalType::kInt64, 0, converted_type_of(14)},
       int64_bytes(7),
       int64_bytes(-2),
       {int64_bytes(7), int64_bytes(std::numeric_limits<std::int64_t>::min()), int64_bytes(-2)},
       {int64_bytes(6), int64_bytes(-1)}},
      {"FLOAT",
       {PhysicalType::kFloat},
       float_bytes_of(-1.5F),
       float_bytes_of(-0.0F),
       {float_bytes_of(-1.5F), float_bytes_of(0.0F), float_bytes_of(-0.0F),
        float_bytes_of(static_cast<float>(nan))},
       {float_bytes_of(-1.75F), float_bytes_of(1e-45F),
        float_bytes_of(std::numeric_limits<float>::infinity())}},
      {"DOUBLE",
       {PhysicalType::kDouble},
       double_bytes_of(0.0),
       double_bytes_of(2.5),
       {double_bytes_of(-0.0), double_bytes_of(2.5), double_bytes_of(nan), double_bytes_of(-nan)},
       {double_bytes_of(-5e-324), double_bytes_of(2.6),
        double_bytes_of(-std::numeric_limits<double>::infinity())}},
      {"FLOAT16",
       {PhysicalType::kFixedLengthByteArray, 2, logical_type_of(15)},
       "\0\xc0"s,
       "\0\x40"s,
       {"\0\xc0"s, "\0\0"s, "\0\x80"s, "\0\x40"s, "\1\x7c"s},
       {"\1\xc0"s, "\1\x40"s, "\0\x7c"s, "\0\xfc"s}},
      {"BYTE_ARRAY",
       {PhysicalType::kByteArray},
       "b",
       "d\xff",
       {"b", "b\0"s, "c", "d", "d\xff", "d\xfe\xff"},
       {"", "a\xff", "d\xff\0"s, "e", "\xff"}},
      {"STRING",
       {PhysicalType::kByteArray, 0, converted_type_of(0)},
       "",
       "\x7f",
       {"", "a", "\x7f"},
       {"\x7f\x01", "\xc3\xb6"}},
      {"FIXED",
       {PhysicalType::kFixedLengthByteArray, 3},
       "b",
       "d\x80",
       {"b\0\0"s, "czz", "d\x7f\xff"},
       {"azz", "d\x80\0"s, "ezz"}},
      {"UUID",
       {PhysicalType::kFixedLengthByteArray, 16, logical_type_of(14)},
       std::string(16, '\x10'),
       std::string(16, '\x80'),
       {std::string(16, '\x10'), std::string(16, '\x7f'), std::string(16, '\x80')},
       {std::string(16, '\x0f'), std::string(16, '\x81')}},
      {"DECIMAL of INT32",
       {PhysicalType::kInt32, 0, decimal_type()},
       int32_bytes(-100),
       int32_bytes(99),
       {int32_bytes(-100), int32_bytes(99)},
       {int32_bytes(-101), int32_bytes(100)}},
      {"DECIMAL of FIXED",
       {PhysicalType::kFixedLengthByteArray, 4, decimal_type()},
       decimal_bytes(-100, 4),
       decimal_bytes(300, 4),
       {decimal_bytes(-100, 4), decimal_bytes(-1, 4), decimal_bytes(0, 4), decimal_bytes(300, 4)},
       {decimal_bytes(-101, 4), decimal_bytes(-300, 4), decimal_bytes(301, 4), decimal_bytes(1 << 20, 4)}},
      {"DECIMAL of BYTE_ARRAY",
       {PhysicalType::kByteArray, 0, decimal_type()},
       decimal_bytes(-129, 2),
       decimal_bytes(128, 2),
       {decimal_bytes(-129, 2), decimal_bytes(-129, 9), decimal_bytes(-1, 1), decimal_bytes(0, 1),
        decimal_bytes(0, 16), decimal_bytes(128, 2), decimal_bytes(128, 16)},
       {decimal_bytes(-130, 2), decimal_bytes(-130, 4), decimal_bytes(129, 2), decimal_bytes(129, 32),
        decimal_bytes(-256, 2), decimal_bytes(1 << 20, 3), decimal_bytes(-(1 << 20), 3)}},
      {"DATE",
       {PhysicalType::kInt32, 0, converted_type_of(6)},
       int32_bytes(-1),
       int32_bytes(19'000),
       {int32_bytes(-1), int32_bytes(0)},
       {int32_bytes(-2), int32_bytes(19'001)}},
      {"TIMESTAMP",
       {PhysicalType::kInt64, 0, converted_type_of(10)},
       int64_bytes(-1),
       int64_bytes(1),
       {int64_bytes(0)},
       {int64_bytes(-2), int64_bytes(2)}},
      {"JSON", {PhysicalType::kByteArray, 0, converted_type_of(19)}, "[", "{}", {"[]", "{"}, {"1", "{}x"}},
  };
}

TEST(ParquetRanges, DenyTheKeysOutsideByTheOrderOfTheType) {
  for (const Ordered& row : ordered_columns()) {
    SCOPED_TRACE(row.name);
    const auto filter =
        opened_ranges(ranged_file(row.column, {{.statistics = newer_bounds(row.least, row.greatest)}}));
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->parts_without_filter(), 0u);
    EXPECT_EQ(filter->parts_by_range(), 1u);
    EXPECT_FALSE(filter->part_has_filter(0));
    EXPECT_TRUE(filter->forces_maybes());
    EXPECT_EQ(filter->current_fpp(), 1);
    for (const std::string& key : row.inside) {
      EXPECT_TRUE(filter->may_contain(key)) << testing::PrintToString(key);
    }
    for (const std::string& key : row.outside) {
      EXPECT_FALSE(filter->may_contain(key)) << testing::PrintToString(key);
    }
    std::vector<std::string_view> keys(row.inside.begin(), row.inside.end());
    keys.insert(keys.end(), row.outside.begin(), row.outside.end());
    EXPECT_EQ(count_maybes(*filter, keys), row.inside.size());
    std::vector<std::uint64_t> words(1);
    filter->ask_parts(keys, words);
    EXPECT_EQ(words[0], (std::uint64_t{1} << row.inside.size()) - 1);
    std::vector<std::uint64_t> say(1);
    filter->filters_say(keys, say);
    EXPECT_EQ(say[0], 0u) << "no filter said so";
  }
}

// A key of another length than the column's values has no place in their order.
TEST(ParquetRanges, NeverDenyWhatIsNoValue) {
  for (const Ordered& row : ordered_columns()) {
    SCOPED_TRACE(row.name);
    const std::string file = ranged_file(row.column, {{.statistics = newer_bounds(row.least, row.greatest)}});
    const auto filter = opened_ranges(file);
    ASSERT_NE(filter, nullptr);
    const bool is_fixed = row.column.physical != PhysicalType::kByteArray;
    const std::string other = is_fixed ? row.least.substr(0, 1) : "";
    const bool may_be_empty = !is_fixed && row.column.more != decimal_type();
    std::vector<std::uint64_t> words(1);
    const std::string_view view = other;
    filter->ask_parts({&view, 1}, words);
    if (!may_be_empty) {
      EXPECT_TRUE(filter->may_contain(other));
      EXPECT_EQ(words[0], 1u);
    }
  }
}

// --- What is believed ---

struct Doubtful {
  const char* name;
  RangedColumn column;
  std::string statistics;
  Orders orders = orders_of({type_order()});
  std::string of_chunk = {};
};

TEST(ParquetRanges, WhatIsNotCertainDeniesNothing) {
  const RangedColumn int32{PhysicalType::kInt32};
  const RangedColumn bytes{PhysicalType::kByteArray};
  const RangedColumn float64{PhysicalType::kDouble};
  const std::string ints = newer_bounds(int32_bytes(1), int32_bytes(2));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string is_max_shortened = thrift_field(7, kThriftFalse);
  const std::vector<Doubtful> rows = {
      {"no statistics", int32, ""},
      {"no bounds", int32, thrift_number(3, 0)},
      {"upside down", int32, newer_bounds(int32_bytes(2), int32_bytes(1))},
      {"upside down as unsigned",
       {PhysicalType::kInt32, 0, converted_type_of(13)},
       newer_bounds(int32_bytes(-1), int32_bytes(1))},
      {"no orders", int32, ints, std::nullopt},
      {"orders of no column", int32, ints, orders_of({})},
      {"orders of two columns", int32, ints, orders_of({type_order(), type_order()})},
      {"a later order", int32, ints, orders_of({later_order()})},
      {"an order that is no struct", int32, ints, orders_of({thrift_number(1, 1)})},
      {"two orders of one", int32, ints, orders_of({type_order() + later_order()})},
      {"no order", int32, ints, orders_of({""s})},
      {"too short a bound", int32, newer_bounds("\1\0\0"s, int32_bytes(2))},
      {"too long a bound", int32, newer_bounds(int32_bytes(1), int64_bytes(2))},
      {"empty bounds", int32, newer_bounds("", "")},
      {"the generations contradict", int32, ints + older_bounds(int32_bytes(1), int32_bytes(3))},
      {"a shortened number", int32, ints + is_max_shortened},
      {"a least that is NaN", float64, newer_bounds(double_bytes_of(nan), double_bytes_of(1))},
      {"a greatest that is NaN", float64, newer_bounds(double_bytes_of(1), double_bytes_of(-nan))},
      {"older fields of floats", float64, older_bounds(double_bytes_of(1), double_bytes_of(2))},
      {"older fields of bytes", bytes, older_bounds("a", "b")},
      {"older fields of unsigned numbers",
       {PhysicalType::kInt32, 0, converted_type_of(13)},
       older_bounds(int32_bytes(1), int32_bytes(2))},
      {"older fields of decimals in bytes",
       {PhysicalType::kByteArray, 0, decimal_type()},
       older_bounds("\1", "\2")},
      {"bytes up to nothing", bytes, newer_bounds("", "")},
      {"longer bytes than fixed ones", {PhysicalType::kFixedLengthByteArray, 1}, newer_bounds("a", "bb")},
      {"a decimal of another length",
       {PhysicalType::kFixedLengthByteArray, 4, decimal_type()},
       newer_bounds("\1", "\2")},
      {"a decimal of no bytes", {PhysicalType::kByteArray, 0, decimal_type()}, newer_bounds("", "\2")},
      {"a shortened decimal",
       {PhysicalType::kByteArray, 0, decimal_type()},
       newer_bounds("\1", "\2") + is_max_shortened},
      {"INT96", {PhysicalType::kInt96}, newer_bounds(std::string(12, '\1'), std::string(12, '\2'))},
      {"INTERVAL",
       {PhysicalType::kFixedLengthByteArray, 12, converted_type_of(21)},
       newer_bounds(std::string(12, '\1'), std::string(12, '\2'))},
      {"a logical type that is not known", {PhysicalType::kInt32, 0, logical_type_of(99)}, ints},
      {"a logical type that does not fit", {PhysicalType::kInt32, 0, logical_type_of(14)}, ints},
      {"bounds that are numbers", int32, thrift_number(5, 1) + thrift_number(6, 2)},
      {"an encrypted chunk", int32, ints, orders_of({type_order()}), thrift_struct(8, thrift_struct(1, ""))},
      {"a chunk in another file", int32, ints, orders_of({type_order()}), thrift_text(1, "x")},
  };
  for (const Doubtful& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string file =
        ranged_file(row.column, {{.statistics = row.statistics, .of_chunk = row.of_chunk}}, row.orders);
    const auto filter = opened_ranges(file);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->parts_without_filter(), 1u);
    EXPECT_EQ(filter->parts_by_range(), 0u);
    for (const std::string& key :
         {int32_bytes(77), int32_bytes(-77), double_bytes_of(77), std::string(12, 'z'), "z"s}) {
      EXPECT_TRUE(filter->may_contain(key));
    }
    const auto list = list_columns(bytes_of(file));
    ASSERT_TRUE(list) << list.error().to_string();
    EXPECT_EQ(list->columns[0].ranges, 0u);
  }
}

// Before there were orders, every writer compared numbers as signed ones.
TEST(ParquetRanges, OlderFieldsAreBelievedOfSignedNumbers) {
  const std::vector<RangedColumn> columns = {{PhysicalType::kInt32},
                                             {PhysicalType::kInt32, 0, converted_type_of(6)},
                                             {PhysicalType::kInt32, 0, converted_type_of(15)},
                                             {PhysicalType::kInt32, 0, decimal_type()}};
  for (const RangedColumn& column : columns) {
    for (const Orders& orders : {Orders(), orders_of({type_order()}), orders_of({later_order()})}) {
      const auto filter = opened_ranges(
          ranged_file(column, {{.statistics = older_bounds(int32_bytes(-2), int32_bytes(5))}}, orders));
      ASSERT_NE(filter, nullptr);
      EXPECT_EQ(filter->parts_by_range(), 1u);
      EXPECT_TRUE(filter->may_contain(int32_bytes(-2)));
      EXPECT_TRUE(filter->may_contain(int32_bytes(5)));
      EXPECT_FALSE(filter->may_contain(int32_bytes(-3)));
      EXPECT_FALSE(filter->may_contain(int32_bytes(6)));
    }
  }
}

// A writer leaves out a bound that is too long, and shortens others: both stay bounds.
TEST(ParquetRanges, OneBoundAloneAndShortenedBytesAreBelieved) {
  const RangedColumn bytes{PhysicalType::kByteArray, 0, converted_type_of(0)};
  const auto from = opened_ranges(ranged_file(bytes, {{.statistics = thrift_text(6, "m")}}));
  EXPECT_EQ(from->parts_by_range(), 1u);
  EXPECT_FALSE(from->may_contain("l"));
  EXPECT_TRUE(from->may_contain("zzz"));
  const auto to = opened_ranges(ranged_file(
      bytes,
      {{.statistics = thrift_text(5, "m") + thrift_field(7, kThriftFalse) + thrift_field(8, kThriftTrue)}}));
  EXPECT_EQ(to->parts_by_range(), 1u);
  EXPECT_TRUE(to->may_contain("lzzz"));
  EXPECT_FALSE(to->may_contain("mz"));
}

// Some writers lost values that stood beside a NaN, and some compared decimals as bytes.
TEST(ParquetRanges, FloatsAndLongDecimalsAreBelievedOfKnownWritersAlone) {
  const std::string_view known[] = {kArrow, "parquet-cpp-arrow version 5.0.0-SNAPSHOT",
                                    "parquet-mr version 1.13.1 (build x)", "parquet-rs version 10.0.0",
                                    "DuckDB version v1.5.6 (build x)"};
  const std::string_view others[] = {"",
                                     "parquet-cpp version 1.3.2-SNAPSHOT",
                                     "parquet-rs version 9.9.9",
                                     "parquet-rs version ",
                                     "parquet-rs version x.1",
                                     "github.com/parquet-go/parquet-go version 0.23",
                                     "Polars",
                                     "impala version 2.9.0",
                                     "xparquet-mr version 1.13.1"};
  const auto ranges = [](const RangedColumn& column, const std::string& statistics, std::string_view writer) {
    const std::string file =
        ranged_file(column, {{.statistics = statistics}}, orders_of({type_order()}), std::string(writer));
    return opened_ranges(file)->parts_by_range();
  };
  const std::string decimals = newer_bounds("\1", "\1\2");
  const std::string floats = newer_bounds(double_bytes_of(1), double_bytes_of(2));
  for (const std::string_view writer : known) {
    EXPECT_EQ(ranges({PhysicalType::kDouble}, floats, writer), 1u) << writer;
    EXPECT_EQ(ranges({PhysicalType::kByteArray, 0, decimal_type()}, decimals, writer), 1u) << writer;
  }
  for (const std::string_view writer : others) {
    EXPECT_EQ(ranges({PhysicalType::kDouble}, floats, writer), 0u) << writer;
    EXPECT_EQ(ranges({PhysicalType::kByteArray, 0, decimal_type()}, decimals, writer), 0u) << writer;
    EXPECT_EQ(ranges({PhysicalType::kInt64}, newer_bounds(int64_bytes(1), int64_bytes(2)), writer), 1u)
        << writer;
    EXPECT_EQ(ranges({PhysicalType::kByteArray}, newer_bounds("a", "b"), writer), 1u) << writer;
  }
}

// --- Several row groups ---

TEST(ParquetRanges, ARowGroupWithAFilterIsAskedByItAlone) {
  const std::vector<std::string_view> filtered = {"key000001", "zzz"};
  const auto made = built("parquet", {.capacity = 10, .fpp = 1e-6, .bits_per_key = {}}, filtered);
  const std::string filter_bytes = written(**made);
  const RangedColumn bytes{PhysicalType::kByteArray};
  const std::string file = ranged_file(bytes, {{.statistics = newer_bounds("a", "b"), .filter = filter_bytes},
                                               {.statistics = newer_bounds("m", "n")},
                                               {.statistics = ""},
                                               {.statistics = newer_bounds("key", "l")}});
  const auto filter = opened_ranges(file);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->part_count(), 4u);
  EXPECT_EQ(filter->parts_by_range(), 2u);
  EXPECT_EQ(filter->parts_without_filter(), 1u);
  EXPECT_TRUE(filter->part_has_filter(0));
  EXPECT_FALSE(filter->part_has_filter(1));
  EXPECT_FALSE(filter->part_has_filter(3));
  const std::vector<std::string_view> keys = {"key000001", "zzz", "mm", "aa"};
  std::vector<std::uint64_t> words(4);
  filter->ask_parts(keys, words);
  EXPECT_EQ(words, (std::vector<std::uint64_t>{0b0011, 0b0100, 0b1111, 0b0001}));
  EXPECT_TRUE(filter->may_contain("nowhere"));
  const auto more = filter->facts().more;
  using Fact = std::pair<std::string, std::string>;
  EXPECT_NE(std::ranges::find(more, Fact("row groups without a filter", "3")), more.end());
  EXPECT_NE(std::ranges::find(more, Fact("of these with a range of values", "2")), more.end());
  const auto second = opened_ranges(file, "parquet:k,1");
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(second->may_contain("mm"));
  EXPECT_FALSE(second->may_contain("zzz"));
  const auto list = list_columns(bytes_of(file));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->columns[0].filters, 1u);
  EXPECT_EQ(list->columns[0].ranges, 2u);
  // Whoever wants filters is told of the first row group without one, as before.
  EXPECT_EQ(view_dialect(bytes_of(file), "parquet:k").error().code(), ErrorCode::kUnsupported);
}

TEST(ParquetRanges, TakeMemoryThatIsCounted) {
  const RangedGroup group{.statistics = newer_bounds(int32_bytes(1), int32_bytes(2))};
  const std::string file = ranged_file({PhysicalType::kInt32}, std::vector<RangedGroup>(14, group));
  const auto opened = [&](std::uint64_t bytes) {
    return ColumnFilters::open(bytes_of(file), "k", std::make_shared<MemoryBudget>(bytes),
                               MissingFilters::kAnyKey);
  };
  EXPECT_TRUE(opened(1 << 16));
  const auto refused = opened(256);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
}

// --- What Arrow wrote ---

// The columns of arrow_types, without filters and with statistics: two row groups of 12 rows.
TEST(ParquetRanges, NoValueThatArrowWroteIsDeniedAndMostOthersAre) {
  constexpr std::size_t kRows = 24;
  const std::string file = golden_file("parquet/arrow_ranges.parquet");
  std::map<std::string, std::vector<std::string>> texts;
  std::istringstream lines(golden_file("parquet/arrow_types.keys"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    texts[line.substr(0, tab)].push_back(line.substr(tab + 1));
  }
  EXPECT_EQ(texts.size(), 38u);
  std::size_t denied = 0;
  std::size_t asked = 0;
  for (const auto& [column, values] : texts) {
    SCOPED_TRACE(column);
    const auto filter = opened_ranges(file, "parquet:" + column);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->parts_by_range(), 2u);
    EXPECT_EQ(filter->parts_without_filter(), 0u);
    for (std::size_t i = 0; i < values.size(); ++i) {
      KeyWriter writer;
      if (filter->key_type() != nullptr) {
        ASSERT_TRUE(filter->key_type()->append(writer, values[i])) << values[i];
      }
      const std::string key = filter->key_type() == nullptr ? values[i] : text_of(writer.bytes());
      const std::string_view view = key;
      EXPECT_TRUE(filter->may_contain(key)) << values[i];
      std::vector<std::uint64_t> words(2);
      filter->ask_parts({&view, 1}, words);
      EXPECT_TRUE(words[0] == 1 || words[1] == 1) << values[i];
      if (values.size() == kRows) {  // else a row has no value, or several
        EXPECT_EQ(words[i / (kRows / 2)], 1u) << values[i];
      }
      denied += (words[0] == 0 ? 1U : 0U) + (words[1] == 0 ? 1U : 0U);
      ++asked;
    }
  }
  EXPECT_GT(denied, asked / 2) << "of two row groups, mostly one has the value";
  const auto list = list_columns(bytes_of(file));
  ASSERT_TRUE(list) << list.error().to_string();
  for (const ListedColumn& column : list->columns) {
    EXPECT_EQ(column.filters, 0u) << column.path;
    EXPECT_EQ(column.ranges, column.path == "bool" ? 0u : 2u) << column.path;
  }
  const auto numbers = opened_ranges(file, "parquet:bare");
  EXPECT_FALSE(numbers->may_contain(int32_bytes(24)));
  EXPECT_FALSE(numbers->may_contain(int32_bytes(-1)));
}

// --- Properties ---

// Whatever values a row group has: none of them is outside of the range that they make.
TEST(ParquetRanges, NoValueIsOutsideOfItsOwnRange) {
  constexpr std::uint64_t kSeed = 20261126;
  std::mt19937_64 random(kSeed);
  const LogicalType decimal{.kind = LogicalKind::kDecimal, .precision = 18, .scale = 2};
  const ColumnType of_bytes{.physical = PhysicalType::kByteArray, .logical = decimal};
  std::uint64_t denied = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    const auto any = [&] {
      const auto bits = static_cast<int>(random() % 63);
      return static_cast<std::int64_t>(random()) >> bits;
    };
    std::vector<std::int64_t> values(1 + random() % 5);
    std::ranges::generate(values, any);
    const auto [least, greatest] = std::ranges::minmax(values);
    const auto bytes = [&](std::int64_t value) { return decimal_bytes(value, 8 + random() % 9); };
    const std::string low = bytes(least);
    const std::string high = bytes(greatest);
    const std::string low64 = int64_bytes(least);
    const std::string high64 = int64_bytes(greatest);
    const auto range =
        certain_range(of_bytes, {.max_value = high, .min_value = low}, ColumnOrder::kOfAllTypes);
    const ColumnType int64{.physical = PhysicalType::kInt64};
    const auto range64 =
        certain_range(int64, {.max_value = high64, .min_value = low64}, ColumnOrder::kOfAllTypes);
    ASSERT_TRUE(range);
    ASSERT_TRUE(range64);
    for (int i = 0; i < 20; ++i) {
      const std::int64_t key = i < 5 ? values[static_cast<std::size_t>(i) % values.size()] : any();
      const bool is_in = least <= key && key <= greatest;
      EXPECT_EQ(is_outside(of_bytes, *range, bytes(key)), !is_in) << key;
      EXPECT_EQ(is_outside(int64, *range64, int64_bytes(key)), !is_in) << key;
      denied += std::uint64_t{!is_in};
    }
  }
  EXPECT_GT(denied, 1000u);
}

TEST(ParquetRanges, FloatsAreOrderedAsNumbers) {
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  const ColumnType type{.physical = PhysicalType::kDouble};
  const auto any = [&] {
    return random() % 2 == 0 ? std::bit_cast<double>(random())
                             : static_cast<double>(static_cast<int>(random() % 5)) - 2;
  };
  for (int i = 0; i < 20'000; ++i) {
    const double a = any();
    const double b = any();
    const double key = any();
    const std::string low = double_bytes_of(std::min(a, b));
    const std::string high = double_bytes_of(std::max(a, b));
    const auto range = certain_range(type, {.max_value = high, .min_value = low}, ColumnOrder::kOfAllTypes);
    if (std::isnan(std::min(a, b)) || std::isnan(std::max(a, b))) {
      EXPECT_FALSE(range);
      continue;
    }
    ASSERT_TRUE(range);
    const bool is_outside_of_it = key < std::min(a, b) || key > std::max(a, b);
    EXPECT_EQ(is_outside(type, *range, double_bytes_of(key)), is_outside_of_it)
        << a << " " << b << " " << key;
  }
}

// --- Foreign footers ---

// Writers had fields of their own under numbers that the format took later. Thrift's readers skip them.
TEST(ParquetForeign, OptionalFieldsOfAnotherThriftTypeAreSkipped) {
  const std::string list = thrift_field(15, kThriftList) + "\x15\2"s;
  const std::string metadata = thrift_number(1, 1, kThriftInt32) + thrift_field(3, kThriftList) + "\x18\1k" +
                               thrift_number(5, 10) + thrift_text(11, "x") + thrift_number(12, 1) +
                               thrift_text(14, "x") + list;
  const std::string chunk = thrift_struct(3, metadata) + thrift_text(4, "x") + thrift_number(5, 1) +
                            thrift_text(6, "x") + thrift_struct(7, "");
  const std::string leaf = thrift_number(1, 1, kThriftInt32) + thrift_text(4, "k");
  const auto file_with = [&](const std::string& orders) {
    const std::string footer =
        thrift_list(2, {thrift_text(4, "root") + thrift_number(5, 1, kThriftInt32), leaf}) +
        thrift_number(3, 10) + thrift_list(4, {thrift_list(1, {chunk}) + thrift_number(3, 10)}) + orders +
        '\0';
    return "PAR1" + footer + little_endian(static_cast<std::uint32_t>(footer.size())) + "PAR1";
  };
  for (const std::string& orders : {""s, thrift_number(7, 1), thrift_field(7, kThriftList) + "\x15\2"s}) {
    const std::string file = file_with(orders);
    const auto list_read = list_columns(bytes_of(file));
    ASSERT_TRUE(list_read) << list_read.error().to_string();
    EXPECT_EQ(list_read->columns[0].filters, 0u);
    const auto filter = opened_ranges(file);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->parts_without_filter(), 1u) << "a place that cannot be read is no filter";
    EXPECT_TRUE(filter->may_contain(int32_bytes(7)));
  }
}

// A text must not be read by the physical type where the logical one is stated in a way that is not known.
TEST(ParquetForeign, LogicalTypesOfALaterVersionHaveNoText) {
  const std::string flag = thrift_field(1, kThriftTrue);
  const std::string picos = thrift_struct(2, thrift_struct(4, ""));
  const std::string micros = thrift_struct(2, thrift_struct(2, ""));
  const std::string scale = thrift_number(1, 2, kThriftInt32);
  const std::string precision = thrift_number(2, 9, kThriftInt32);
  const std::vector<std::string> statements = {
      logical_type_of(99),
      logical_type_of(8, flag + picos),
      logical_type_of(8, flag + micros + thrift_number(3, 1)),
      logical_type_of(8, flag + thrift_number(2, 1)),
      logical_type_of(5, scale + precision + thrift_number(3, 1)),
      logical_type_of(5, thrift_number(1, 2) + precision),
      logical_type_of(10, thrift_number(1, 8, kThriftInt32) + thrift_field(2, kThriftTrue)),
      converted_type_of(99),
      thrift_text(6, "x"),
      thrift_text(10, "x"),
      decimal_type() + thrift_text(9, "x") + thrift_text(10, "x"),
      converted_type_of(5) + thrift_number(7, 2) + thrift_number(8, 9, kThriftInt32),
  };
  for (const std::string& statement : statements) {
    for (const PhysicalType physical : {PhysicalType::kInt64, PhysicalType::kByteArray}) {
      const std::string file = ranged_file({physical, 0, statement}, {{.statistics = ""}});
      const auto list = list_columns(bytes_of(file));
      ASSERT_TRUE(list) << list.error().to_string();
      EXPECT_EQ(list->columns[0].type.logical.kind, LogicalKind::kOther) << testing::PrintToString(statement);
      const auto filter = opened_ranges(file);
      ASSERT_NE(filter, nullptr);
      ASSERT_NE(filter->key_type(), nullptr);
      KeyWriter writer;
      EXPECT_FALSE(filter->key_type()->append(writer, "1"));
      EXPECT_TRUE(filter->key_type()->takes(KeyForm::kHex));
    }
  }
}

TEST(ParquetForeign, APhysicalTypeOfALaterVersionIsNoDamage) {
  const std::string file = ranged_file({static_cast<PhysicalType>(8)}, {{.statistics = ""}});
  const auto list = list_columns(bytes_of(file));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(list.error().to_string().find("a later version"), std::string::npos) << list.error().to_string();
  const auto filter = view_dialect(bytes_of(file), "parquet:k", {}, MissingFilters::kAnyKey);
  EXPECT_EQ(filter.error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(list_columns(bytes_of(ranged_file({static_cast<PhysicalType>(-1)}, {{.statistics = ""}})))
                .error()
                .code(),
            ErrorCode::kCorruption);
}

// Fields, members and structs that nobody knows yet, at every place where this reader looks.
TEST(ParquetForeign, UnknownFieldsAreSkippedEverywhere) {
  const std::string foreign = thrift_struct(77, thrift_text(1, "x") + thrift_list(2, {"", ""}));
  const std::string file = ranged_file(
      {PhysicalType::kInt32, 0, converted_type_of(17) + foreign},
      {{.statistics = newer_bounds(int32_bytes(1), int32_bytes(2)) + foreign, .of_chunk = foreign}});
  const auto filter = opened_ranges(file);
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain(int32_bytes(2)));
  EXPECT_FALSE(filter->may_contain(int32_bytes(3)));
}

}  // namespace
}  // namespace bloomery::parquet
