// Columns of Parquet files by their types: every value that Arrow wrote is found by its text; texts that are no
// value are refused; values with several spellings are asked in all of them. Files damaged in every byte.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "base/memory_budget.h"
#include "codec/calendar_text.h"
#include "codec/parquet/column_filters.h"
#include "codec/parquet/column_list.h"
#include "codec/parquet/column_text.h"
#include "codec/parquet/equal_values.h"
#include "codec/parquet/half_float.h"
#include "codec/parquet/schema.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"
#include "tests/codec/thrift_bytes.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kArrowFiles[] = {"arrow_types", "arrow_integers", "arrow_int96"};

std::string value_digits(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::string bytes_of_digits(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// The bytes of a text as hexadecimal digits, or the error.
std::string text_value(const ColumnType& type, std::string_view text) {
  const auto values = ColumnText::of(type);
  KeyWriter writer;
  if (values == nullptr) {
    return "as it is";
  }
  const Status appended = values->append(writer, text);
  return appended ? value_digits(writer.bytes()) : appended.error().to_string();
}

bool is_refused(const ColumnType& type, std::string_view text) {
  const std::string value = text_value(type, text);
  return value.find("expected ") != std::string::npos &&
         value.find("(invalid argument)") != std::string::npos;
}

// The columns and texts of a golden file.
std::vector<std::pair<std::string, std::string>> golden_keys(const std::string& stem) {
  std::vector<std::pair<std::string, std::string>> keys;
  std::istringstream lines(golden_file("parquet/" + stem + ".keys"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    keys.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  EXPECT_FALSE(keys.empty());
  return keys;
}

Result<std::unique_ptr<DialectFilter>> opened_column(const std::string& file, const std::string& column,
                                                     MissingFilters missing = MissingFilters::kAnyKey) {
  return view_dialect(std::as_bytes(std::span(file)), "parquet:" + column, {}, missing);
}

// The key bytes that the column makes of a text. Fails the test if it refuses the text.
std::string key_of(const DialectFilter& filter, const std::string& text) {
  const auto values = filter.key_type();
  if (values == nullptr) {
    return text;
  }
  KeyWriter writer;
  const Status appended = values->append(writer, text);
  EXPECT_TRUE(appended) << appended.error().to_string();
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

// --- What Arrow wrote ---

TEST(ParquetTypes, EveryValueThatArrowWroteIsFoundByItsText) {
  for (const char* const stem : kArrowFiles) {
    const std::string file = golden_file("parquet/" + std::string(stem) + ".parquet");
    std::size_t found = 0;
    for (const auto& [column, text] : golden_keys(stem)) {
      const auto filter = opened_column(file, column);
      ASSERT_TRUE(filter) << column << ": " << filter.error().to_string();
      const std::string key = key_of(**filter, text);
      EXPECT_TRUE((*filter)->may_contain(key)) << stem << " " << column << " " << text;
      std::vector<std::uint64_t> words((*filter)->part_count());
      const std::string_view view = key;
      (*filter)->ask_parts({&view, 1}, words);
      EXPECT_TRUE(words[0] == 1 || words[1] == 1) << stem << " " << column << " " << text;
      ++found;
    }
    EXPECT_GT(found, 40u);
  }
}

// So that a test that finds everything is not one that answers maybe to all.
TEST(ParquetTypes, WhatArrowDidNotWriteIsMostlyDenied) {
  const std::string file = golden_file("parquet/arrow_types.parquet");
  struct Case {
    const char* column;
    std::function<std::string(int)> text;
  };
  const Case cases[] = {
      {"int64", [](int i) { return std::to_string(1'000'000 + i); }},
      {"uint32", [](int i) { return std::to_string(1'000'000 + i); }},
      {"float64", [](int i) { return std::to_string(1000 + i); }},
      {"decimal38", [](int i) { return std::to_string(i) + ".5"; }},
      {"zoned_us",
       [](int i) {
         return "2050-01-" + std::to_string(10 + i % 20) + " 00:00:" + std::to_string(10 + i / 20);
       }},
      {"uuid", [](int i) { return "00000000-0000-0000-0000-00000000" + std::to_string(1000 + i); }},
      {"group.x", [](int i) { return std::to_string(1000 + i); }},
  };
  for (const Case& row : cases) {
    const auto filter = opened_column(file, row.column);
    ASSERT_TRUE(filter);
    int maybes = 0;
    for (int i = 0; i < 200; ++i) {
      maybes += (*filter)->may_contain(key_of(**filter, row.text(i))) ? 1 : 0;
    }
    EXPECT_LT(maybes, 5) << row.column;
  }
}

TEST(ParquetTypes, TheTypesAreThoseThatArrowStated) {
  const std::string file = golden_file("parquet/arrow_types.parquet");
  const auto list = list_columns(std::as_bytes(std::span(file)));
  ASSERT_TRUE(list) << list.error().to_string();
  std::map<std::string, std::string> types;
  for (const ListedColumn& column : list->columns) {
    types[column.path] = type_name(column.type);
    const bool bare = column.path == "bool" || column.path == "bare";
    EXPECT_EQ(column.filters, bare ? 0u : 2u) << column.path;
    EXPECT_EQ(column.filter_bytes == 0, bare) << column.path;
  }
  EXPECT_EQ(list->row_groups, 2u);
  EXPECT_EQ(list->rows, 24u);
  EXPECT_EQ(types["int8"], "INT(8, signed) of INT32");
  EXPECT_EQ(types["uint64"], "INT(64, unsigned) of INT64");
  EXPECT_EQ(types["int64"], "INT64");
  EXPECT_EQ(types["float16"], "FLOAT16 of FIXED_LEN_BYTE_ARRAY(2)");
  EXPECT_EQ(types["decimal76"], "DECIMAL(76, 20) of FIXED_LEN_BYTE_ARRAY(32)");
  EXPECT_EQ(types["date"], "DATE of INT32");
  EXPECT_EQ(types["time_ms"], "TIME(MILLIS, local) of INT32");
  EXPECT_EQ(types["local_us"], "TIMESTAMP(MICROS, local) of INT64");
  EXPECT_EQ(types["zoned_ns"], "TIMESTAMP(NANOS, UTC) of INT64");
  EXPECT_EQ(types["uuid"], "UUID of FIXED_LEN_BYTE_ARRAY(16)");
  EXPECT_EQ(types["string"], "STRING of BYTE_ARRAY");
  EXPECT_EQ(types["binary"], "BYTE_ARRAY");
  EXPECT_EQ(types["list.list.element"], "INT64");
  EXPECT_EQ(types["group.y.z"], "STRING of BYTE_ARRAY");
  EXPECT_EQ(types["map.key_value.value"], "DOUBLE");
  const std::string integers = golden_file("parquet/arrow_integers.parquet");
  const auto stored = list_columns(std::as_bytes(std::span(integers)));
  EXPECT_EQ(type_name(stored->columns[0].type), "DECIMAL(7, 2) of INT32");
  EXPECT_EQ(type_name(stored->columns[1].type), "DECIMAL(16, 4) of INT64");
}

// --- Texts ---

TEST(ParquetTypes, WholeNumbersKeepToTheRangeOfTheirType) {
  const auto type = [](int bits, bool is_signed) {
    return ColumnType{.physical = bits == 64 ? PhysicalType::kInt64 : PhysicalType::kInt32,
                      .logical = {.kind = LogicalKind::kInteger, .bit_width = bits, .is_signed = is_signed}};
  };
  EXPECT_EQ(text_value(type(8, true), "-128"), "80ffffff");
  EXPECT_EQ(text_value(type(8, false), "255"), "ff000000");
  EXPECT_EQ(text_value(type(16, true), "32767"), "ff7f0000");
  EXPECT_EQ(text_value(type(32, false), "4294967295"), "ffffffff");
  EXPECT_EQ(text_value(type(64, false), "18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(text_value(type(64, true), "-9223372036854775808"), "0000000000000080");
  EXPECT_EQ(text_value({.physical = PhysicalType::kInt32}, "-2147483648"), "00000080");
  for (const char* const text :
       {"-129", "128", "", "+1", " 1", "1 ", "1.0", "0x1", "1e2", "99999999999999999999"}) {
    EXPECT_TRUE(is_refused(type(8, true), text)) << text;
  }
  EXPECT_TRUE(is_refused(type(8, false), "256"));
  EXPECT_TRUE(is_refused(type(8, false), "-1"));
  EXPECT_TRUE(is_refused(type(16, true), "32768"));
  EXPECT_TRUE(is_refused(type(16, false), "65536"));
  EXPECT_TRUE(is_refused(type(32, true), "2147483648"));
  EXPECT_TRUE(is_refused(type(32, false), "4294967296"));
  EXPECT_TRUE(is_refused(type(64, true), "9223372036854775808"));
  EXPECT_TRUE(is_refused(type(64, false), "18446744073709551616"));
}

TEST(ParquetTypes, FloatsAreTheNearestValueInTheRangeOfTheirType) {
  const ColumnType single{.physical = PhysicalType::kFloat};
  const ColumnType whole{.physical = PhysicalType::kDouble};
  const ColumnType half{.physical = PhysicalType::kFixedLengthByteArray,
                        .length = 2,
                        .logical = {.kind = LogicalKind::kFloat16}};
  EXPECT_EQ(text_value(single, "0.1"), "cdcccc3d");
  EXPECT_EQ(text_value(single, "-1.5e3"), "0080bbc4");
  EXPECT_EQ(text_value(single, "1e-45"), "01000000");
  EXPECT_EQ(text_value(whole, "0.1"), "9a9999999999b93f");
  EXPECT_EQ(text_value(whole, "inf"), "000000000000f07f");
  EXPECT_EQ(text_value(whole, "5e-324"), "0100000000000000");
  EXPECT_EQ(text_value(half, "65504"), "ff7b");
  EXPECT_EQ(text_value(half, "-2"), "00c0");
  EXPECT_EQ(text_value(half, "0.0000000596046448"), "0100");
  EXPECT_EQ(text_value(half, "0.00006103515625"), "0004");
  EXPECT_EQ(text_value(half, "2049"), "0068");    // a tie: to the even one, 2048
  EXPECT_EQ(text_value(half, "1023.9"), "0064");  // rounding carries into the exponent
  EXPECT_EQ(text_value(half, "-inf"), "00fc");
  for (const char* const text : {"", "1,5", "+1", "0x1p3", " 1", "1 ", "nan(1)", "1e", "one"}) {
    EXPECT_TRUE(is_refused(single, text)) << text;
    EXPECT_TRUE(is_refused(whole, text)) << text;
    EXPECT_TRUE(is_refused(half, text)) << text;
  }
  EXPECT_TRUE(is_refused(single, "1e39"));
  EXPECT_TRUE(is_refused(single, "1e-60"));
  EXPECT_TRUE(is_refused(whole, "1e400"));
  EXPECT_TRUE(is_refused(half, "65520"));
  EXPECT_TRUE(is_refused(half, "1e-9"));
}

TEST(ParquetTypes, DecimalsAreExact) {
  const auto type = [](PhysicalType physical, std::int32_t precision, std::int32_t scale,
                       std::int32_t length = 0) {
    return ColumnType{.physical = physical,
                      .length = length,
                      .logical = {.kind = LogicalKind::kDecimal, .precision = precision, .scale = scale}};
  };
  const ColumnType small = type(PhysicalType::kInt32, 7, 2);
  EXPECT_EQ(text_value(small, "1.25"), "7d000000");
  EXPECT_EQ(text_value(small, "1.2500"), "7d000000");
  EXPECT_EQ(text_value(small, "1.2"), "78000000");
  EXPECT_EQ(text_value(small, "0001"), "64000000");
  EXPECT_EQ(text_value(small, "-0.01"), "ffffffff");
  EXPECT_EQ(text_value(small, "-0"), "00000000");
  EXPECT_EQ(text_value(small, "99999.99"), "7f969800");
  for (const char* const text :
       {"", "-", ".5", "5.", "1.255", "100000", "1e2", "+1", "1,5", "1.2.3", " 1", "--1"}) {
    EXPECT_TRUE(is_refused(small, text)) << text;
  }
  EXPECT_EQ(text_value(type(PhysicalType::kInt64, 18, 0), "-999999999999999999"), "01009c584c491ff2");
  EXPECT_EQ(text_value(type(PhysicalType::kFixedLengthByteArray, 7, 2, 4), "-1.00"), "ffffff9c");
  EXPECT_EQ(text_value(type(PhysicalType::kFixedLengthByteArray, 38, 0, 16),
                       "99999999999999999999999999999999999999"),
            "4b3b4ca85a86c47a098a223fffffffff");
  EXPECT_TRUE(is_refused(type(PhysicalType::kFixedLengthByteArray, 7, 0, 2), "40000"))
      << "two bytes hold less";
  const ColumnType any = type(PhysicalType::kByteArray, 20, 0);
  EXPECT_EQ(text_value(any, "127"), "7f");
  EXPECT_EQ(text_value(any, "128"), "0080");
  EXPECT_EQ(text_value(any, "-128"), "80");
  EXPECT_EQ(text_value(any, "-129"), "ff7f");
  EXPECT_EQ(text_value(any, "0"), "00");
  // A scale above the precision, a precision without digits: no decimal of this column can be told.
  EXPECT_EQ(checked(type(PhysicalType::kInt32, 2, 3)).logical.kind, LogicalKind::kOther);
  EXPECT_EQ(checked(type(PhysicalType::kInt32, 0, 0)).logical.kind, LogicalKind::kOther);
  EXPECT_EQ(checked(type(PhysicalType::kFloat, 7, 2)).logical.kind, LogicalKind::kOther);
  EXPECT_EQ(checked(type(PhysicalType::kByteArray, kMostPrecision + 1, 0)).logical.kind, LogicalKind::kOther);
  // A few bytes of a file must not make each key take megabytes.
  const auto fixed = [&](std::int32_t bytes) {
    return checked(type(PhysicalType::kFixedLengthByteArray, 7, 2, bytes)).logical.kind;
  };
  EXPECT_EQ(fixed(kMostDecimalBytes), LogicalKind::kDecimal);
  EXPECT_EQ(fixed(kMostDecimalBytes + 1), LogicalKind::kOther);
}

TEST(ParquetTypes, DatesAreGregorianDays) {
  const ColumnType type{.physical = PhysicalType::kInt32, .logical = {.kind = LogicalKind::kDate}};
  EXPECT_EQ(text_value(type, "1970-01-01"), "00000000");
  EXPECT_EQ(text_value(type, "1969-12-31"), "ffffffff");
  EXPECT_EQ(date_from_text("2000-03-01", DateText::kAnyYear), 11017);
  EXPECT_EQ(date_from_text("0001-01-01", DateText::kAnyYear), -719162);
  EXPECT_EQ(date_from_text("0000-02-29", DateText::kAnyYear), -719469);
  EXPECT_EQ(date_from_text("-0001-12-31", DateText::kAnyYear), -719529);
  EXPECT_EQ(date_from_text("9999-12-31", DateText::kAnyYear), 2932896);
  EXPECT_EQ(date_from_text("+12345-01-01", DateText::kAnyYear), 3789391);
  for (const char* const text :
       {"", "1970-1-1", "1970-13-01", "1970-00-01", "1970-01-00", "1970-01-32", "1971-02-29", "1900-02-29",
        "70-01-01", "1970-01-01 ", "1970-01-01T00:00:00", "1970/01/01", "9999999-01-01", "12345678-01-01"}) {
    EXPECT_TRUE(is_refused(type, text)) << text;
  }
}

TEST(ParquetTypes, EveryDayOfSomeCenturiesFollowsTheOneBefore) {
  std::int64_t expected = *date_from_text("1599-12-31", DateText::kAnyYear);
  for (int year = 1600; year < 2101; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= 31; ++day) {
        char text[32];
        std::snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
        if (const auto days = date_from_text(text, DateText::kAnyYear)) {
          ASSERT_EQ(*days, ++expected) << text;
        }
      }
    }
  }
}

TEST(ParquetTypes, TimesAndTimestampsAreExactInTheirUnit) {
  const auto type = [](LogicalKind kind, TimeUnit unit, bool is_utc) {
    const bool small = kind == LogicalKind::kTime && unit == TimeUnit::kMillis;
    return ColumnType{.physical = small ? PhysicalType::kInt32 : PhysicalType::kInt64,
                      .logical = {.kind = kind, .unit = unit, .is_utc = is_utc}};
  };
  const ColumnType time = type(LogicalKind::kTime, TimeUnit::kMillis, false);
  EXPECT_EQ(text_value(time, "00:00:01.5"), "dc050000");
  EXPECT_EQ(text_value(time, "00:00:01.500000"), "dc050000");
  EXPECT_EQ(text_value(time, "23:59:59.999"), "ff5b2605");
  for (const char* const text : {"24:00:00", "00:60:00", "00:00:60", "0:00:00", "00:00", "00:00:01.",
                                 "00:00:01.0005", "00:00:01Z", "00:00:01 ", ""}) {
    EXPECT_TRUE(is_refused(time, text)) << text;
  }
  const ColumnType utc_time = type(LogicalKind::kTime, TimeUnit::kMicros, true);
  EXPECT_EQ(text_value(utc_time, "01:00:00+02:00"), text_value(utc_time, "23:00:00"));
  EXPECT_EQ(text_value(utc_time, "23:00:00-0200"), text_value(utc_time, "01:00:00Z"));

  const ColumnType local = type(LogicalKind::kTimestamp, TimeUnit::kMicros, false);
  EXPECT_EQ(text_value(local, "1970-01-01T00:00:01.000002"), "42420f0000000000");
  EXPECT_EQ(text_value(local, "1969-12-31 23:59:59.999999"), "ffffffffffffffff");
  EXPECT_TRUE(is_refused(local, "1970-01-01T00:00:01Z")) << "it has no zone";
  EXPECT_TRUE(is_refused(local, "1970-01-01"));
  EXPECT_TRUE(is_refused(local, "1970-01-01T00:00:01.0000005"));
  EXPECT_TRUE(is_refused(local, "1970-01-01  00:00:01"));
  const ColumnType zoned = type(LogicalKind::kTimestamp, TimeUnit::kNanos, true);
  for (const char* const text :
       {"2024-02-29T12:00:00Z", "2024-02-29 12:00:00", "2024-02-29T13:00:00+01:00", "2024-02-29t13:00:00 +01",
        "2024-02-29 06:30:00-0530", "2024-03-01T01:00:00.000+13:00"}) {
    EXPECT_EQ(text_value(zoned, text), "008041c79e53b817") << text;
  }
  EXPECT_EQ(text_value(zoned, "2262-04-11T23:47:16.854775807"), "ffffffffffffff7f");
  EXPECT_EQ(text_value(zoned, "1677-09-21T00:12:43.145224192"), "0000000000000080");
  for (const char* const text :
       {"2262-04-11T23:47:16.854775808", "1677-09-21T00:12:43.145224191", "2024-02-29T12:00:00+1",
        "2024-02-29T12:00:00+24:00", "2024-02-29T12:00:00 +01:0", "2024-02-29T12:00:00Zz",
        "2024-02-29T12:00:00+01:60", "2024-02-29T12:00:00+19:00", "2024-02-29T12:00:00.0000000000",
        "2024-02-29T12:00Z", "2024-02-29Z"}) {
    EXPECT_TRUE(is_refused(zoned, text)) << text;
  }
  const ColumnType old{.physical = PhysicalType::kInt96};
  EXPECT_EQ(text_value(old, "1970-01-01T00:00:00.000000001"), "01000000000000008c3d2500");
  EXPECT_EQ(text_value(old, "1970-01-01T00:00:00+01:00"), text_value(old, "1969-12-31 23:00:00"));
}

TEST(ParquetTypes, UuidsAndFixedBytesHaveTheirLength) {
  const ColumnType uuid{
      .physical = PhysicalType::kFixedLengthByteArray, .length = 16, .logical = {.kind = LogicalKind::kUuid}};
  const char* const value = "00112233445566778899aabbccddeeff";
  EXPECT_EQ(text_value(uuid, "00112233-4455-6677-8899-AABBCCDDEEFF"), value);
  EXPECT_EQ(text_value(uuid, value), value);
  for (const char* const text :
       {"", "00112233-4455-6677-8899-AABBCCDDEEF", "0011223344556677-8899-AABBCCDDEEFF00",
        "{00112233-4455-6677-8899-AABBCCDDEEFF}", "g0112233445566778899aabbccddeeff", "0123456789abcdef"}) {
    EXPECT_TRUE(is_refused(uuid, text)) << text;
  }
  const ColumnType fixed{.physical = PhysicalType::kFixedLengthByteArray, .length = 3};
  EXPECT_EQ(text_value(fixed, "abc"), "616263");
  EXPECT_TRUE(is_refused(fixed, "616263"));
  EXPECT_EQ(text_value({.physical = PhysicalType::kByteArray}, "abc"), "as it is");
  const auto text = ColumnText::of(fixed);
  EXPECT_TRUE(text->check(std::as_bytes(std::span("abc", 3))));
  EXPECT_FALSE(text->check(std::as_bytes(std::span("abcd", 4))));
}

TEST(ParquetTypes, FormsThatCannotMakeSuchValuesAreNotTaken) {
  const auto takes = [](PhysicalType physical, KeyForm form) {
    return ColumnText({.physical = physical}).takes(form);
  };
  EXPECT_TRUE(takes(PhysicalType::kInt32, KeyForm::kInt32));
  EXPECT_TRUE(takes(PhysicalType::kInt64, KeyForm::kInt64));
  EXPECT_TRUE(takes(PhysicalType::kInt64, KeyForm::kHex));
  EXPECT_FALSE(takes(PhysicalType::kInt64, KeyForm::kInt32));
  EXPECT_FALSE(takes(PhysicalType::kInt64, KeyForm::kText));
  EXPECT_FALSE(takes(PhysicalType::kFloat, KeyForm::kInt32));
  EXPECT_FALSE(takes(PhysicalType::kDouble, KeyForm::kInt64));
  // No text, but bytes.
  const ColumnType other{.physical = PhysicalType::kInt32, .logical = {.kind = LogicalKind::kOther}};
  EXPECT_TRUE(is_refused(other, "1"));
  EXPECT_TRUE(ColumnText(other).takes(KeyForm::kHex));
}

// --- Spellings ---

std::vector<std::string> equals(const ColumnType& type, std::string_view digits) {
  std::vector<std::string> others;
  append_equal_values(type, bytes_of_digits(digits), others);
  std::vector<std::string> shown;
  for (const std::string& other : others) {
    shown.push_back(value_digits(std::as_bytes(std::span(other))));
  }
  return shown;
}

TEST(ParquetTypes, EqualValuesAreAllSpelled) {
  using Shown = std::vector<std::string>;
  EXPECT_EQ(equals({.physical = PhysicalType::kFloat}, "00000000"), Shown{"00000080"});
  EXPECT_EQ(equals({.physical = PhysicalType::kFloat}, "00000080"), Shown{"00000000"});
  EXPECT_EQ(equals({.physical = PhysicalType::kFloat}, "0000803f"), Shown{});
  EXPECT_EQ(equals({.physical = PhysicalType::kDouble}, "0000000000000000"), Shown{"0000000000000080"});
  EXPECT_EQ(equals({.physical = PhysicalType::kInt32}, "00000000"), Shown{});
  const ColumnType half{.physical = PhysicalType::kFixedLengthByteArray,
                        .length = 2,
                        .logical = {.kind = LogicalKind::kFloat16}};
  EXPECT_EQ(equals(half, "0000"), Shown{"0080"});
  const ColumnType old{.physical = PhysicalType::kInt96};
  EXPECT_EQ(equals(old, "01000000000000008b3d2500"), Shown{"0100b16e6bb1ffff8c3d2500"});
  EXPECT_EQ(equals(old, "0100b16e6bb1ffff8c3d2500"), Shown{"01000000000000008b3d2500"});
  EXPECT_EQ(equals(old, "01000000000000008c3d2500"), Shown{});
  EXPECT_EQ(equals(old, "00000000000000008b3d2500"), Shown{});
  const ColumnType decimal{.physical = PhysicalType::kByteArray,
                           .logical = {.kind = LogicalKind::kDecimal, .precision = 7, .scale = 2}};
  EXPECT_EQ(equals(decimal, "80"), (Shown{"ffffff80", "ffffffffffffff80", std::string(30, 'f') + "80",
                                          std::string(62, 'f') + "80"}));
  const ColumnType longer{.physical = PhysicalType::kByteArray,
                          .logical = {.kind = LogicalKind::kDecimal, .precision = 12, .scale = 2}};
  EXPECT_EQ(equals(longer, "01").size(), 5u) << "4, 6, 8, 16 and 32 bytes";
  EXPECT_TRUE(is_any_of_many({.physical = PhysicalType::kFloat}, bytes_of_digits("0000c07f")));
  EXPECT_TRUE(is_any_of_many({.physical = PhysicalType::kDouble}, bytes_of_digits("010000000000f0ff")));
  EXPECT_TRUE(is_any_of_many(half, bytes_of_digits("017c")));
  EXPECT_FALSE(is_any_of_many({.physical = PhysicalType::kFloat}, bytes_of_digits("0000807f"))) << "infinity";
  EXPECT_FALSE(is_any_of_many({.physical = PhysicalType::kInt32}, bytes_of_digits("0000c07f")));
}

// DuckDB's golden files have 0.0 and not -0.0, which is the same number.
TEST(ParquetTypes, BothZerosAreAskedAndNanIsNeverDenied) {
  const std::string file = golden_file("parquet/n100_p0.05.parquet");
  for (const char* const column : {"d", "f"}) {
    const auto filter = opened_column(file, column);
    ASSERT_TRUE(filter);
    EXPECT_TRUE((*filter)->forces_maybes());
    for (const char* const text : {"0", "-0.0", "0e5"}) {
      const std::string key = key_of(**filter, text);
      const std::string_view view = key;
      std::uint64_t say = 0;
      (*filter)->filters_say({&view, 1}, {&say, 1});
      EXPECT_EQ(say, 1u) << column << " " << text;
    }
    const std::string nan = key_of(**filter, "nan");
    const std::string_view view = nan;
    std::uint64_t forced = 0;
    (*filter)->force_maybes({&view, 1}, {&forced, 1});
    EXPECT_EQ(forced, 1u);
    EXPECT_TRUE((*filter)->may_contain(nan));
    EXPECT_EQ(count_maybes(**filter, {&view, 1}), 1u);
  }
}

// --- Row groups without a filter ---

TEST(ParquetTypes, AColumnWithoutAFilterMayHoldEveryKey) {
  const std::string file = golden_file("parquet/arrow_types.parquet");
  EXPECT_EQ(opened_column(file, "bare", MissingFilters::kRefuse).error().code(), ErrorCode::kInvalidArgument);
  for (const char* const name : {"bare", "bare,1"}) {
    const auto filter = opened_column(file, name);
    ASSERT_TRUE(filter) << filter.error().to_string();
    const std::size_t missing = std::string_view(name) == "bare" ? 2 : 1;
    EXPECT_EQ((*filter)->parts_without_filter(), missing);
    EXPECT_EQ((*filter)->part_count(), 2u);
    EXPECT_EQ((*filter)->current_fpp(), 1);
    EXPECT_TRUE((*filter)->may_contain(key_of(**filter, "1000")));
    EXPECT_FALSE((*filter)->part_has_filter(1));
    const std::string key = key_of(**filter, "1000");
    const std::vector<std::string_view> keys(3, key);
    std::vector<std::uint64_t> words(2, 99);
    (*filter)->ask_parts(keys, words);
    EXPECT_EQ(words, (std::vector<std::uint64_t>{missing == 2 ? 7U : 0U, 7U}));
    std::vector<std::uint64_t> say(1);
    (*filter)->filters_say(keys, say);
    EXPECT_EQ(say[0], 0u);
  }
  const auto boolean = opened_column(file, "bool");
  ASSERT_FALSE(boolean);
  EXPECT_EQ(boolean.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(boolean.error().to_string().find("BOOLEAN"), std::string::npos);
  EXPECT_EQ(opened_column(file, "nothing").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(opened_column(file, "group").error().code(), ErrorCode::kInvalidArgument)
      << "a group is no column";
}

TEST(ParquetTypes, AnEncryptedColumnMayHoldEveryKeyAndAnEncryptedFooterIsRefused) {
  const std::string columns = golden_file("parquet/arrow_encrypted_columns.parquet");
  const auto secret = opened_column(columns, "secret");
  ASSERT_TRUE(secret) << secret.error().to_string();
  EXPECT_EQ((*secret)->parts_without_filter(), 1u);
  EXPECT_TRUE((*secret)->may_contain(key_of(**secret, "99999")));
  // The column beside it has no filter either, but Arrow stated its least value, 0, and its greatest, 23.
  const auto open = opened_column(columns, "open");
  ASSERT_TRUE(open) << open.error().to_string();
  EXPECT_EQ((*open)->parts_without_filter(), 0u);
  EXPECT_EQ((*open)->parts_by_range(), 1u);
  for (const char* const text : {"0", "17", "23"}) {
    EXPECT_TRUE((*open)->may_contain(key_of(**open, text))) << text;
  }
  for (const char* const text : {"-1", "24", "99999"}) {
    EXPECT_FALSE((*open)->may_contain(key_of(**open, text))) << text;
  }
  const auto list = list_columns(std::as_bytes(std::span(columns)));
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(list->columns[0].encrypted, 0u);
  EXPECT_EQ(list->columns[1].encrypted, 1u);
  const std::string footer = golden_file("parquet/arrow_encrypted_footer.parquet");
  for (const MissingFilters missing : {MissingFilters::kAnyKey, MissingFilters::kRefuse}) {
    const auto filter = opened_column(footer, "open", missing);
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(filter.error().to_string().find("encrypted"), std::string::npos);
  }
}

// --- Crafted schemas and footers ---

std::string long_list_of_structs(std::size_t count) {
  std::string bytes = "\xfc";
  for (; count >= 128; count >>= 7) {
    bytes += static_cast<char>(count | 128);
  }
  return bytes + static_cast<char>(count);
}

std::string named(const std::string& name) {
  return "\x08\x08" + std::string(1, static_cast<char>(name.size())) + name;
}

std::string group(const std::string& name, std::int32_t children) {
  return named(name) + "\x15" + zigzag(children) + '\0';
}

// `more` are fields behind the name, number 4.
std::string leaf(const std::string& name, PhysicalType type, const std::string& more = "") {
  return "\x15" + zigzag(static_cast<std::int32_t>(type)) + named(name) + more + '\0';
}

// A file of row groups of 10 rows, each with one chunk; filters[i] is the offset of its filter.
std::string crafted(const std::vector<std::string>& elements, const std::string& path, PhysicalType type,
                    const std::vector<std::optional<std::int64_t>>& filters, const std::string& data) {
  std::string metadata = "\x29" + long_list_of_structs(elements.size());
  for (const std::string& element : elements) {
    metadata += element;
  }
  metadata += "\x16" + zigzag(static_cast<std::int64_t>(filters.size()) * 10) + "\x19" +
              long_list_of_structs(filters.size());
  for (const auto& filter : filters) {
    metadata += "\x19\x1c\x3c\x15" + zigzag(static_cast<std::int32_t>(type)) + "\x29\x18" +
                static_cast<char>(path.size()) + path + "\x26" + zigzag(10);
    metadata += filter ? "\x96" + zigzag(*filter) : "";
    metadata += std::string(2, '\0') + "\x26" + zigzag(10) + '\0';
  }
  metadata += '\0';
  std::string size(4, '\0');
  store_little(reinterpret_cast<std::byte*>(size.data()), static_cast<std::uint32_t>(metadata.size()));
  return "PAR1" + data + metadata + size + "PAR1";
}

std::string filter_of_keys(const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  return written(**built("parquet", {.capacity = 100, .fpp = 0.0001, .bits_per_key = {}}, views));
}

// A writer may store the sign more often than it must; the number is the same.
TEST(ParquetTypes, DecimalsInBytesAreFoundInEverySizeThatWritersChoose) {
  const std::string decimal =
      "\x25\x0a\x15" + zigzag(2) + "\x15" + zigzag(9);  // converted type, scale, precision
  for (const std::size_t bytes : std::array<std::size_t, 5>{1, 4, 8, 16, 32}) {
    const std::string value = std::string(bytes - 1, '\xff') + '\x9c';  // -100
    const std::string file = crafted({group("root", 1), leaf("d", PhysicalType::kByteArray, decimal)}, "d",
                                     PhysicalType::kByteArray, {4}, filter_of_keys({value}));
    const auto filter = opened_column(file, "d");
    ASSERT_TRUE(filter) << filter.error().to_string();
    ASSERT_NE((*filter)->key_type(), nullptr);
    EXPECT_EQ((*filter)->key_type()->name(), "DECIMAL(9, 2) of BYTE_ARRAY");
    EXPECT_TRUE((*filter)->may_contain(key_of(**filter, "-1"))) << bytes;
    EXPECT_FALSE((*filter)->may_contain(key_of(**filter, "-1.01"))) << bytes;
    std::uint64_t word = 0;
    const std::string key = key_of(**filter, "-1");
    const std::string_view view = key;
    (*filter)->ask_parts({&view, 1}, {&word, 1});
    EXPECT_EQ(word, 1u);
  }
}

TEST(ParquetTypes, FiftyThousandRowGroupsTakeLittleMemory) {
  constexpr std::size_t kRowGroups = 50'000;
  const std::string data = filter_of_keys({std::string("\7\0\0\0", 4)});
  std::vector<std::optional<std::int64_t>> filters(kRowGroups, 4);
  filters[17] = std::nullopt;
  const std::vector<std::string> schema = {group("root", 1), leaf("k", PhysicalType::kInt32)};
  const std::string file = crafted(schema, "k", PhysicalType::kInt32, filters, data);
  const auto budget = std::make_shared<MemoryBudget>(std::uint64_t{1} << 20);
  const auto filter =
      ColumnFilters::open(std::as_bytes(std::span(file)), "k", budget, MissingFilters::kAnyKey);
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_GE(budget->used(), kRowGroups * sizeof(std::uint32_t));
  EXPECT_EQ((*filter)->part_count(), kRowGroups);
  EXPECT_EQ((*filter)->parts_without_filter(), 1u);
  const std::string absent("\x8\0\0\0", 4);
  const std::string present("\7\0\0\0", 4);
  const std::string_view keys[] = {absent, present};
  std::vector<std::uint64_t> words(kRowGroups);
  (*filter)->ask_parts(keys, words);
  EXPECT_EQ(std::ranges::count(words, 2U), static_cast<std::ptrdiff_t>(kRowGroups - 1));
  EXPECT_EQ(words[17], 3u);
  const auto list = list_columns(std::as_bytes(std::span(file)), std::make_shared<MemoryBudget>(4096));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->columns[0].filters, kRowGroups - 1);
  // With less memory it is refused by name.
  const auto refused = ColumnFilters::open(std::as_bytes(std::span(file)), "k",
                                           std::make_shared<MemoryBudget>(100'000), MissingFilters::kAnyKey);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
}

TEST(ParquetTypes, SchemasThatAreNoTreeOfColumnsAreDamage) {
  const auto error_of = [](const std::vector<std::string>& elements, const std::string& path = "k") {
    const std::string file = crafted(elements, path, PhysicalType::kInt32, {4}, filter_of_keys({"1234"}));
    const auto filter = opened_column(file, path);
    EXPECT_TRUE(list_columns(std::as_bytes(std::span(file))) || !filter);
    return filter ? "" : filter.error().to_string();
  };
  const std::string k = leaf("k", PhysicalType::kInt32);
  EXPECT_EQ(error_of({group("root", 1), k}), "");
  for (const std::vector<std::string>& elements :
       {std::vector<std::string>{},
        {k},
        {group("root", 0)},
        {group("root", 2), k},
        {group("root", 1), k, k},
        {group("root", -1), k},
        {group("root", 1), group("k", 0)},
        {group("root", 1), group("k", 1)},
        {group("root", 2), group("g", 1), k},
        {group("root", 1 << 30), k},
        {group("root", 1), leaf("k", static_cast<PhysicalType>(-1))},
        {group("root", 1), leaf("k", PhysicalType::kInt32, "\x15" + zigzag(1))}}) {
    EXPECT_NE(error_of(elements).find("(corruption)"), std::string::npos)
        << elements.size() << error_of(elements);
  }
  EXPECT_NE(error_of({group("root", 2), k, k}).find("two columns k"), std::string::npos);
  EXPECT_NE(
      error_of({group("root", 1), leaf("k", PhysicalType::kInt64)}).find("expected INT64 of the schema"),
      std::string::npos);
  std::vector<std::string> deep = {group("root", 1)};
  for (int i = 0; i < 300; ++i) {
    deep.push_back(group("g", 1));
  }
  deep.push_back(k);
  EXPECT_NE(error_of(deep).find("at most 256 deep"), std::string::npos);
}

TEST(ParquetTypes, LogicalTypesAreReadAndThoseThatContradictAreDamage) {
  const auto read = [](PhysicalType type, const std::string& more) {
    const std::string file =
        crafted({group("root", 1), leaf("k", type, more)}, "k", type, {std::nullopt}, "data");
    const auto list = list_columns(std::as_bytes(std::span(file)));
    return list ? type_name(list->columns[0].type) : list.error().to_string();
  };
  const auto converted = [](int number) { return "\x25" + zigzag(number); };
  const std::string stop(1, '\0');
  const auto logical = [&stop](char member, const std::string& fields) {
    return std::string("\x0c\x14") + static_cast<char>(member << 4 | 12) + fields + stop + stop;
  };
  const std::string micros_utc = "\x11\x1c\x2c" + stop + stop;
  EXPECT_EQ(read(PhysicalType::kInt32, converted(15)), "INT(8, signed) of INT32");
  EXPECT_EQ(read(PhysicalType::kInt64, converted(14)), "INT(64, unsigned) of INT64");
  EXPECT_EQ(read(PhysicalType::kInt32, converted(6)), "DATE of INT32");
  EXPECT_EQ(read(PhysicalType::kInt32, converted(7)), "TIME(MILLIS, UTC) of INT32");
  EXPECT_EQ(read(PhysicalType::kInt64, converted(8)), "TIME(MICROS, UTC) of INT64");
  EXPECT_EQ(read(PhysicalType::kInt64, converted(9)), "TIMESTAMP(MILLIS, UTC) of INT64");
  EXPECT_EQ(read(PhysicalType::kInt64, logical(8, micros_utc)), "TIMESTAMP(MICROS, UTC) of INT64");
  EXPECT_EQ(read(PhysicalType::kInt64, converted(10) + logical(8, micros_utc)),
            "TIMESTAMP(MICROS, UTC) of INT64");
  for (const int number : {0, 4, 19, 20}) {
    EXPECT_NE(read(PhysicalType::kByteArray, converted(number)).find(" of BYTE_ARRAY"), std::string::npos);
  }
  // A type that this version does not know, or that does not fit, has no text.
  for (const std::string& other :
       {converted(99), converted(0), logical(14, ""), logical(15, ""),
        logical(8, "\x11\x1c\x2c" + stop + stop + "\x15\x02"), logical(8, "\x11\x1c\x5c" + stop + stop)}) {
    EXPECT_EQ(read(PhysicalType::kInt64, other), "a logical type without text of INT64");
  }
  for (const std::string& contradiction :
       {converted(9) + logical(8, micros_utc), converted(6) + logical(8, micros_utc), logical(8, "\x11"),
        logical(8, "\x11\x1c" + stop), std::string("\x0c\x14") + stop}) {
    EXPECT_NE(read(PhysicalType::kInt64, contradiction).find("(corruption)"), std::string::npos)
        << read(PhysicalType::kInt64, contradiction);
  }
}

// --- Damage ---

// Whatever column is named, also one that is none, and one that is the name of a rule of sizes.
TEST(ParquetTypes, ACutOrLengthenedFileIsDamageWhateverIsNamed) {
  const std::string file = golden_file("parquet/n1_p0.01.parquet");
  for (const char* const name : {"parquet:s", "parquet:nothing", "parquet:arrow", "parquet"}) {
    const auto damaged = [name](const std::string& bytes) {
      const auto filter = view_dialect(std::as_bytes(std::span(bytes)), name);
      // Bytes that begin as no Parquet file may be a filter with a field that is not known.
      return !filter && (filter.error().code() == ErrorCode::kCorruption ||
                         (!bytes.starts_with("PAR1") && filter.error().code() == ErrorCode::kUnsupported));
    };
    for_each_cut(file, [&](const std::string& cut, const std::string& what) {
      ASSERT_TRUE(damaged(cut)) << name << " " << what;
    });
    for (std::size_t begin = 1; begin < file.size(); begin += 7) {
      ASSERT_TRUE(damaged(file.substr(begin))) << name << " begins at " << begin;
    }
    for (const char* const more : {"\n", "PAR", "0123456789abcdef"}) {
      ASSERT_TRUE(damaged(file + more)) << name << more;
    }
  }
}

// The footer says where everything lies. Bytes that were taken out before it leave something behind its begin.
TEST(ParquetTypes, BytesThatAreMissingInTheMiddleAreDamageWhateverIsNamed) {
  const std::string file = golden_file("parquet/arrow_types.parquet");
  for (const std::size_t count : {std::size_t{1}, std::size_t{47}, std::size_t{94}, std::size_t{1000}}) {
    const std::string shorter = file.substr(0, 4000) + file.substr(4000 + count);
    for (const char* const column : {"int8", "string", "bare"}) {
      const auto filter = opened_column(shorter, column);
      ASSERT_FALSE(filter) << column << " " << count;
      EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption) << filter.error().to_string();
    }
  }
}

// A flipped bit of the footer may lead to an error, to a text that is refused, or to a filter that finds every
// value. What no reader can notice is left out: the file states it only once and has no checksum.
TEST(ParquetTypes, AFlippedByteOfTheMetadataDeniesNoValueOfAColumn) {
  const std::string file = golden_file("parquet/arrow_integers.parquet");
  std::map<std::string, std::vector<std::string>> texts;
  for (const auto& [column, text] : golden_keys("arrow_integers")) {
    texts[column].push_back(text);
  }
  const std::size_t footer =
      file.size() - 8 - load_little32(reinterpret_cast<const std::byte*>(file.data()) + file.size() - 8);
  std::size_t open = 0;
  std::size_t denied = 0;
  for (std::size_t i = footer; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      for (const char* const column : {"decimal7", "decimal16"}) {
        const auto filter = opened_column(damaged, column);
        if (!filter) {
          continue;
        }
        ++open;
        for (const std::string& text : texts[column]) {
          KeyWriter writer;
          if ((*filter)->key_type() != nullptr && !(*filter)->key_type()->append(writer, text)) {
            continue;  // refused
          }
          const std::string_view key(reinterpret_cast<const char*>(writer.bytes().data()),
                                     writer.bytes().size());
          if (!(*filter)->may_contain((*filter)->key_type() == nullptr ? std::string_view(text) : key)) {
            ++denied;
            ADD_FAILURE() << column << " " << text << ": byte " << i - footer << ", bit " << bit << ", now "
                          << ((*filter)->key_type() ? (*filter)->key_type()->name() : "text");
            break;
          }
        }
      }
    }
  }
  EXPECT_GT(open, 0u);
  EXPECT_EQ(denied, 0u);
}

}  // namespace
}  // namespace bloomery::parquet
