// Tables whose checksums are right and whose handles lie: where blocks are is checked by itself.
#include "tests/codec/crafted_table.h"

#include <gtest/gtest.h>

#include "bloomery/codec/leveldb_filter_block.h"
#include "codec/sstable/table_file.h"
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

// An entry of the metaindex, or none.
std::string meta(const std::string& name, const BlockHandle& handle) {
  return name.empty() ? "" : entry_bytes(0, name, handle_bytes(handle));
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
