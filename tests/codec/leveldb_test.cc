// The LevelDB dialect against files and counts of LevelDB 1.23.
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "bloomery/codec/leveldb_filter_block.h"
#include "codec/leveldb/filter_block.h"
#include "codec/leveldb/manifest.h"
#include "codec/modulo32.h"
#include "codec/sstable/block_entries.h"
#include "codec/sstable/block_index.h"
#include "codec/sstable/table_file.h"
#include "hash/leveldb_hash.h"
#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"
#include "tests/codec/damage.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

std::string leveldb_key(const std::string& family, std::uint64_t i) {
  return family == "binary" ? leveldb_binary_key(i) : numbered_key(i);
}

KeyRange leveldb_range(const std::string& family, std::uint64_t first, std::uint64_t count) {
  return KeyRange([&family](std::uint64_t i) { return leveldb_key(family, i); }, first, count);
}

TEST(LevelDbRaw, FilesHaveTheBitsAnswersAndFalsePositivesThatLevelDbCounted) {
  for (auto& row : golden_table("leveldb/raw_manifest.csv")) {
    SCOPED_TRACE(row["file"]);
    const std::string file = golden_file("leveldb/" + row["file"]);
    const auto filter = viewed(file, "leveldb:raw");
    ASSERT_TRUE(filter);
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(facts.bits, (std::stoull(row["size_bytes"]) - 1) * 8);
    EXPECT_EQ(facts.hash_count, std::stoull(row["k_byte"]));
    EXPECT_EQ(facts.set_bits, std::stoull(row["bits_set"]));
    EXPECT_EQ(facts.integrity, "none");
    const std::uint64_t n = std::stoull(row["n"]);
    EXPECT_EQ(count_maybes(*filter, leveldb_range(row["keys"], 0, n).views()), n);
    EXPECT_EQ(count_maybes(*filter, leveldb_range(row["keys"], 1000000, 100000).views()),
              std::stoull(row["false_positives_1000000_to_1099999"]));
    EXPECT_EQ(written(*filter), file);
  }
}

TEST(LevelDbRaw, WhatIsMadeHasTheBytesOfTheOriginal) {
  for (auto& row : golden_table("leveldb/raw_manifest.csv")) {
    SCOPED_TRACE(row["file"]);
    const KeyRange keys = leveldb_range(row["keys"], 0, std::stoull(row["n"]));
    const auto filter = built("leveldb", plan_with_bits(std::stod(row["bits_per_key"])), keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), golden_file("leveldb/" + row["file"]));
    EXPECT_EQ((*filter)->dialect(), "leveldb:raw");
  }
}

TEST(LevelDbRaw, TheExamplesOfThePage) {
  const auto hex = [](const std::vector<std::string_view>& keys) {
    const auto filter = built("leveldb:raw", plan_with_bits(10), keys);
    std::string text;
    for (const char byte : written(**filter)) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += kDigits[static_cast<unsigned char>(byte) >> 4];
      text += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
  };
  EXPECT_EQ(hex({"hello"}), "014000010410400006");
  EXPECT_EQ(hex({"hello", "world"}), "114000414410401006");
  EXPECT_EQ(hex({}), "000000000000000006");
}

TEST(LevelDbRaw, KeysThatAreInsertedLaterSetTheBitsThatTheyWouldHaveSetAtOnce) {
  const KeyRange keys(numbered_key, 0, 1000);
  const std::string whole = golden_file("leveldb/text_b10_n1000.filter");
  std::string empty(whole.size() - 1, '\0');
  empty += whole.back();
  const auto one_by_one = viewed(empty, "leveldb:raw");
  const auto at_once = viewed(empty, "leveldb:raw");
  for (const std::string_view key : keys.views()) {
    const bool was_in = one_by_one->may_contain(key);
    EXPECT_EQ(one_by_one->insert(key).value(), !was_in);
  }
  EXPECT_GT(at_once->insert_batch(keys.views()).value(), 900u);
  EXPECT_EQ(written(*one_by_one), whole);
  EXPECT_EQ(written(*at_once), whole);
  EXPECT_NEAR(one_by_one->estimated_count().value(), 1000, 40);
  EXPECT_NEAR(one_by_one->current_fpp(), 0.008, 0.002);
}

