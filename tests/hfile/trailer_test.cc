// Trailers: both versions, what each number is held against, and what is refused by name.
#include "hfile/trailer.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"
#include "tests/hfile/protobuf_bytes.h"

namespace bloomery::hfile {
namespace {

constexpr const char* kStandard = "org.apache.hadoop.hbase.KeyValue$KVComparator";
constexpr std::uint64_t kTrailedBytes = 100000;

using Numbers = std::map<std::uint32_t, std::uint64_t>;

// Of a file of two data blocks and 30 cells.
const Numbers kSound = {{1, 90000}, {2, 80000}, {3, 72}, {4, 99000}, {5, 2}, {6, 0},
                        {7, 30},    {8, 1},     {9, 0},  {10, 1085}, {12, 2}};

std::string trailer_fields(const Numbers& numbers, const std::string& comparator) {
  std::string fields;
  for (const auto& [number, value] : numbers) {
    if (number == 12) {
      append_bytes_field(fields, 11, comparator);
    }
    append_integer_field(fields, number, value);
  }
  return fields;
}

std::string made_trailer(const std::string& fields, std::size_t size = 4096,
                         const char* version = "\x03\x00\x00\x03") {
  std::string bytes = "TRABLK\"$" + delimited(fields);
  bytes.resize(size - 4);
  return bytes + std::string(version, 4);
}

Result<Trailer> parsed_trailer(const std::string& bytes) {
  return parse_trailer(bytes_of(bytes), kTrailedBytes);
}

Result<Trailer> changed(std::uint32_t number, std::uint64_t value) {
  Numbers numbers = kSound;
  numbers[number] = value;
  return parsed_trailer(made_trailer(trailer_fields(numbers, kStandard)));
}

// Hudi's own writer leaves field 4 out, and its index has rows in the place of keys. HBase never leaves a field out.
TEST(Trailer, AFileOfHudisOwnWriterIsNamed) {
  Numbers numbers = kSound;
  numbers.erase(4);
  const auto of_hudi = parsed_trailer(
      made_trailer(trailer_fields(numbers, "org.apache.hudi.io.storage.HoodieHBaseKVComparator")));
  ASSERT_FALSE(of_hudi);
  EXPECT_EQ(of_hudi.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(of_hudi.error().to_string().find("Hudi's own writer"), std::string::npos);
  EXPECT_EQ(parsed_trailer(made_trailer(trailer_fields(numbers, kStandard))).error().code(),
            ErrorCode::kCorruption);
}

TEST(Trailer, EveryFieldIsRead) {
  const auto trailer = parsed_trailer(made_trailer(trailer_fields(kSound, kStandard)));
  ASSERT_TRUE(trailer) << trailer.error().to_string();
  EXPECT_EQ(trailer->major_version, 3u);
  EXPECT_EQ(trailer->minor_version, 3u);
  EXPECT_EQ(trailer->offset, kTrailedBytes - 4096);
  EXPECT_EQ(trailer->file_info_offset, 90000u);
  EXPECT_EQ(trailer->load_on_open_offset, 80000u);
  EXPECT_EQ(trailer->data_index_bytes, 72u);
  EXPECT_EQ(trailer->uncompressed_bytes, 99000u);
  EXPECT_EQ(trailer->data_index_count, 2u);
  EXPECT_EQ(trailer->meta_index_count, 0u);
  EXPECT_EQ(trailer->entry_count, 30u);
  EXPECT_EQ(trailer->data_index_levels, 1u);
  EXPECT_EQ(trailer->first_data_block_offset, 0u);
  EXPECT_EQ(trailer->last_data_block_offset, 1085u);
  EXPECT_EQ(trailer->comparator, kStandard);
  EXPECT_EQ(trailer->compression, Compression::kNone);
}

TEST(Trailer, Version2HasAShorterOne) {
  const std::string fields = trailer_fields(kSound, kStandard);
  const auto trailer = parsed_trailer(std::string(100, 'x') + made_trailer(fields, 212, "\x03\x00\x00\x02"));
  ASSERT_TRUE(trailer) << trailer.error().to_string();
  EXPECT_EQ(trailer->major_version, 2u);
  EXPECT_EQ(trailer->offset, kTrailedBytes - 212);
}

TEST(Trailer, OtherVersionsAreRefused) {
  const std::string fields = trailer_fields(kSound, kStandard);
  const auto code = [&](const char* version, std::size_t size = 4096) {
    return parsed_trailer(made_trailer(fields, size, version)).error().code();
  };
  EXPECT_EQ(code("\x00\x00\x00\x04"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("\x04\x00\x00\x03"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("\x02\x00\x00\x02", 212), ErrorCode::kUnsupported);
  EXPECT_EQ(parsed_trailer(std::string(4096, 'x')).error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(parsed_trailer("").error().code(), ErrorCode::kCorruption);
}

TEST(Trailer, NumbersThatDoNotAgreeAreDamage) {
  EXPECT_TRUE(changed(7, 31));
  EXPECT_FALSE(changed(7, 0)) << "no cells and two blocks";
  EXPECT_FALSE(changed(5, 0)) << "cells and no blocks";
  EXPECT_FALSE(changed(9, ~std::uint64_t{0}));
  EXPECT_FALSE(changed(9, 1086)) << "the first block behind the last";
  EXPECT_FALSE(changed(10, 80000)) << "a data block in the load-on-open section";
  EXPECT_FALSE(changed(2, kTrailedBytes));
  EXPECT_FALSE(changed(1, 79999)) << "file info before the root index";
  EXPECT_FALSE(changed(1, kTrailedBytes));
  EXPECT_FALSE(changed(8, 0));
  EXPECT_FALSE(changed(8, 17));
  EXPECT_FALSE(changed(5, std::uint64_t{1} << 32));
}

// HBase 2 says -1 of both, HBase 0.98 of the first only.
TEST(Trailer, AFileWithoutCellsHasNoDataBlocks) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const auto empty = [](std::uint64_t first, std::uint64_t last) {
    Numbers numbers = kSound;
    numbers[5] = numbers[7] = 0;
    numbers[9] = first;
    numbers[10] = last;
    return parsed_trailer(made_trailer(trailer_fields(numbers, kStandard)));
  };
  EXPECT_TRUE(empty(kNone, kNone));
  EXPECT_TRUE(empty(kNone, 0));
  EXPECT_FALSE(empty(kNone, 1085));
  EXPECT_FALSE(empty(0, kNone));
  EXPECT_FALSE(empty(0, 0));
}

TEST(Trailer, EveryFieldMustBeThereOnce) {
  const std::string all = trailer_fields(kSound, kStandard);
  for (const auto& [number, value] : kSound) {
    Numbers without = kSound;
    without.erase(number);
    EXPECT_FALSE(parsed_trailer(made_trailer(trailer_fields(without, kStandard)))) << number;
    std::string twice = all;
    append_integer_field(twice, number, value);
    EXPECT_FALSE(parsed_trailer(made_trailer(twice))) << number;
  }
  std::string later = all;
  append_bytes_field(later, 14, "of a later version");
  EXPECT_TRUE(parsed_trailer(made_trailer(later)));
}

TEST(Trailer, ComparatorsByName) {
  const auto cells = parsed_trailer(
      made_trailer(trailer_fields(kSound, "org.apache.hadoop.hbase.InnerStoreCellComparator")));
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->row_order, RowOrder::kBytes);
  for (const std::string name :
       {"KeyValue$MetaComparator", "KeyValue$MetaKeyComparator", "CellComparator$MetaCellComparator",
        "CellComparatorImpl$MetaCellComparator", "MetaCellComparator"}) {
    const auto meta = parsed_trailer(made_trailer(trailer_fields(kSound, "org.apache.hadoop.hbase." + name)));
    ASSERT_TRUE(meta) << name;
    EXPECT_EQ(meta->row_order, RowOrder::kMeta);
    EXPECT_EQ(meta->comparator, "org.apache.hadoop.hbase." + name);
  }
  for (const std::string name :
       {"org.apache.hadoop.hbase.util.Bytes$ByteArrayComparator", "org.example.MetaCellComparator", ""}) {
    const auto refused = parsed_trailer(made_trailer(trailer_fields(kSound, name)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(refused.error().detail().find('"' + name + '"'), std::string::npos);
  }
}

TEST(Trailer, EncryptionIsRefused) {
  std::string fields = trailer_fields(kSound, kStandard);
  append_bytes_field(fields, 13, "key");
  EXPECT_EQ(parsed_trailer(made_trailer(fields)).error().code(), ErrorCode::kUnsupported);
}

TEST(Trailer, BytesBehindTheFieldsAreDamage) {
  std::string bytes = made_trailer(trailer_fields(kSound, kStandard));
  bytes[4000] = 1;
  EXPECT_EQ(parsed_trailer(bytes).error().code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery::hfile
