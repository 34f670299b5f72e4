// What the compression byte of a block means, by the table's magic and format version.
#include "codec/sstable/block_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "codec/sstable/footer.h"
#include "tests/base/test_bytes.h"

namespace bloomery::sstable {
namespace {

using namespace std::string_literals;

// "hello" in each codec, as a literal run.
const std::string kSnappy = "\5\x10hello"s;
const std::string kLz4 = "\x50hello"s;
const std::string kDeflate = "\1\5\0\xfa\xffhello"s;
const std::string kZstd = "\x28\xb5\x2f\xfd\x20\5\x29\0\0hello"s;

// The contents of a block without a checksum, or the error.
std::string read_contents(TableMagic magic, std::uint32_t version, char compression,
                          const std::string& stored) {
  const std::string file = stored + compression + std::string(4, '\0');
  Footer footer;
  footer.magic = magic;
  footer.format_version = version;
  footer.checksum = ChecksumKind::kNone;
  footer.offset = file.size();
  const auto block = read_block(bytes_of(file), footer, {.offset = 0, .size = stored.size()}, "block");
  return block ? text_of(block->contents()) : "error: " + block.error().to_string();
}

TEST(BlockReader, EveryCompressionOfRocksDbsLaterVersions) {
  for (const std::uint32_t version : {2u, 5u}) {
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 0, "hello"), "hello");
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 1, kSnappy), "hello");
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 2, '\5' + kDeflate), "hello");
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 4, '\5' + kLz4), "hello");
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 5, '\5' + kLz4), "hello");
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, version, 7, '\5' + kZstd), "hello");
  }
}

TEST(BlockReader, LevelDbHasTwoAndOldTablesOfRocksDbNameTheRest) {
  EXPECT_EQ(read_contents(TableMagic::kLevelDb, 0, 1, kSnappy), "hello");
  EXPECT_EQ(read_contents(TableMagic::kLevelDb, 0, 2, kZstd), "hello");
  for (const char compression : {'\2', '\4', '\5', '\7'}) {  // without a size in front
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, 1, compression, kLz4).substr(0, 6), "error:");
  }
  for (const char compression : {'\3', '\6', '\x8', '\x7f'}) {
    EXPECT_EQ(read_contents(TableMagic::kRocksDb, 5, compression, '\5' + kLz4).substr(0, 6), "error:");
  }
}

}  // namespace
}  // namespace bloomery::sstable
