// Database directories that LevelDB 1.23 and RocksDB 11.8.1 wrote: what is live, what is asked, what is missing.
#include "bloomery/dialects/database.h"

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/sstable/log_records.h"
#include "compress/block_compress.h"
#include "tests/base/test_folder.h"
#include "tests/codec/crafted_log.h"
#include "tests/codec/damage.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKeys = 400;  // key000000 to key000399 are in each of them

std::string golden_path(const std::string& name) {
  return std::string(BLOOMERY_SOURCE) + "/tests/golden/" + name;
}

// A copy of a golden database.
class Copy {
 public:
  explicit Copy(const std::string& golden) {
    for (const auto& entry : fs::directory_iterator(golden_path(golden))) {
      const std::string name = entry.path().filename().string();
      folder_.write(name, golden_file(golden + "/" + name));
    }
  }

  const TestFolder& folder() const { return folder_; }
  Result<Database> open(const DatabaseOptions& options = {}) const {
    return Database::open(folder_.path(""), options);
  }
  void remove(const std::string& name) const { fs::remove(folder_.path(name)); }

 private:
  TestFolder folder_;
};

ErrorCode code_of(const Result<Database>& database) {
  EXPECT_FALSE(database);
  return database ? ErrorCode::kIo : database.error().code();
}

std::uint64_t maybes_of_present(const Database& database) {
  std::uint64_t maybes = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    maybes += std::uint64_t{database.ask(numbered_key(i)) != DatabaseAnswer::kNo};
  }
  return maybes;
}

std::uint64_t maybes_of_absent(const Database& database) {
  std::uint64_t maybes = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    maybes += std::uint64_t{database.ask("key000100 absent " + std::to_string(i)) != DatabaseAnswer::kNo};
  }
  return maybes;
}

// The records of a log in frames of zstd, as RocksDB writes them with wal_compression. They must fit into a block of the log.
std::string compressed_log(const std::string& log, std::uint64_t number) {
  std::string compressed = log_piece(9, little_bytes(std::uint32_t{7}));
  BlockCompressor compressor = BlockCompressor::create(BlockCodec::kZstd).value();
  sstable::LogRecords records(bytes_of(log), number, "log");
  while (records.next().value()) {
    std::string frame(compressor.largest_compressed(records.record().size()), '\0');
    frame.resize(compressor.compress(records.record(), std::as_writable_bytes(std::span(frame))).value());
    compressed += log_piece(1, frame);
  }
  EXPECT_LT(compressed.size(), 32768u);
  return compressed;
}

TEST(Database, ALogThatIsCompressedIsAsked) {
  const Copy copy("rocksdb/db_logged_fv7");
  const auto plain = copy.open();
  ASSERT_TRUE(plain) << plain.error().to_string();
  ASSERT_GT(plain->log_keys(), 0u);
  copy.folder().write("000004.log", compressed_log(golden_file("rocksdb/db_logged_fv7/000004.log"), 4));
  const auto compressed = copy.open();
  ASSERT_TRUE(compressed) << compressed.error().to_string();
  EXPECT_EQ(compressed->log_keys(), plain->log_keys());
  EXPECT_EQ(maybes_of_present(*compressed), kKeys);
  EXPECT_LT(maybes_of_absent(*compressed), 60u);
  ASSERT_EQ(compressed->logs().size(), 1u);
  EXPECT_EQ(compressed->logs().front().writes, plain->logs().front().writes);
  EXPECT_FALSE(compressed->logs().front().is_torn);
}

TEST(Database, HasAllKeysThatWereWritten) {
  for (const char* const name :
       {"leveldb/db_logged", "rocksdb/db_full_fv6", "rocksdb/db_partitioned_fv7", "rocksdb/db_families_fv7",
        "rocksdb/db_logged_fv7", "rocksdb/db_backwards_fv7"}) {
    const auto database = Database::open(golden_path(name));
    ASSERT_TRUE(database) << database.error().to_string();
    EXPECT_EQ(maybes_of_present(*database), kKeys) << name;
    EXPECT_LT(maybes_of_absent(*database), 60u) << name;
    EXPECT_EQ(database->ignored_files(), 0u) << name;
    EXPECT_FALSE(database->manifest_is_torn()) << name;
    for (const DatabaseFamily& family : database->families()) {
      for (const DatabaseFile& file : family.files) {
        EXPECT_NE(file.filter, nullptr) << name << " " << file.trouble;
      }
    }
  }
}

