// Tables whose checksums are right and whose handles lie: where blocks are is checked by itself.
#include "tests/codec/crafted_table.h"

#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/codec/leveldb_filter_block.h"
#include "codec/leveldb/raw_filter.h"
#include "codec/sstable/table_file.h"
#include "compress/block_compress.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

using sstable::BlockHandle;
using sstable::TableMagic;

constexpr std::size_t kDataBytes = 100;

// A table with one data block, said to be at `data`, and the filter block behind it.
std::string leveldb_table(const BlockHandle& data) {
  LevelDbFilterBlockWriter filters(10);
  EXPECT_TRUE(filters.start_block(0));
  filters.add_key("b");
  TableCrafter table(TableMagic::kLevelDb);
  table.append(std::string(kDataBytes, 'x'));
  const BlockHandle filter = table.append(filters.finish().value());
  const BlockHandle metaindex =
      table.append(block_bytes(entry_bytes(0, "filter.leveldb.BuiltinBloomFilter2", handle_bytes(filter))));
  const BlockHandle index = table.append(block_bytes(entry_bytes(0, internal_key("b"), handle_bytes(data))));
  return table.finished(metaindex, index);
}

TEST(LevelDbTable, DataBlocksBehindTheFilterAreDamage) {
  constexpr std::uint64_t kFilterOffset = kDataBytes + 5;
  const std::string good = leveldb_table({.offset = 0, .size = kDataBytes});
  EXPECT_TRUE(viewed(good, "leveldb")->may_contain("b"));
  EXPECT_FALSE(viewed(good, "leveldb")->may_contain("a"));
  for (const BlockHandle& data : {BlockHandle{.offset = kFilterOffset + 1, .size = 1},
                                  BlockHandle{.offset = ~std::uint64_t{0}, .size = 1},
                                  BlockHandle{.offset = 0, .size = kFilterOffset + 1}}) {
    const std::string file = leveldb_table(data);
    const auto filter = view_dialect(bytes_of(file), "leveldb");
    ASSERT_FALSE(filter) << data.offset << ", " << data.size;
    EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption);
  }
}

// One key in a filter of 64 bits: the bits of a key are steps of one number, so (set bits / bits)^k is far too small. What the
// table tells is within a factor of two of what is counted.
TEST(LevelDbTable, TheFppOfManySmallFiltersIsThatWhichIsCounted) {
  constexpr std::uint64_t kSeed = 20261126;
  constexpr int kBlocks = 300;
  constexpr int kAsked = 200'000;
  std::mt19937_64 random(kSeed);
  const auto random_key = [&random] {
    std::string key(8, '\0');
    store_big(reinterpret_cast<std::byte*>(key.data()), std::uint64_t{random()});
    return key;
  };
  std::set<std::string> keys;
  while (keys.size() < kBlocks) {
    keys.insert(random_key());
  }
  LevelDbFilterBlockWriter filters(10);
  TableCrafter table(TableMagic::kLevelDb);
  std::string entries;
  for (const std::string& key : keys) {
    const BlockHandle data = table.append(std::string(3000, 'x'));
    ASSERT_TRUE(filters.start_block(data.offset));
    filters.add_key(key);
    entries += entry_bytes(0, internal_key(key), handle_bytes(data));
  }
  const BlockHandle filter = table.append(filters.finish().value());
  const BlockHandle metaindex =
      table.append(block_bytes(entry_bytes(0, "filter.leveldb.BuiltinBloomFilter2", handle_bytes(filter))));
  const std::string file = table.finished(metaindex, table.append(block_bytes(entries)));
  const auto opened = viewed(file, "leveldb");
  int maybes = 0;
  for (int i = 0; i < kAsked; ++i) {
    maybes += opened->may_contain(random_key()) ? 1 : 0;
  }
  EXPECT_GT(maybes, 100) << "seed " << kSeed;
  const double told = opened->current_fpp() * kAsked;
  EXPECT_LE(told, 2 * maybes) << "seed " << kSeed;
  EXPECT_LE(maybes, 2 * told) << "seed " << kSeed;
  for (const std::string& key : keys) {
    EXPECT_TRUE(opened->may_contain(key));
  }
}