TEST(LevelDbRaw, Modulo32IsTheRestOfADivision) {
  constexpr std::uint64_t kSeed = 32;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t divisor =
        i < 100 ? static_cast<std::uint64_t>(i) + 1 : (random() >> random() % 64) | 1;
    for (const std::uint64_t near :
         {random(), random() / divisor * divisor, divisor, divisor - 1, ~std::uint64_t{0}}) {
      const auto value = static_cast<std::uint32_t>(near);
      ASSERT_EQ(Modulo32(divisor).of(value), value % divisor) << value << " mod " << divisor;
      ASSERT_EQ(Modulo32(divisor).of(value - static_cast<std::uint32_t>(value % divisor)), 0u) << divisor;
    }
  }
  for (const std::uint64_t divisor :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1}) {
    ASSERT_EQ(Modulo32(divisor).of(0xffffffff), 0xffffffff % divisor);
  }
}

TEST(LevelDbRaw, MergeIsTheUnionOfFiltersOfOneShape) {
  std::string empty(1250, '\0');
  empty += '\6';
  const auto left = viewed(empty, "leveldb:raw");
  const auto right = viewed(empty, "leveldb:raw");
  ASSERT_TRUE(left->insert_batch(KeyRange(numbered_key, 0, 400).views()));
  ASSERT_TRUE(right->insert_batch(KeyRange(numbered_key, 400, 600).views()));
  ASSERT_TRUE(left->merge(*right));
  EXPECT_EQ(written(*left), golden_file("leveldb/text_b10_n1000.filter"));
  EXPECT_FALSE(left->merge(*left));
  const auto smaller = viewed(golden_file("leveldb/text_b10_n10.filter"), "leveldb:raw");
  const Status refused = left->merge(*smaller);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail(), "bits: expected 10000, found 104");
}

TEST(LevelDbRaw, ARareKMatchesEverythingAndTakesKeysWithoutAChange) {
  for (const unsigned k : {0U, 31U, 0x80U, 0xffU}) {
    std::string file(9, '\0');
    file.back() = static_cast<char>(k);
    EXPECT_EQ(view_dialect(bytes_of(file), "leveldb:raw").error().code(), ErrorCode::kCorruption) << k;
    const auto filter = viewed(file, "leveldb:raw,forced");
    EXPECT_EQ(count_maybes(*filter, KeyRange(numbered_key, 0, 100).views()), 100u) << k;
    EXPECT_FALSE(filter->insert("key").value());
    EXPECT_EQ(filter->current_fpp(), 1);
    EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
    EXPECT_EQ(written(*filter), file);
  }
}