TEST(Database, TellsLevelsAndRanges) {
  const auto database = Database::open(golden_path("rocksdb/db_full_fv6"));
  ASSERT_TRUE(database);
  ASSERT_EQ(database->families().size(), 1u);
  const std::vector<DatabaseFile>& files = database->families()[0].files;
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].level, 0u);
  EXPECT_EQ(files[0].name, "000011.sst");
  EXPECT_EQ(files[0].smallest, "key000320");
  EXPECT_EQ(files[0].largest, "key000359");
  EXPECT_EQ(files[2].level, 6u);
  EXPECT_EQ(files[2].smallest, "key000000");
  EXPECT_EQ(files[3].largest, "key000319");
}

TEST(Database, ALiveFileThatIsMissingOrOfAnotherSizeIsAnError) {
  for (const char* const name : {"leveldb/db_logged", "rocksdb/db_full_fv6"}) {
    const Copy copy(name);
    std::string file;
    {
      const auto database = copy.open();
      ASSERT_TRUE(database);
      file = database->families()[0].files[0].name;
    }
    const std::string bytes = copy.folder().read(file);
    copy.folder().write(file, bytes + '\0');
    EXPECT_EQ(code_of(copy.open()), ErrorCode::kCorruption);
    copy.remove(file);
    const auto missing = copy.open();
    EXPECT_EQ(code_of(missing), ErrorCode::kCorruption);
    EXPECT_NE(missing.error().to_string().find(file.substr(0, 6)), std::string::npos);
    // The name has the ending of the database's tables, if there are others to tell it.
    copy.folder().write("000001" + file.substr(6), "");
    EXPECT_NE(copy.open().error().to_string().find("the file " + file + ","), std::string::npos)
        << copy.open().error().to_string();
    copy.folder().write(file, bytes);
    EXPECT_TRUE(copy.open());
  }
}

TEST(Database, IgnoresFilesThatAreNotLive) {
  const Copy copy("rocksdb/db_full_fv6");
  copy.folder().write("000099.sst", unpacked_golden("rocksdb/ribbon_b10_fv5_text5000.sst"));
  copy.folder().write("000098.ldb", "no table");
  const auto database = copy.open();
  ASSERT_TRUE(database);
  EXPECT_EQ(database->ignored_files(), 2u);
  EXPECT_EQ(database->ask("key004999"), DatabaseAnswer::kNo);
}

TEST(Database, AFileWithoutAUsableFilterForcesMaybesInItsRangeOnly) {
  const Copy copy("rocksdb/db_full_fv6");
  std::string damaged = copy.folder().read("000011.sst");  // key000320 to key000359
  damaged[damaged.size() - 20] ^= 1;
  copy.folder().write("000011.sst", damaged);
  const auto database = copy.open();
  ASSERT_TRUE(database);
  EXPECT_TRUE(database->families()[0].files[0].is_damaged);
  EXPECT_NE(database->families()[0].files[0].trouble.find("corruption"), std::string::npos);
  EXPECT_EQ(maybes_of_present(*database), kKeys);
  EXPECT_EQ(database->ask("key000330x"), DatabaseAnswer::kForced);
  EXPECT_EQ(database->ask("key0003599"), DatabaseAnswer::kNo);
}

TEST(Database, KeysInOtherOrdersAreAskedOfAllFiles) {
  const auto database = Database::open(golden_path("rocksdb/db_backwards_fv7"));
  ASSERT_TRUE(database);
  EXPECT_EQ(database->families()[0].comparator, "rocksdb.ReverseBytewiseComparator");
  EXPECT_GT(database->families()[0].files[0].smallest, database->families()[0].files[0].largest);
}

TEST(Database, WithoutCurrentOrAManifestThereIsNone) {
  const TestFolder folder;
  EXPECT_EQ(code_of(Database::open(folder.path("nothing"))), ErrorCode::kNotFound);
  folder.write("000005.ldb", unpacked_golden("leveldb/db_churn.ldb"));
  EXPECT_EQ(code_of(Database::open(folder.path(""))), ErrorCode::kNotFound);
  folder.write("CURRENT", "MANIFEST-000002\n");
  EXPECT_EQ(code_of(Database::open(folder.path(""))), ErrorCode::kCorruption);
  folder.write("MANIFEST-000002", "");
  EXPECT_EQ(code_of(Database::open(folder.path(""))), ErrorCode::kCorruption);
  for (const char* const wrong :
       {"", "MANIFEST-000002", "MANIFEST-\n", "MANIFEST-2/x\n", "../MANIFEST-2\n"}) {
    folder.write("CURRENT", wrong);
    EXPECT_EQ(code_of(Database::open(folder.path(""))), ErrorCode::kCorruption) << wrong;
  }
}