// A table of Pebble has the footer of RocksDB's, with another magic; later formats have longer ones.
TEST(PebbleTable, IsNamedWithItsFormat) {
  const auto table = [](const std::string& rear) {
    return std::string(100, 'x') + rear + "\xf0\x9f\xaa\xb3\xf0\x9f\xaa\xb3";
  };
  for (const std::string& version : {std::string("\1\0\0\0", 4), std::string("\7\0\0\0", 4)}) {
    const std::string file = table(version);
    const auto recognised = recognise_dialects(bytes_of(file));
    ASSERT_EQ(recognised.size(), 1u);
    EXPECT_EQ(recognised.front().name, "rocksdb:table");
    EXPECT_EQ(recognised.front().recognition, Recognition::kCertain);
    for (const char* const dialect : {"rocksdb", "rocksdb:table", "leveldb", "leveldb:table"}) {
      const auto filter = view_dialect(bytes_of(file), dialect);
      ASSERT_FALSE(filter) << dialect;
      EXPECT_EQ(filter.error().code(), ErrorCode::kUnsupported) << filter.error().to_string();
      EXPECT_NE(
          filter.error().to_string().find("found one of Pebble of format " + std::to_string(version[0])),
          std::string::npos)
          << filter.error().to_string();
    }
    // Its end is not taken for a filter by itself, which would answer no.
    for (const char* const dialect :
         {"leveldb:raw", "leveldb:block", "rocksdb:legacy", "rocksdb:fastlocal"}) {
      EXPECT_EQ(view_dialect(bytes_of(file), dialect).error().code(), ErrorCode::kInvalidArgument) << dialect;
    }
  }
  const std::string bare = "\xf0\x9f\xaa\xb3\xf0\x9f\xaa\xb3";
  EXPECT_EQ(view_dialect(bytes_of(bare), "rocksdb").error().code(), ErrorCode::kUnsupported);
}

// The raw deflate stream in a gzip member, and the same as zlib has it.
std::string deflated(const std::string& text) {
  constexpr std::size_t kGzipFront = 10;
  constexpr std::size_t kGzipRear = 8;
  BlockCompressor compressor = BlockCompressor::create(BlockCodec::kGzip).value();
  std::string member(compressor.largest_compressed(text.size()), '\0');
  member.resize(compressor.compress(bytes_of(text), std::as_writable_bytes(std::span(member))).value());
  return member.substr(kGzipFront, member.size() - kGzipFront - kGzipRear);
}

std::string zlibbed(const std::string& text) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : text) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string sum(4, '\0');
  store_big(reinterpret_cast<std::byte*>(sum.data()), b << 16 | a);
  return "\x78\x9c" + deflated(text) + sum;
}

// Eleven bytes: behind two groups of four, which LevelDB hashes alike, a tail with a byte above 127.
std::string tailed_key(int i) {
  return "key" + std::to_string(1'000'000 + i) + "\xff";
}

// A table with the tailed keys 0 to 99 whose filter has the name, and whose metaindex and index are compressed.
std::string named_leveldb_table(const std::string& filter_name, char compression, TailBytes tail) {
  const auto stored = [&](const std::string& text) {
    return compression == '\4' ? deflated(text) : compression == '\2' ? zlibbed(text) : text;
  };
  std::vector<std::uint32_t> hashes;
  for (int i = 0; i < 100; ++i) {
    hashes.push_back(leveldb_hash(tailed_key(i), tail));
  }
  std::string filters;
  append_leveldb_filter(hashes, 10, filters);
  const auto size = static_cast<std::uint32_t>(filters.size());
  filters += little_endian(std::uint32_t{0}) + little_endian(size) + '\x0b';
  TableCrafter table(TableMagic::kLevelDb);
  const BlockHandle data = table.append(std::string(kDataBytes, 'x'));
  const BlockHandle filter = table.append(filters);
  const BlockHandle metaindex =
      table.append(stored(block_bytes(entry_bytes(0, filter_name, handle_bytes(filter)))), compression);
  const BlockHandle index =
      table.append(stored(block_bytes(entry_bytes(0, internal_key("z"), handle_bytes(data)))), compression);
  return table.finished(metaindex, index);
}

std::uint64_t maybes_of_named(const DialectFilter& filter, int first, int count) {
  std::uint64_t maybes = 0;
  for (int i = first; i < first + count; ++i) {
    maybes += std::uint64_t{filter.may_contain(tailed_key(i))};
  }
  return maybes;
}

constexpr const char* kLevelDbName = "filter.leveldb.BuiltinBloomFilter2";
constexpr const char* kGoLevelDbName = "filter.leveldb.BuiltinBloomFilter";

// goleveldb gives LevelDB's filter the name that LevelDB before 1.5 gave to one with another hash of bytes above 127.
// Neither may deny a key, and both answer absent keys.
TEST(LevelDbTable, AFilterUnderItsOldNameIsAskedByBothHashes) {
  for (const TailBytes tail : {TailBytes::kUnsigned, TailBytes::kSigned}) {
    const std::string file = named_leveldb_table(kGoLevelDbName, '\0', tail);
    const auto filter = viewed(file, "");
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(maybes_of_named(*filter, 0, 100), 100u);
    const double expected = filter->current_fpp() * 10000;
    const auto found = static_cast<double>(maybes_of_named(*filter, 1000, 10000));
    EXPECT_TRUE(found < 2 * expected && expected < 2 * found) << found << ", " << expected;
  }
  const std::string of_today = named_leveldb_table(kLevelDbName, '\0', TailBytes::kSigned);
  EXPECT_LT(maybes_of_named(*viewed(of_today, ""), 0, 100), 20u) << "the new name has one hash";
}

