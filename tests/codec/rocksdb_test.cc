// The RocksDB dialect against files and counts of RocksDB 7.8.3.
#include <array>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "codec/rocksdb/sizing.h"
#include "codec/sstable/table_file.h"
#include "hash/leveldb_hash.h"
#include "hash/rocksdb_hash64.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

std::string rocksdb_key(const std::string& family, std::uint64_t i) {
  if (family == "binary") {
    return rocksdb_binary_key(i);
  }
  return family == "long" ? rocksdb_long_key(i) : numbered_key(i);
}

KeyRange rocksdb_range(const std::string& family, std::uint64_t first, std::uint64_t count) {
  return KeyRange([&family](std::uint64_t i) { return rocksdb_key(family, i); }, first, count);
}

// A file of the manifest.
struct Golden {
  std::map<std::string, std::string> row;
  std::string file;

  std::uint64_t number(const std::string& column) const { return std::stoull(row.at(column)); }
  // What it was asked to be made as.
  std::string dialect() const {
    const std::string& name = row.at("file");
    for (const std::string kind : {"legacy", "ribbon"}) {
      if (name.find(kind) != std::string::npos) {
        return "rocksdb:" + kind;
      }
    }
    return "rocksdb:fastlocal";
  }
};

std::vector<Golden> goldens() {
  std::vector<Golden> all;
  for (auto& row : golden_table("rocksdb/manifest.csv")) {
    all.push_back({row, unpacked_golden("rocksdb/" + row["file"])});
  }
  return all;
}

// The bytes of a table's full filter.
std::string full_filter_of(const std::string& file) {
  const auto table = sstable::TableFile::open(bytes_of(file));
  const auto handle = table->find_meta("fullfilter.rocksdb.BuiltinBloomFilter");
  const auto block = table->read(**handle, "filter");
  return text_of(block->contents());
}

TEST(RocksDbTable, FiltersFoundInItGiveTheCountsOfRocksDb) {
  for (const Golden& golden : goldens()) {
    SCOPED_TRACE(golden.row.at("file"));
    const auto filter = viewed(golden.file, "");
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->dialect(), "rocksdb:table");
    const KeyRange present = rocksdb_range(golden.row.at("keys"), 0, golden.number("n"));
    EXPECT_EQ(count_maybes(*filter, present.views()), golden.number("present_filter_positives"));
    const std::vector<std::string> absent = slashed(present.views());
    const std::vector<std::string_view> views(absent.begin(), absent.end());
    EXPECT_EQ(count_maybes(*filter, views), golden.number("absent_filter_positives"));
    EXPECT_EQ(written(*filter), golden.file);
    EXPECT_NE(filter->facts().integrity, "none");
    EXPECT_EQ(filter->insert("key").error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(filter->merge(*filter).error().code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(filter->is_static());
  }
}

TEST(RocksDbFilter, WhatIsMadeHasTheBytesInTheTable) {
  for (const Golden& golden : goldens()) {
    if (golden.row.at("file").starts_with("extra")) {
      continue;  // partitions, and prefixes that are not keys
    }
    SCOPED_TRACE(golden.row.at("file"));
    KeyRange keys = rocksdb_range(golden.row.at("keys"), 0, golden.number("n"));
    // Any order, some keys twice.
    std::vector<std::string_view> shuffled(keys.views().begin(), keys.views().end());
    shuffled.insert(shuffled.end(), keys.views().begin(),
                    keys.views().begin() + static_cast<std::ptrdiff_t>(keys.views().size() / 3));
    std::mt19937_64 random(7);
    std::ranges::shuffle(shuffled, random);
    const auto filter =
        built(golden.dialect(), plan_with_bits(std::stod(golden.row.at("bits_per_key"))), shuffled);
    ASSERT_TRUE(filter) << filter.error().to_string();
    const std::string stored = full_filter_of(golden.file);
    EXPECT_EQ(stored.size(), golden.number("filter_size_property"));
    EXPECT_TRUE(written(**filter) == stored) << "other bytes";
    const auto opened = viewed(stored, golden.dialect());
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->dialect(), (*filter)->dialect());
    EXPECT_EQ(opened->facts().set_bits, (*filter)->facts().set_bits);
    EXPECT_TRUE(written(*opened) == stored);
    EXPECT_EQ(count_maybes(*opened, keys.views()), golden.number("n"));
  }
}