// Pebble has markers in the place of CURRENT, and leaves one there that names no manifest. This was a database that is damaged.
TEST(Database, OneOfPebbleIsNamed) {
  const Copy copy("rocksdb/db_full_fv6");
  copy.folder().write("marker.format-version.000001.001", "");
  EXPECT_TRUE(copy.open()) << "Pebble's first format is RocksDB's";
  for (const char* const other : {"marker.manifest.x.MANIFEST-000001", "marker.manifest.000001",
                                  "marker.manifest.1.", "marker.other.000001.MANIFEST-000001"}) {
    copy.folder().write(other, "");
    EXPECT_TRUE(copy.open()) << other;
  }
  const auto named = [&copy] {
    const auto database = copy.open();
    EXPECT_EQ(code_of(database), ErrorCode::kUnsupported);
    return database ? "" : database.error().to_string();
  };
  copy.folder().write("marker.manifest.000009.MANIFEST-000017", "");
  copy.folder().write("marker.manifest.000010.MANIFEST-000023", "");
  copy.folder().write("marker.format-version.000012.013", "");
  copy.folder().write("CURRENT", "MANIFEST-000000\n");
  EXPECT_NE(named().find("found one of Pebble of format 013 (manifest MANIFEST-000023)"), std::string::npos)
      << named();
  copy.remove("CURRENT");
  EXPECT_NE(named().find("found one of Pebble of format 013"), std::string::npos) << named();
  copy.remove("marker.format-version.000012.013");
  copy.remove("marker.format-version.000001.001");
  EXPECT_NE(named().find("found one of Pebble (manifest MANIFEST-000023)"), std::string::npos) << named();
}

TEST(Database, TheLogCounts) {
  const Copy copy("rocksdb/db_logged_fv7");
  const auto database = copy.open();
  ASSERT_TRUE(database);
  ASSERT_EQ(database->logs().size(), 1u);
  EXPECT_EQ(database->logs()[0].writes, 205u);
  EXPECT_EQ(database->log_keys(), 205u);
  for (const char* const key :
       {"key000200", "key000399", "deleted-1", "deleted-2", "deleted-3", "deleted-4", "range-begin"}) {
    EXPECT_EQ(database->ask(key), DatabaseAnswer::kMaybe) << key;
  }
  EXPECT_EQ(database->ask("range-end"), DatabaseAnswer::kNo);
  EXPECT_EQ(database->ask("a note"), DatabaseAnswer::kNo);
  copy.remove("000004.log");
  const auto without = copy.open();
  ASSERT_TRUE(without);
  EXPECT_TRUE(without->logs().empty());
  EXPECT_EQ(without->ask("key000399"), DatabaseAnswer::kNo);
}

TEST(Database, AnOldLogIsNotRead) {
  const Copy copy("leveldb/db_logged");
  const auto before = copy.open();
  ASSERT_TRUE(before);
  copy.folder().write("000002.log", copy.folder().read("000013.log"));
  const auto after = copy.open();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->logs().size(), before->logs().size());
  EXPECT_EQ(after->log_keys(), 100u);
}

TEST(Database, ATornLogHasTheWritesBeforeTheTear) {
  const Copy copy("leveldb/db_logged");
  const std::string log = copy.folder().read("000013.log");
  constexpr std::size_t kWriteBytes = 52;
  for (std::size_t size = 0; size < log.size(); size += 13) {
    copy.folder().write("000013.log", log.substr(0, size));
    const auto database = copy.open();
    ASSERT_TRUE(database) << size << database.error().to_string();
    EXPECT_EQ(database->log_keys(), size / kWriteBytes) << size;
    EXPECT_EQ(database->logs()[0].is_torn, size % kWriteBytes != 0) << size;
  }
  copy.folder().write("000013.log", log + std::string(5000, '\0'));
  EXPECT_EQ(copy.open()->log_keys(), 100u);
  std::string damaged = log;
  damaged[100] ^= 1;
  copy.folder().write("000013.log", damaged);
  EXPECT_EQ(code_of(copy.open()), ErrorCode::kCorruption);
}

TEST(Database, LogsElsewhereAreReadWhereTheOptionsSay) {
  const Copy copy("rocksdb/db_logged_fv7");
  const TestFolder logs;
  logs.write("000004.log", copy.folder().read("000004.log"));
  copy.remove("000004.log");
  copy.folder().write("OPTIONS-000007", "[DBOptions]\n  wal_dir=" + logs.path("") + "\n");
  const auto database = copy.open();
  ASSERT_TRUE(database) << database.error().to_string();
  EXPECT_EQ(database->log_keys(), 205u);
  copy.folder().write("OPTIONS-000008", "  wal_dir=" + logs.path("none") + "\n");
  EXPECT_EQ(code_of(copy.open()), ErrorCode::kNotFound);
  copy.folder().write("OPTIONS-000009", "  wal_dir=\n");
  EXPECT_TRUE(copy.open()->logs().empty());
}