// The LevelDB of Minecraft compresses with zlib (2) or raw deflate (4), and LevelDB with zstd under the number 2.
TEST(LevelDbTable, BlocksOfMojangsCompressionsAreRead) {
  for (const char compression : {'\2', '\4'}) {
    const std::string file = named_leveldb_table(kLevelDbName, compression, TailBytes::kUnsigned);
    const auto filter = view_dialect(bytes_of(file), "");
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(maybes_of_named(**filter, 0, 100), 100u);
    EXPECT_LT(maybes_of_named(**filter, 1000, 1000), 40u);
  }
}

// An entry of the metaindex, or none.
std::string meta(const std::string& name, const BlockHandle& handle) {
  return name.empty() ? "" : entry_bytes(0, name, handle_bytes(handle));
}

// RocksDB makes no filter for a table of deletions of ranges alone. No key is in it, so none is a forced maybe.
TEST(RocksDbTable, ATableOfRangeDeletionsAloneHasNoKey) {
  const auto table_with = [](std::uint64_t range_deletions) {
    TableCrafter table(TableMagic::kRocksDb);
    const BlockHandle index = table.append(block_bytes(""));
    const BlockHandle properties =
        table.append(block_bytes(entry_bytes(0, "rocksdb.num.entries", varint_of(2)) +
                                 entry_bytes(0, "rocksdb.num.range-deletions", varint_of(range_deletions))));
    const BlockHandle metaindex = table.append(block_bytes(meta("rocksdb.properties", properties)));
    return table.finished(metaindex, index);
  };
  const std::string ranges = table_with(2);
  const auto filter = view_dialect(bytes_of(ranges), "rocksdb:table");
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_FALSE((*filter)->may_contain("key"));
  EXPECT_EQ(view_dialect(bytes_of(table_with(1)), "rocksdb:table").error().code(), ErrorCode::kUnsupported);
}

// A table without properties' values: of its filter only the place can be checked, from 0 to the index.
std::string rocksdb_table(bool filter_behind_index, const std::string& properties_name) {
  const std::string filter_bytes = written(
      **built("rocksdb", {.capacity = 0, .fpp = {}, .bits_per_key = 10}, std::vector<std::string_view>{"b"}));
  const std::string index_bytes = block_bytes("");
  TableCrafter table(TableMagic::kRocksDb);
  const BlockHandle first = table.append(filter_behind_index ? index_bytes : filter_bytes);
  const BlockHandle second = table.append(filter_behind_index ? filter_bytes : index_bytes);
  const BlockHandle properties = table.append(block_bytes(""));
  const BlockHandle metaindex = table.append(
      block_bytes(meta("fullfilter.rocksdb.BuiltinBloomFilter", filter_behind_index ? second : first) +
                  meta(properties_name, properties)));
  return table.finished(metaindex, filter_behind_index ? first : second);
}

TEST(RocksDbTable, AFilterBehindTheIndexIsDamage) {
  const std::string good = rocksdb_table(false, "rocksdb.properties");
  EXPECT_TRUE(viewed(good, "rocksdb")->may_contain("b"));
  EXPECT_FALSE(viewed(good, "rocksdb")->may_contain("a"));
  const std::string behind = rocksdb_table(true, "rocksdb.properties");
  EXPECT_EQ(view_dialect(bytes_of(behind), "rocksdb").error().code(), ErrorCode::kCorruption);
}

// What a filter is of stands in the properties: without them a no would not be certain.
TEST(RocksDbTable, OneWithoutPropertiesIsDamageAndSaysWhatIsMissing) {
  for (const std::string name : {"", "rocksdb.propertier"}) {
    const std::string file = rocksdb_table(false, name);
    const auto filter = view_dialect(bytes_of(file), "rocksdb");
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(filter.error().to_string().find("rocksdb.properties in the metaindex"), std::string::npos)
        << filter.error().to_string();
  }
}

TEST(TableFile, NamesOfTheMetaindexAreListedOnce) {
  TableCrafter crafter(TableMagic::kRocksDb);
  const BlockHandle metaindex =
      crafter.append(block_bytes(meta("filter.a", {}) + meta("filter.b", {}) + meta("other", {})));
  const std::string file = crafter.finished(metaindex, metaindex);
  const auto table = sstable::TableFile::open(bytes_of(file));
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->meta_names("other").value(), "other");
  EXPECT_EQ(table->meta_names("").value(), "filter.a, filter.b, other");
}

}  // namespace
}  // namespace bloomery