TEST(RocksDbFilter, TheExamplesOfThePage) {
  const std::vector<std::string_view> hello = {"hello"};
  const auto hex = [&hello](std::string_view dialect) {
    const auto filter = built(dialect, plan_with_bits(10), hello);
    std::string text;
    for (const char byte : written(**filter)) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += kDigits[static_cast<unsigned char>(byte) >> 4];
      text += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
  };
  const std::string fast_local =
      "00000001000100000000000002000000000200000000000000000000000000000000000000000000020800000000000000000"
      "000000000000000000000000000ff00060000";
  EXPECT_EQ(hex("rocksdb"), fast_local);
  EXPECT_EQ(hex("rocksdb:ribbon"), fast_local);  // so small a ribbon is a Bloom filter
  EXPECT_EQ(hex("rocksdb:legacy"),
            "000000010000000000400000000000000000000000000000000000000000000000000000000000000100000000"
            "004000000000000010000000000000040000000601000000");
}

TEST(RocksDbFilter, SizesAreThoseOfRocksDb) {
  const std::pair<std::uint64_t, std::uint64_t> slots[] = {
      {1, 256}, {248, 256}, {249, 384}, {500, 640}, {1000, 1024}, {5000, 5120}, {100000, 103552}};
  for (const auto& [entries, expected] : slots) {
    EXPECT_EQ(ribbon_slots(entries), expected) << entries;
  }
  EXPECT_DOUBLE_EQ(line_one_in(10, 6), 104.90235348782818);
  EXPECT_DOUBLE_EQ(line_one_in(5, 3), 10.788342018508663);
}