TEST(LevelDbRaw, LessThanTwoBytesAreAnErrorWhereLevelDbAnswersNo) {
  EXPECT_EQ(view_dialect({}, "leveldb:raw").error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(view_dialect(bytes_of("\6"), "leveldb:raw").error().code(), ErrorCode::kCorruption);
}

// LevelDB's least filter has 64 bits. A shorter file, or one that ends in no k, is none of LevelDB's.
TEST(LevelDbRaw, WhatLevelDbNeverMakesIsRefusedUnlessForced) {
  for (std::size_t size = 2; size < 9; ++size) {
    const std::string file = std::string(size - 1, '\0') + '\6';
    const auto refused = view_dialect(bytes_of(file), "leveldb:raw");
    ASSERT_FALSE(refused) << size;
    EXPECT_EQ(refused.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(refused.error().detail().find("`forced`"), std::string::npos);
    EXPECT_FALSE(viewed(file, "leveldb:raw,forced")->may_contain("key"));
  }
  EXPECT_TRUE(view_dialect(bytes_of(std::string(8, '\0') + '\6'), "leveldb:raw"));
}

TEST(LevelDbRaw, PlansThatLevelDbCouldNotTakeAreRefused) {
  EXPECT_FALSE(build_dialect("leveldb", plan_with_bits(9.5)));
  EXPECT_FALSE(build_dialect("leveldb", {.capacity = 1, .fpp = 1e-30, .bits_per_key = {}}));
  EXPECT_FALSE(build_dialect("leveldb:wrong", plan_with_bits(10)));
  EXPECT_EQ(build_dialect("leveldb:block", plan_with_bits(10)).error().code(), ErrorCode::kUnsupported);
}

TEST(LevelDbRaw, AnFppIsKept) {
  const KeyRange keys(numbered_key, 0, 20000);
  const KeyRange absent(numbered_key, 1000000, 100000);
  for (const double fpp : {0.1, 0.01, 0.001}) {
    const auto filter = built("leveldb", {.capacity = 0, .fpp = fpp, .bits_per_key = {}}, keys.views());
    ASSERT_TRUE(filter);
    EXPECT_LE((*filter)->current_fpp(), fpp * 1.01);
    // Two 16-bit halves of one hash are less than independent probes: a third above.
    EXPECT_LE(static_cast<double>(count_maybes(**filter, absent.views())), fpp * 1e5 * 1.5);
  }
}

// What the flipped bits say, read one by one with plain divisions.
bool raw_says(std::string_view file, std::string_view key) {
  const auto k = static_cast<unsigned char>(file.back());
  std::uint32_t h = leveldb_hash(key, TailBytes::kUnsigned);
  const std::uint32_t step = h >> 17 | h << 15;
  for (unsigned i = 0; k <= 30 && i < k; ++i, h += step) {
    const std::uint64_t bit = h % ((file.size() - 1) * 8);
    if ((static_cast<unsigned char>(file[bit / 8]) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

TEST(LevelDbRaw, DamageIsAnErrorOrTheAnswersOfTheBitsThatAreThere) {
  const KeyRange keys(numbered_key, 0, 60);
  for (const std::string name : {"text_b10_n10", "text_b5_n10", "text_b20_n10"}) {
    const auto check = [&keys](const std::string& damaged, const std::string& what) {
      const auto filter = view_dialect(bytes_of(damaged), "leveldb:raw,forced");
      EXPECT_EQ(filter.has_value(), damaged.size() >= 2) << what;
      for (const std::string_view key : keys.views()) {
        ASSERT_TRUE(!filter || (*filter)->may_contain(key) == raw_says(damaged, key)) << what;
      }
    };
    const std::string file = golden_file("leveldb/" + name + ".filter");
    for_each_flip(file, check);
    for_each_cut(file, check);
  }
}

struct Database {
  std::string name;
  std::string file;
  std::map<std::string, std::string> row;
};

std::vector<Database> databases() {
  std::vector<Database> all;
  for (auto& row : golden_table("leveldb/db_manifest.csv")) {
    all.push_back({row["dir"], unpacked_golden("leveldb/" + row["dir"] + ".ldb"), row});
  }
  return all;
}

TEST(LevelDbTable, FiltersFoundInItGiveTheCountsOfLevelDb) {
  for (Database& database : databases()) {
    SCOPED_TRACE(database.name);
    const auto filter = viewed(database.file, "");
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->dialect(), "leveldb:table");
    EXPECT_EQ(filter->facts().integrity, "crc32c of every block that was read");
    EXPECT_EQ(filter->facts().hash_count, 6u);
    EXPECT_EQ(written(*filter), database.file);
    const std::uint64_t n = std::stoull(database.row["n"]);
    const KeyRange present = leveldb_range(database.row["keys"], 0, n);
    EXPECT_EQ(count_maybes(*filter, present.views()), std::stoull(database.row["present_filter_positives"]));
    // A key above the table's last never came to the filter.
    const std::string_view last = std::ranges::max(present.views());
    std::vector<std::string> absent = slashed(present.views());
    std::erase_if(absent, [last](const std::string& key) { return key > last; });
    EXPECT_EQ(absent.size(), std::stoull(database.row["absent_filter_calls"]));
    const std::vector<std::string_view> views(absent.begin(), absent.end());
    EXPECT_EQ(count_maybes(*filter, views), std::stoull(database.row["absent_filter_positives"]));
    EXPECT_FALSE(filter->may_contain(std::string(30, '\xff')));  // behind the last separator
    EXPECT_NEAR(filter->estimated_count().value(), static_cast<double>(n), static_cast<double>(n) * 0.1);
    EXPECT_EQ(filter->insert("key").error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(filter->merge(*filter).error().code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(filter->is_static());
  }
}

// A table's filter block, and the same written from the keys that its data blocks have.
struct FilterBlocks {
  std::string stored;
  std::string rewritten;
};

FilterBlocks filter_blocks(const std::string& file) {
  const auto table = sstable::TableFile::open(bytes_of(file));
  const auto handle = table->find_meta("filter.leveldb.BuiltinBloomFilter2");
  const auto stored = table->read(**handle, "filter");
  const sstable::BlockHandle index_handle = table->footer().index;
  const auto index_block = table->read(index_handle, "index");
  const auto index =
      sstable::BlockIndex::read(index_block->contents(), index_handle.offset, sstable::IndexForm());
  LevelDbFilterBlockWriter writer(10);
  for (std::size_t i = 0; i < index->size(); ++i) {
    EXPECT_TRUE(writer.start_block(index->handle(i).offset));
    const auto block = table->read(index->handle(i), "data");
    EXPECT_TRUE(block) << block.error().to_string();
    auto entries = sstable::BlockEntries::open(block->contents(), 0);
    while (entries->next().value()) {
      writer.add_key(entries->key().substr(0, entries->key().size() - 8));
    }
  }
  // LevelDB also starts a block behind the last one.
  const sstable::BlockHandle last = index->handle(index->size() - 1);
  EXPECT_TRUE(writer.start_block(last.offset + last.size + 5));
  return {.stored = text_of(stored->contents()), .rewritten = writer.finish().value()};
}

TEST(LevelDbFilterBlock, WhatIsWrittenFromOffsetsAndKeysHasTheBytesInTheTable) {
  for (const Database& database : databases()) {
    const FilterBlocks blocks = filter_blocks(database.file);
    EXPECT_EQ(blocks.rewritten, blocks.stored) << database.name;
  }
}

TEST(LevelDbFilterBlock, AloneAnyOfItsFiltersMayMatch) {
  for (Database& database : databases()) {
    const std::string block = filter_blocks(database.file).stored;
    const auto filter = viewed(block, "leveldb:block");
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->dialect(), "leveldb:block");
    EXPECT_EQ(written(*filter), block);
    const std::uint64_t n = std::stoull(database.row["n"]);
    EXPECT_EQ(count_maybes(*filter, leveldb_range(database.row["keys"], 0, n).views()), n);
    const double rate = static_cast<double>(count_maybes(
                            *filter, leveldb_range(database.row["keys"], 1000000, 5000).views())) /
                        5000;
    // Filters of 64 bits and a few keys match more than fill^k: steps of h repeat.
    EXPECT_NEAR(rate, filter->current_fpp(), 0.15) << database.name;
    const auto found = recognise_dialects(bytes_of(block));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().name, "leveldb:block");
    EXPECT_EQ(found.front().recognition, Recognition::kMaybe);
  }
}

TEST(LevelDbFilterBlock, OffsetsOnlyAscend) {
  LevelDbFilterBlockWriter writer(10);
  ASSERT_TRUE(writer.start_block(5000));
  EXPECT_EQ(writer.start_block(4999).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(writer.start_block(std::uint64_t{1} << 60).error().code(), ErrorCode::kCapacity);
}

TEST(LevelDbFilterBlock, OneWithoutKeysSaysNo) {
  LevelDbFilterBlockWriter writer(10);
  const std::string block = writer.finish().value();
  EXPECT_EQ(block, std::string("\0\0\0\0\x0b", 5));
  EXPECT_FALSE(viewed(block, "leveldb:block")->may_contain("key"));
}

// "a" and "b" in filters 0 and 2, nothing in filter 1.
std::string small_block() {
  LevelDbFilterBlockWriter writer(10);
  EXPECT_TRUE(writer.start_block(0));
  writer.add_key("a");
  EXPECT_TRUE(writer.start_block(4096));
  writer.add_key("b");
  return writer.finish().value();
}

TEST(LevelDbFilterBlock, ADataBlockWithoutAFilterOfItsOwnAnswersMaybe) {
  const std::string bytes = small_block();
  const auto block = LevelDbFilterBlock::parse(bytes_of(bytes), 0);
  ASSERT_TRUE(block) << block.error().to_string();
  const std::uint32_t hash = leveldb_hash("c", TailBytes::kUnsigned);
  EXPECT_FALSE(block->may_match_at(0, hash));
  EXPECT_TRUE(block->may_match_at(2048, hash));  // LevelDB: no
  EXPECT_FALSE(block->may_match_at(4096, hash));
  EXPECT_TRUE(block->may_match_at(6144, hash));  // beyond the array
}

// A base of 64 and more would shift the offsets by more bits than they have.
TEST(LevelDbFilterBlock, BasesOfSixtyFourBitsAndMoreAreDamage) {
  std::string bytes = small_block();
  bytes.back() = 63;
  EXPECT_TRUE(view_dialect(bytes_of(bytes), "leveldb:block"));
  for (int lg = 64; lg < 256; ++lg) {
    bytes.back() = static_cast<char>(lg);
    EXPECT_EQ(view_dialect(bytes_of(bytes), "leveldb:block").error().code(), ErrorCode::kCorruption) << lg;
  }
}

// The second filter would end before it begins.
TEST(LevelDbFilterBlock, FiltersThatGoBackAreDamage) {
  const auto with_begins = [](std::initializer_list<unsigned> begins) {
    std::string bytes(18, '\1');
    for (const unsigned begin : begins) {
      bytes += text_of(make_bytes({begin, 0, 0, 0}));
    }
    return bytes + text_of(make_bytes({18, 0, 0, 0, 11}));
  };
  const std::string ascending = with_begins({0, 9, 12});
  EXPECT_TRUE(view_dialect(bytes_of(ascending), "leveldb:block"));
  for (const std::string& bytes :
       {with_begins({0, 12, 9}), with_begins({0, 18, 0}), with_begins({9, 9, 12})}) {
    EXPECT_EQ(view_dialect(bytes_of(bytes), "leveldb:block").error().code(), ErrorCode::kCorruption);
  }
}

TEST(LevelDbFilterBlock, OtherBytesAreNotRecognised) {
  for (const std::string bytes : {"", "ends", "no filter of any kind, but a line of text\n"}) {
    for (const auto& candidate : recognise_dialects(bytes_of(bytes))) {
      EXPECT_NE(candidate.name, "leveldb:block") << bytes;
    }
  }
}

// Every field that can contradict another one is refused; the bits can not.
TEST(LevelDbFilterBlock, DamageIsAnErrorOrTheAnswersOfTheBitsThatAreThere) {
  const std::string bytes = small_block();
  const std::string first = bytes.substr(0, 9);
  const std::string second = bytes.substr(9, 9);
  std::size_t refused = 0;
  const KeyRange keys(numbered_key, 0, 40);
  for_each_flip(bytes, [&](const std::string& damaged, const std::string& what) {
    const auto filter = view_dialect(bytes_of(damaged), "leveldb:block");
    refused += filter ? 0u : 1u;
    for (const std::string_view key : keys.views()) {
      const bool same_fields = damaged.substr(18) == bytes.substr(18);
      const bool says = raw_says(damaged.substr(0, 9), key) || raw_says(damaged.substr(9, 9), key);
      EXPECT_TRUE(!filter || !same_fields || (*filter)->may_contain(key) == says) << what;
    }
  });
  EXPECT_GT(refused, 20u);
}

TEST(LevelDbTable, EveryFlippedByteGivesAnErrorOrTheSameAnswers) {
  for (const std::string name : {"bigvalues", "churn"}) {
    const std::string file = unpacked_golden("leveldb/db_" + name + ".ldb");
    const KeyRange keys = leveldb_range("text", 200, 128);
    const auto whole = viewed(file, "leveldb");
    std::vector<std::uint64_t> before(2);
    whole->may_contain_batch(keys.views(), before);
    std::size_t refused = 0;
    std::string damaged = file;
    const auto check = [&](const std::string& what) {
      const auto filter = view_dialect(bytes_of(damaged), "leveldb");
      refused += filter ? 0u : 1u;
      std::vector<std::uint64_t> after = before;
      if (filter) {
        (*filter)->may_contain_batch(keys.views(), after);
      }
      ASSERT_EQ(after, before) << what;
    };
    // Behind the data blocks, which are not read, every byte.
    const auto table = sstable::TableFile::open(bytes_of(file));
    const std::size_t meta = table->find_meta("filter.leveldb.BuiltinBloomFilter2").value()->offset;
    for_each_flip(std::string_view(file).substr(meta), [&](const std::string& end, const std::string& what) {
      damaged.replace(meta, std::string::npos, end);
      check(what);
    });
    EXPECT_EQ(refused, 3 * (file.size() - meta)) << "nothing behind the data blocks may change";
    for (std::size_t i = 0; i < meta; i += 997) {
      damaged = file;
      damaged[i] = static_cast<char>(~damaged[i]);
      check("byte " + std::to_string(i));
    }
  }
}

// A frame of zstd that says it has 1 GiB, in 40 KiB that could.
TEST(LevelDbTable, ABlockThatClaimsTooMuchIsNotAllocated) {
  std::string file = "\x28\xb5\x2f\xfd\xa0" + std::string("\0\0\0\x40", 4) + std::string(40 << 10, '\0');
  const std::size_t size = file.size();
  file += '\2';
  std::string checksum(4, '\0');
  store_little(reinterpret_cast<std::byte*>(checksum.data()),
               sstable::block_checksum(sstable::ChecksumKind::kCrc32c, bytes_of(file)));
  file += checksum;
  std::string handle(1 + kMaxVarintBytes, '\0');
  handle.resize(1 + write_varint(reinterpret_cast<std::byte*>(handle.data()) + 1, size));
  std::string handles = handle + handle;
  handles.resize(40);
  file += handles + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  EXPECT_EQ(view_dialect(bytes_of(file), "leveldb").error().code(), ErrorCode::kCapacity);
}

TEST(LevelDbTable, EveryCutIsAnError) {
  const std::string file = unpacked_golden("leveldb/db_binary.ldb");
  for_each_cut(file, [](const std::string& cut, const std::string& what) {
    ASSERT_FALSE(view_dialect(bytes_of(cut), "leveldb")) << what;
    ASSERT_FALSE(view_dialect(bytes_of(cut), "")) << what;
  });
}

TEST(LevelDbTable, ItsEndIsNotTakenForARawFilter) {
  std::string file = unpacked_golden("leveldb/db_churn.ldb");
  for (const std::string name : {"leveldb:raw", "leveldb:block"}) {
    EXPECT_EQ(view_dialect(bytes_of(file), name).error().code(), ErrorCode::kInvalidArgument);
    file.back() = '\6';  // a k that a filter could have
    EXPECT_FALSE(view_dialect(bytes_of(file), name));
  }
  EXPECT_EQ(view_dialect(bytes_of(golden_file("leveldb/text_b10_n10.filter")), "leveldb").error().code(),
            ErrorCode::kCorruption);
}

// A manifest of one record.
std::string manifest_of(const std::string& record) {
  std::string body = '\1' + record;
  std::string bytes(6, '\0');
  auto* const front = reinterpret_cast<std::byte*>(bytes.data());
  store_little(front, sstable::block_checksum(sstable::ChecksumKind::kCrc32c, bytes_of(body)));
  store_little(front + 4, static_cast<std::uint16_t>(record.size()));
  return bytes + body;
}

std::string manifest_of_comparator(const std::string& name) {
  return manifest_of('\1' + std::string(1, static_cast<char>(name.size())) + name + "\2\3\3\4");
}

TEST(LevelDbManifest, NamesTheOrderOfTheKeys) {
  EXPECT_EQ(comparator_in_manifest(bytes_of(manifest_of_comparator("idb_cmp1"))).value(), "idb_cmp1");
  EXPECT_EQ(comparator_in_manifest(bytes_of(manifest_of("\2\3"))).value(), std::nullopt);
  EXPECT_FALSE(comparator_in_manifest(bytes_of(manifest_of(""))));
  EXPECT_FALSE(comparator_in_manifest(bytes_of(manifest_of("\1\2k"))));
  const std::string whole = manifest_of_comparator("idb_cmp1");
  const auto is_error = [](const std::string& damaged, const std::string& what) {
    EXPECT_FALSE(comparator_in_manifest(bytes_of(damaged))) << what;
  };
  for_each_flip(whole, is_error);
  for_each_cut(whole, is_error);
}

TEST(LevelDbTable, OfADatabaseInAnotherOrderIsRefused) {
  const TestFolder folder;
  folder.write("000005.ldb", unpacked_golden("leveldb/db_churn.ldb"));
  const auto code = [&folder] {
    const auto filter = open_dialect(folder.path("000005.ldb"));
    return filter ? std::optional<ErrorCode>() : filter.error().code();
  };
  EXPECT_EQ(code(), std::nullopt);
  folder.write("CURRENT", "MANIFEST-000004\n");
  EXPECT_EQ(code(), std::nullopt);  // the table was copied without it
  folder.write("MANIFEST-000004", manifest_of_comparator(kBytewiseComparator));
  EXPECT_EQ(code(), std::nullopt);
  folder.write("MANIFEST-000004", manifest_of_comparator("idb_cmp1"));
  EXPECT_EQ(code(), ErrorCode::kUnsupported);
  folder.write("MANIFEST-000004", "");
  EXPECT_EQ(code(), ErrorCode::kCorruption);
  folder.write("CURRENT", "../MANIFEST-000004\n");
  EXPECT_EQ(code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery
