// The hashes of LevelDB's and RocksDB's filters, against values that these systems printed.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hash/leveldb_hash.h"
#include "hash/rocksdb_hash64.h"
#include "hash/xxh.h"
#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

// A row of tests/golden/rocksdb/hash_vectors.csv.
struct Row {
  std::string key;
  std::uint64_t hash64 = 0;
  std::uint64_t released_xxh3 = 0;
  std::uint32_t legacy = 0;
  std::uint64_t xxh64 = 0;
};

// The bytes of the "lcg" rows, as the README beside the vectors says.
std::string lcg_bytes(std::uint32_t size) {
  std::string bytes;
  std::uint32_t x = size * 2246822519U + 1;
  while (bytes.size() < size) {
    x = x * 1664525U + 1013904223U;
    bytes += static_cast<char>(x >> 24);
  }
  return bytes;
}

std::vector<Row> vectors() {
  std::ifstream file(BLOOMERY_SOURCE "/tests/golden/rocksdb/hash_vectors.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> cell(6);
    for (std::string& text : cell) {
      std::getline(cells, text, ',');
    }
    const std::string& rule = cell[1];
    rows.push_back({.key = rule == "lcg" ? lcg_bytes(static_cast<std::uint32_t>(std::stoul(cell[0])))
                                         : rule.substr(1, rule.size() - 2),
                    .hash64 = std::stoull(cell[2], nullptr, 16),
                    .released_xxh3 = std::stoull(cell[3], nullptr, 16),
                    .legacy = static_cast<std::uint32_t>(std::stoul(cell[4], nullptr, 16)),
                    .xxh64 = std::stoull(cell[5], nullptr, 16)});
  }
  return rows;
}

TEST(TableHashes, EveryVectorThatRocksDbPrinted) {
  const std::vector<Row> rows = vectors();
  ASSERT_GE(rows.size(), 48U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.key.size());
    EXPECT_EQ(rocksdb_hash64(row.key), row.hash64);
    EXPECT_EQ(leveldb_hash(row.key, TailBytes::kSigned), row.legacy);
    EXPECT_EQ(xxh3_64(bytes_of(row.key)), row.released_xxh3);
    EXPECT_EQ(xxh64(bytes_of(row.key)), row.xxh64);
  }
}

TEST(TableHashes, SignsOfTailBytesTellLevelDbFromRocksDb) {
  struct Vector {
    std::string_view key;
    std::uint32_t leveldb;
    std::uint32_t rocksdb;
  };
  const Vector vectors[] = {
      {"", 0xbc9f1d34, 0xbc9f1d34},
      {"\x62", 0xef1345c4, 0xef1345c4},
      {"\xc3\x97", 0x5b663814, 0x0f2ba540},
      {"\xe2\x99\xa5", 0x323c078f, 0x530174ee},
      {"\xe1\x80\xb9\x32", 0xed21633a, 0xed21633a},
      {"hello", 0xf795964e, 0xf795964e},
  };
  for (const Vector& vector : vectors) {
    EXPECT_EQ(leveldb_hash(vector.key, TailBytes::kUnsigned), vector.leveldb);
    EXPECT_EQ(leveldb_hash(vector.key, TailBytes::kSigned), vector.rocksdb);
  }
}

TEST(TableHashes, Xxh32AsItsSpecificationHasIt) {
  EXPECT_EQ(xxh32({}), 0x02cc5d05U);
}

}  // namespace
}  // namespace bloomery