TEST(RocksDbFilter, OneWithoutKeysHasNoBytesAndSaysNo) {
  for (const std::string dialect : {"rocksdb:fastlocal", "rocksdb:ribbon", "rocksdb:legacy"}) {
    const auto filter = built(dialect, plan_with_bits(10), {});
    EXPECT_EQ(written(**filter), "");
    EXPECT_FALSE((*filter)->may_contain("key"));
    EXPECT_EQ(view_dialect({}, dialect).error().code(), ErrorCode::kCorruption) << "an empty file";
    EXPECT_FALSE(viewed("", dialect + ",forced")->may_contain("key"));
    EXPECT_EQ((*filter)->insert("key").error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ((*filter)->estimated_count().value(), 0);
  }
  // As old releases wrote it.
  EXPECT_FALSE(viewed(std::string("\6\0\0\0\0", 5), "rocksdb:legacy,forced")->may_contain("key"));
}

TEST(RocksDbFilter, OneToFiveBytesAreAnErrorWhereRocksDbAnswersNo) {
  for (const char kind : {'\0', '\6', '\xff', '\xfe', '\x80'}) {
    for (std::size_t size = 1; size <= 5; ++size) {
      std::string bytes(size, '\1');
      bytes.front() = kind;
      for (const std::string dialect : {"rocksdb:fastlocal", "rocksdb:ribbon", "rocksdb:legacy"}) {
        EXPECT_EQ(view_dialect(bytes_of(bytes), dialect).error().code(), ErrorCode::kCorruption);
      }
    }
  }
}

TEST(RocksDbFilter, ReservedAndContradictingTrailersMatchEverything) {
  const auto with = [](std::size_t data_bytes, std::initializer_list<unsigned> trailer) {
    return std::string(data_bytes, '\0') + text_of(make_bytes(trailer));
  };
  const std::string filters[] = {
      with(1, {0, 0, 0, 0, 0}),      // always true, as RocksDB writes it
      with(64, {0xfd, 0, 0, 0, 0}),  // reserved kinds
      with(64, {0x80, 0, 0, 0, 0}),
      with(64, {0xff, 1, 6, 0, 0}),  // fastlocal: another implementation, lines, k, rest, size
      with(64, {0xff, 0, 0x26, 0, 0}),
      with(64, {0xff, 0, 0, 0, 0}),
      with(64, {0xff, 0, 31, 0, 0}),
      with(64, {0xff, 0, 6, 1, 0}),
      with(65, {0xff, 0, 6, 0, 0}),
      with(64, {6, 0, 0, 0, 0}),  // legacy: lines that are none, or do not divide
      with(64, {6, 3, 0, 0, 0}),
      with(192, {6, 1, 0, 0, 0}),    // 192 is no power of two
      with(64, {0xfe, 7, 1, 0, 0}),  // ribbon: one block, half a segment
      with(24, {0xfe, 7, 2, 0, 0}),
  };
  for (const std::string& bytes : filters) {
    const bool made_so = &bytes == &filters[0];
    EXPECT_EQ(view_dialect(bytes_of(bytes), "rocksdb:fastlocal").has_value(), made_so);
    const auto filter = viewed(bytes, "rocksdb:fastlocal,forced");
    ASSERT_TRUE(filter);
    EXPECT_EQ(count_maybes(*filter, KeyRange(numbered_key, 0, 100).views()), 100u);
    EXPECT_EQ(filter->current_fpp(), 1);
    EXPECT_FALSE(filter->insert("key").value());
    EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
    EXPECT_EQ(written(*filter), bytes);
  }
}

// RocksDB makes an odd number of lines, each as long as a cache line, and at most 30 probes.
TEST(RocksDbFilter, LegacyShapesThatRocksDbNeverMakesAreRefusedUnlessForced) {
  const auto legacy = [](std::size_t lines, std::size_t line_bytes, unsigned k) {
    return std::string(lines * line_bytes, '\0') +
           text_of(make_bytes({k, static_cast<unsigned>(lines), 0, 0, 0}));
  };
  for (const std::string& made : {legacy(1, 64, 1), legacy(3, 128, 30), legacy(5, 256, 6)}) {
    EXPECT_TRUE(view_dialect(bytes_of(made), "rocksdb:legacy"));
  }
  for (const std::string& other :
       {legacy(2, 64, 6), legacy(3, 32, 6), legacy(1, 512, 6), legacy(1, 64, 31)}) {
    EXPECT_EQ(view_dialect(bytes_of(other), "rocksdb:legacy").error().code(), ErrorCode::kCorruption);
    EXPECT_TRUE(view_dialect(bytes_of(other), "rocksdb:legacy,forced"));
  }
}

TEST(RocksDbFilter, BloomFiltersTakeKeysLaterRibbonsDoNot) {
  const KeyRange keys(numbered_key, 0, 2000);
  for (const std::string dialect : {"rocksdb:fastlocal", "rocksdb:legacy"}) {
    const auto filter = built(dialect, plan_with_bits(10), keys.views().first(1000));
    const auto whole = built(dialect, plan_with_bits(10), keys.views().first(1000));
    std::uint64_t changed = 0;
    for (const std::string_view key : keys.views().subspan(1000)) {
      const bool was_in = (*filter)->may_contain(key);
      const bool change = (*filter)->insert(key).value();
      EXPECT_EQ(change, !was_in);
      changed += change ? 1 : 0;
    }
    EXPECT_EQ((*whole)->insert_batch(keys.views().subspan(1000)).value(), changed);
    EXPECT_EQ(written(**whole), written(**filter));
    EXPECT_EQ(count_maybes(**filter, keys.views()), 2000u);
    EXPECT_NEAR((*filter)->estimated_count().value(), 2000, 150);
    const Status refused = (*filter)->merge(**whole);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(refused.error().detail().find("cannot be merged"), std::string::npos);
  }
  const auto ribbon = built("rocksdb:ribbon", plan_with_bits(10), keys.views());
  EXPECT_EQ((*ribbon)->dialect(), "rocksdb:ribbon");
  EXPECT_TRUE((*ribbon)->is_static());
  EXPECT_EQ((*ribbon)->insert("key").error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ((*ribbon)->estimated_count().error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(count_maybes(**ribbon, keys.views()), 2000u);
}

TEST(RocksDbFilter, AnFppIsKeptAndForetold) {
  const KeyRange keys(numbered_key, 0, 30000);
  const KeyRange absent(numbered_key, 1000000, 100000);
  for (const std::string dialect : {"rocksdb:fastlocal", "rocksdb:legacy", "rocksdb:ribbon"}) {
    for (const double fpp : {0.1, 0.01, 0.001}) {
      const auto filter = built(dialect, {.capacity = 0, .fpp = fpp, .bits_per_key = {}}, keys.views());
      if (dialect == "rocksdb:legacy" && fpp < 0.005) {
        EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
        continue;
      }
      ASSERT_TRUE(filter);
      // The legacy filter's line and bits come from one hash of 32 bits: it errs more than its bits tell.
      const double slack = dialect == "rocksdb:legacy" ? 1.6 : 1.15;
      EXPECT_LE((*filter)->current_fpp(), fpp * slack) << dialect;
      EXPECT_LE(static_cast<double>(count_maybes(**filter, absent.views())), fpp * slack * 1e5 + 30)
          << dialect;
    }
  }
}

TEST(RocksDbFilter, ANameThatContradictsTheTrailerIsRefused) {
  const KeyRange keys(numbered_key, 0, 2000);
  const std::string kinds[] = {"rocksdb:fastlocal", "rocksdb:ribbon", "rocksdb:legacy"};
  for (const std::string& made : kinds) {
    const std::string bytes = written(**built(made, plan_with_bits(10), keys.views()));
    for (const std::string& named : kinds) {
      const bool small_ribbon = named == "rocksdb:ribbon" && made == "rocksdb:fastlocal";
      EXPECT_EQ(view_dialect(bytes_of(bytes), named).has_value(), named == made || small_ribbon);
    }
    EXPECT_FALSE(view_dialect(bytes_of(bytes), "rocksdb"));
    const auto found = recognise_dialects(bytes_of(bytes));
    EXPECT_TRUE(std::ranges::any_of(found, [&made](const auto& candidate) {
      return candidate.name == made && candidate.recognition == Recognition::kMaybe;
    }));
  }
  EXPECT_FALSE(build_dialect("rocksdb:wrong", plan_with_bits(10)));
  EXPECT_FALSE(build_dialect("rocksdb:table", plan_with_bits(10)));
  EXPECT_FALSE(build_dialect("rocksdb", plan_with_bits(0.4)));
}

std::uint64_t byte_at(std::string_view file, std::uint64_t i) {
  return static_cast<unsigned char>(file[i]);
}

std::uint64_t little_at(std::string_view file, std::uint64_t begin, std::uint64_t bytes) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    value |= byte_at(file, begin + i) << (8 * i);
  }
  return value;
}

using Wide = Uint128;

bool legacy_says(std::string_view file, std::string_view key) {
  const std::uint64_t data = file.size() - 5;
  const std::uint64_t lines = little_at(file, data + 1, 4);
  if (lines == 0 || data % lines != 0 || (data / lines & (data / lines - 1)) != 0) {
    return true;
  }
  std::uint32_t h = leveldb_hash(key, TailBytes::kSigned);
  const std::uint64_t line = h % lines * (data / lines) * 8;
  const std::uint32_t step = h >> 17 | h << 15;
  for (std::uint64_t i = 0; i < byte_at(file, data); ++i, h += step) {
    const std::uint64_t bit = line + h % (data / lines * 8);
    if ((byte_at(file, bit / 8) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

bool fast_local_says(std::string_view file, std::string_view key) {
  const std::uint64_t data = file.size() - 5;
  const std::uint64_t k = byte_at(file, data + 2);
  if (byte_at(file, data + 1) != 0 || little_at(file, data + 3, 2) != 0 || k < 1 || k > 30 ||
      data % 64 != 0) {
    return true;
  }
  const std::uint64_t hash = rocksdb_hash64(key);
  const std::uint64_t line = (hash & 0xffffffff) * (data / 64) >> 32;
  auto x = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint64_t i = 0; i < k; ++i, x *= 0x9e3779b9) {
    const std::uint64_t bit = line * 512 + (x >> 23);
    if ((byte_at(file, bit / 8) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

bool ribbon_says(std::string_view file, std::string_view key) {
  const std::uint64_t data = file.size() - 5;
  const std::uint64_t blocks = little_at(file, data + 2, 3);
  if (blocks < 2 || data % 16 != 0) {
    return true;
  }
  const std::uint64_t segments = data / 16;
  std::uint64_t columns = (segments + blocks - 1) / blocks;
  std::uint64_t narrow = columns * blocks - segments;
  if (columns > 32) {
    columns = 32;
    narrow = 0;
  }
  std::uint64_t t = byte_at(file, data + 1) * 0xc78219a23eeadd03;
  t ^= (t & 0xf0f0f0f0f0f0f0f0) >> 4;
  const std::uint64_t g = (rocksdb_hash64(key) ^ (t & 0xffffffff)) * 0x6193d459236a3a0d;
  const auto start = static_cast<std::uint64_t>((Wide{g} * (blocks * 128 - 127)) >> 64);
  const std::uint64_t a = g * 0xc28f82822b650bed;
  const Wide row = Wide{a} << 64 | (a ^ 0xc367844a6e52731d) | 1;
  for (std::uint64_t j = 0; j < columns - (start / 128 < narrow ? 1 : 0); ++j) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 128; ++i) {  // slot by slot
      if ((static_cast<std::uint64_t>(row >> i) & 1) == 0) {
        continue;
      }
      const std::uint64_t begin = start / 128;
      const std::uint64_t own = columns - (begin < narrow ? 1 : 0);
      const std::uint64_t first = begin * columns - std::min(begin, narrow);
      const std::uint64_t segment = first + j + ((start + i) / 128 == begin ? 0 : own);
      const std::uint64_t slot = (start + i) % 128;
      sum ^= byte_at(file, segment * 16 + slot / 8) >> (slot % 8) & 1;
    }
    if (sum != (a >> (56 - 8 * (j / 8) + j % 8) & 1)) {
      return false;
    }
  }
  return true;
}

bool any_kind_says(std::string_view file, std::string_view key) {
  const std::uint64_t kind = byte_at(file, file.size() - 5);
  if (kind == 0xff) {
    return fast_local_says(file, key);
  }
  if (kind == 0xfe) {
    return ribbon_says(file, key);
  }
  return kind == 0 || kind >= 0x80 || legacy_says(file, key);
}

TEST(RocksDbFilter, DamageIsAnErrorOrTheAnswersOfTheBitsThatAreThere) {
  const KeyRange keys(numbered_key, 280, 40);
  for (const Golden& golden : goldens()) {
    const std::string& name = golden.row.at("file");
    if (name != "raw_fastlocal_b9.90_n300.sst" && name != "raw_legacy_b9.90_n300.sst" &&
        name != "raw_ribbon_b20.0_n300.sst") {
      continue;
    }
    SCOPED_TRACE(name);
    const auto check = [&](const std::string& damaged, const std::string& what) {
      for (const std::string kind : {"fastlocal", "legacy", "ribbon"}) {
        const auto filter = view_dialect(bytes_of(damaged), "rocksdb:" + kind);
        for (const std::string_view key : keys.views()) {
          const bool says = !damaged.empty() && any_kind_says(damaged, key);
          ASSERT_TRUE(!filter || (*filter)->may_contain(key) == says) << what << ", " << kind;
        }
      }
    };
    const std::string file = full_filter_of(golden.file);
    for_each_flip(file, check);
    for (std::size_t size = 6; size < file.size(); ++size) {
      check(file.substr(0, size), "cut to " + std::to_string(size));
    }
  }
}

TEST(RocksDbTable, EveryFlippedByteAndCutGivesAnErrorOrTheSameAnswers) {
  const KeyRange keys(numbered_key, 0, 64);
  for (const Golden& golden : goldens()) {
    const std::string& name = golden.row.at("file");
    const bool partitioned = name.starts_with("extra_partitioned");
    if (golden.number("n") != 10 && golden.number("n") != 500 && !partitioned) {
      continue;
    }
    SCOPED_TRACE(name);
    const auto whole = viewed(golden.file, "rocksdb");
    std::vector<std::uint64_t> before(1);
    whole->may_contain_batch(keys.views(), before);
    std::string damaged = golden.file;
    const auto check = [&](const std::string& bytes, const std::string& what) {
      const auto filter = view_dialect(bytes_of(bytes), "rocksdb");
      std::vector<std::uint64_t> after = before;
      if (filter) {
        (*filter)->may_contain_batch(keys.views(), after);
      }
      EXPECT_EQ(after, before) << what;
      return filter.has_value();
    };
    // Of long files the end, where all but the data blocks is.
    const std::size_t begin = golden.file.size() - std::min<std::size_t>(golden.file.size(), 9000);
    const std::size_t step = partitioned ? 7 : 1;
    for (std::size_t i = begin; i < golden.file.size(); i += step) {
      for (const int mask : flips_of(i, Flips::kAll)) {
        damaged[i] = static_cast<char>(golden.file[i] ^ mask);
        check(damaged, "byte " + std::to_string(i) + " ^ " + std::to_string(mask));
      }
      damaged[i] = golden.file[i];
    }
    for (std::size_t size = begin; size < golden.file.size(); ++size) {
      EXPECT_FALSE(check(golden.file.substr(0, size), "cut to " + std::to_string(size)));
      ASSERT_FALSE(view_dialect(bytes_of(golden.file).first(size))) << size;
    }
  }
}

// A table without checksums: what its metaindex and properties say of the filter must agree.
TEST(RocksDbTable, WithoutChecksumsAFlippedBitBesideTheFilterIsAnErrorOrDeniesNoKey) {
  for (const Golden& golden : goldens()) {
    const std::string& name = golden.row.at("file");
    if (name != "raw_fastlocal_b9.90_n10.sst" && name != "raw_legacy_b9.90_n10.sst" &&
        name != "raw_ribbon_b20.0_n300.sst") {
      continue;
    }
    SCOPED_TRACE(name);
    const std::uint64_t n = golden.number("n");
    const KeyRange keys(numbered_key, 0, n);
    std::string file = golden.file;
    file[file.size() - 53] = '\0';
    ASSERT_EQ(viewed(file, "rocksdb")->facts().integrity, "none");
    const auto table = sstable::TableFile::open(bytes_of(file));
    const auto filter = table->find_meta("fullfilter.rocksdb.BuiltinBloomFilter").value().value();
    for (std::size_t i = filter.offset + filter.size; i < file.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
        const auto opened = view_dialect(bytes_of(damaged), "rocksdb");
        EXPECT_TRUE(!opened || count_maybes(**opened, keys.views()) == n) << "byte " << i << ", bit " << bit;
      }
    }
  }
}

// The table with the value of a property changed, and the checksum made right again.
std::string with_property(std::string file, const std::string& entry, char value) {
  const auto table = sstable::TableFile::open(bytes_of(file));
  const sstable::BlockHandle handle = table->find_meta("rocksdb.properties").value().value();
  const std::size_t at = file.find(entry, handle.offset);
  EXPECT_NE(at, std::string::npos) << entry;
  file[at + entry.size()] = value;
  const std::uint32_t checksum = sstable::block_checksum(
      table->footer().checksum, bytes_of(file).subspan(handle.offset, handle.size + 1));
  store_little(reinterpret_cast<std::byte*>(file.data()) + handle.offset + handle.size + 1, checksum);
  return file;
}

TEST(RocksDbTable, AFilterOfPrefixesOnlyIsAskedForPrefixes) {
  const std::string file = unpacked_golden("rocksdb/extra_prefix6_fastlocal_b10_fv5_text5000.sst");
  const std::string prefixes = with_property(file, "whole.key.filtering", '0');
  const auto filter = view_dialect(bytes_of(prefixes), "rocksdb:table,prefix=fixed:6");
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_TRUE((*filter)->may_contain("key000 and what follows"));
  EXPECT_FALSE((*filter)->may_contain("yek000 and what follows"));
  EXPECT_TRUE((*filter)->may_contain("yek00"));
  EXPECT_FALSE((*filter)->can_tell("yek00"));
  EXPECT_EQ((*filter)->current_fpp(), 1);
  EXPECT_EQ(view_dialect(bytes_of(prefixes), "rocksdb:table,prefix=capped:6").error().code(),
            ErrorCode::kInvalidArgument);
  const std::string own = with_property(prefixes, "prefix.extractor.name", 'x');  // of the program's own
  EXPECT_TRUE(view_dialect(bytes_of(own), "rocksdb:table,prefix=fixed:6"));
  for (const std::string& unknown : {own, with_property(prefixes, "prefix.filtering", '0')}) {
    const auto refused = view_dialect(bytes_of(unknown), "rocksdb");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(refused.error().detail().find("prefixes"), std::string::npos);
  }
  EXPECT_TRUE(view_dialect(bytes_of(with_property(file, "whole.key.filtering", '1')), "rocksdb"));
}

TEST(RocksDbTable, PartitionsInAnotherOrderAreRefused) {
  const std::string file = unpacked_golden("rocksdb/extra_partitioned_fastlocal_b10_fv5_text5000.sst");
  const auto refused =
      view_dialect(bytes_of(with_property(file, "leveldb.BytewiseComparato", 'x')), "rocksdb");
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(viewed(file, "rocksdb")->facts().more.back(),
            (std::pair<std::string, std::string>("partitions", "7")));
}

// TiKV 7.2 to 8.1 wrote RocksDB's filter under a longer name. The file is RocksDB's, with user000000, user000002 ... in it.
TEST(RocksDbTable, AFilterUnderTiKvsNameIsAsked) {
  const std::string file = unpacked_golden("rocksdb/tikv_fullbloom.sst");
  const auto filter = view_dialect(bytes_of(file), "rocksdb:table");
  ASSERT_TRUE(filter) << filter.error().to_string();
  std::uint64_t present = 0;
  std::uint64_t absent = 0;
  for (int i = 0; i < 60; ++i) {
    std::array<char, 16> key;
    std::snprintf(key.data(), key.size(), "user%06d", 2 * i);
    present += std::uint64_t{(*filter)->may_contain(key.data())};
    std::snprintf(key.data(), key.size(), "user%06d", 2 * i + 1);
    absent += std::uint64_t{(*filter)->may_contain(key.data())};
  }
  EXPECT_EQ(present, 60u);
  EXPECT_LE(absent, 3u);
}

// Keys fall where the keys are: a partition is weighed by what it holds, so that the fpp is that which is counted.
TEST(RocksDbTable, TheFppOfPartitionsIsThatWhichIsCounted) {
  const std::string file = unpacked_golden("rocksdb/extra_partitioned_fastlocal_b10_fv5_text5000.sst");
  const auto filter = viewed(file, "rocksdb:table");
  const KeyRange keys([](std::uint64_t i) { return numbered_key(i % 5000) + "/" + std::to_string(i); }, 0,
                      200'000);
  const auto counted = static_cast<double>(count_maybes(*filter, keys.views())) / 200'000;
  EXPECT_NEAR(filter->current_fpp(), counted, 0.1 * counted);
}

TEST(RocksDbTable, LaterVersionsAndOtherSystemsAreNamed) {
  std::string file = unpacked_golden("rocksdb/raw_fastlocal_b9.90_n10.sst");
  file[file.size() - 12] = 8;
  const auto later = view_dialect(bytes_of(file));
  EXPECT_EQ(later.error().code(), ErrorCode::kUnsupported) << later.error().to_string();
  EXPECT_NE(later.error().detail().find("found 8"), std::string::npos);
  const std::string old = unpacked_golden("rocksdb/legacy_b10_fv0_text500.sst");  // with LevelDB's magic
  EXPECT_EQ(view_dialect(bytes_of(old), "leveldb").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(recognise_dialects(bytes_of(old)).front().name, "rocksdb:table");
  const std::string leveldb = unpacked_golden("leveldb/db_churn.ldb");
  EXPECT_EQ(view_dialect(bytes_of(leveldb), "rocksdb").error().code(), ErrorCode::kInvalidArgument);
}

// The equations of these keys contradict each other under the first seed. A builder that overlooks it answers no for keys
// that are in.
TEST(RocksDbFilter, ARibbonWhoseFirstSeedFailsLosesNoKey) {
  const KeyRange keys([](std::uint64_t i) { return std::to_string(i); }, 37000111, 8360);
  const auto filter =
      built("rocksdb:ribbon", {.capacity = 8360, .fpp = 0.01, .bits_per_key = {}}, keys.views());
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ((*filter)->dialect(), "rocksdb:ribbon");
  EXPECT_EQ(count_maybes(**filter, keys.views()), 8360u);
}

// Sets of all sizes and other keys: about one in thirty needs a second seed.
TEST(RocksDbFilter, RandomRibbonsLoseNoKey) {
  constexpr std::uint64_t kSeed = 20261122;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t first = random();
    const std::uint64_t count = 500 + random() % 8000;
    const KeyRange keys([](std::uint64_t i) { return std::to_string(i); }, first, count);
    const auto filter = built("rocksdb:ribbon", plan_with_bits(10), keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(count_maybes(**filter, keys.views()), count) << "seed " << kSeed << ", round " << round;
  }
}

// Five bytes are a filter without keys only as old releases wrote it: 1 to 127 probes, no lines.
TEST(RocksDbFilter, FiveBytesOfAnyOtherKindAreAnErrorAndNoEmptyFilter) {
  for (unsigned kind = 0; kind < 256; ++kind) {
    const std::string bytes = text_of(make_bytes({kind, 0, 0, 0, 0}));
    EXPECT_FALSE(view_dialect(bytes_of(bytes), "rocksdb:legacy")) << kind;
    const auto filter = view_dialect(bytes_of(bytes), "rocksdb:legacy,forced");
    if (kind >= 1 && kind <= 0x7f) {
      ASSERT_TRUE(filter) << kind;
      EXPECT_FALSE((*filter)->may_contain("key"));
    } else {
      ASSERT_FALSE(filter) << kind;
      EXPECT_EQ(filter.error().code(), ErrorCode::kCorruption);
    }
    EXPECT_FALSE(view_dialect(bytes_of(text_of(make_bytes({kind, 0, 0, 0, 1}))), "rocksdb:legacy")) << kind;
  }
}

// Each bound belongs to the smaller number of probes, as in RocksDB's BloomMath::ChooseNumProbes.
TEST(RocksDbFilter, ProbesAtTheBoundsOfBits) {
  constexpr std::uint32_t kUpTo[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                     11720, 14001, 16050, 18300, 22001, 25501};
  std::uint32_t probes = 1;
  for (const std::uint32_t millibits : kUpTo) {
    EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = millibits - 1}), probes);
    EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = millibits}), probes);
    EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = millibits + 1}),
              millibits == 25501 ? (millibits - 1 + 1) / 2000 - 1 : probes + 1);
    ++probes;
  }
  EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = 50000}), 23u);
  EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = 50001}), 24u);
  EXPECT_EQ(fast_local_hash_count({.bits = 0, .millibits = 100000}), 24u);
}

// Both systems' oldest tables end with the same magic; only the properties tell them apart.
TEST(RocksDbTable, ATableOfLevelDbIsNotRecognisedAsOne) {
  const std::string leveldb = unpacked_golden("leveldb/db_churn.ldb");
  const auto found = recognise_dialects(bytes_of(leveldb));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().name, "leveldb:table");
}

}  // namespace
}  // namespace bloomery