TEST(Database, OneColumnFamilyOrAll) {
  const Copy copy("rocksdb/db_families_fv7");
  const auto all = copy.open();
  const auto other = copy.open({.column_family = "other"});
  ASSERT_TRUE(all && other);
  EXPECT_EQ(all->families().size(), 2u);
  ASSERT_EQ(other->families().size(), 1u);
  std::uint64_t odd = 0;
  std::uint64_t even = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    (i % 2 == 0 ? even : odd) += std::uint64_t{other->ask(numbered_key(i)) != DatabaseAnswer::kNo};
  }
  EXPECT_EQ(odd, kKeys / 2);
  EXPECT_LT(even, 20u);
  EXPECT_EQ(other->ignored_files(), 0u);  // those of the other family are live
  EXPECT_EQ(code_of(copy.open({.column_family = "third"})), ErrorCode::kInvalidArgument);
}

TEST(Database, AFilterOfPrefixesIsAskedForThePrefix) {
  const Copy copy("rocksdb/db_fixed_fv6");
  for (const char* const extractor : {"", "fixed:8", "rocksdb.FixedPrefix.8"}) {
    const auto database = copy.open({.prefix_extractor = extractor});
    ASSERT_TRUE(database) << database.error().to_string();
    EXPECT_EQ(maybes_of_present(*database), kKeys);
    EXPECT_EQ(database->ask("key00010 and more"), DatabaseAnswer::kMaybe);  // shares its prefix
    EXPECT_EQ(database->ask("key0001"), DatabaseAnswer::kForced);           // has none
    EXPECT_EQ(database->ask("key0001xyz"), DatabaseAnswer::kNo);
  }
  EXPECT_EQ(code_of(copy.open({.prefix_extractor = "fixed:7"})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(copy.open({.prefix_extractor = "some:8"})), ErrorCode::kInvalidArgument);
}

TEST(Database, ADamagedManifestLosesNothingButItsTail) {
  for (const auto& [golden, name] : {std::pair("leveldb/db_logged", "MANIFEST-000011"),
                                     std::pair("rocksdb/db_families_fv7", "MANIFEST-000005")}) {
    const Copy copy(golden);
    const std::string manifest = name;
    const std::string bytes = copy.folder().read(manifest);
    const auto try_it = [&](const std::string& damaged, const std::string& what) {
      copy.folder().write(manifest, damaged);
      const auto database = copy.open();
      // As in the systems themselves, a record whose end the file lacks is no part of the manifest.
      if (database && !database->manifest_is_torn()) {
        ADD_FAILURE() << manifest << " " << what;
      }
    };
    for_each_flip(bytes, try_it, Flips::kOneInTurn);
    copy.folder().write(manifest, bytes.substr(0, bytes.size() - 1));
    const auto torn = copy.open();
    EXPECT_TRUE(!torn || torn->manifest_is_torn());
  }
}

TEST(Database, DamagedTablesOfVersions6And7AreErrorsOrDenyNoKey) {
  for (const char* const name : {"rocksdb/db_full_fv6/000011.sst", "rocksdb/db_partitioned_fv7/000011.sst",
                                 "rocksdb/db_fixed_fv6/000012.sst"}) {
    const std::string bytes = golden_file(name);
    const auto whole = view_dialect(bytes_of(bytes), "rocksdb");
    ASSERT_TRUE(whole) << whole.error().to_string();
    std::vector<std::string> present;
    for (std::uint64_t i = 320; i < kKeys; ++i) {
      if ((*whole)->may_contain(numbered_key(i))) {
        present.push_back(numbered_key(i));
      }
    }
    ASSERT_GE(present.size(), 40u);
    const auto ask = [&](const std::string& damaged, const std::string& what) {
      const auto filter = view_dialect(bytes_of(damaged), "rocksdb");
      for (const std::string& key : present) {
        ASSERT_TRUE(!filter || (*filter)->may_contain(key)) << name << " " << what;
      }
    };
    for_each_flip(bytes, ask);
    for_each_cut(bytes, [&](const std::string& cut, const std::string& what) {
      EXPECT_FALSE(view_dialect(bytes_of(cut), "rocksdb")) << name << " " << what;
    });
  }
}

}  // namespace
}  // namespace bloomery
