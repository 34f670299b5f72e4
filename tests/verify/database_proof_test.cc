// A database's live tables are proven, and its manifest tells what is missing, swapped or cut.
#include "verify/database_proof.h"

#include <filesystem>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "codec/sstable/table_file.h"
#include "dialects/manifest_at.h"
#include "tests/base/test_folder.h"
#include "tests/codec/crafted_log.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

class DatabaseProof : public testing::Test {
 protected:
  void copy(const std::string& golden) const {
    fs::copy(std::string(BLOOMERY_SOURCE) + "/tests/golden/" + golden, folder_.path("db"),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }

  // The verdicts by the names of files.
  std::map<std::string, Verdict> prove() const {
    std::map<std::string, Verdict> verdicts;
    prove_database(folder_.path("db"), {}, [&](const Proof& proof) {
      verdicts[fs::path(proof.path).filename().string()] = proof.verdict();
    });
    return verdicts;
  }

  std::string file(const std::string& name) const { return folder_.path("db/" + name); }

  TestFolder folder_;
};

using Verdicts = std::map<std::string, Verdict>;

TEST_F(DatabaseProof, EveryGoldenDatabaseIsSound) {
  for (const char* const name :
       {"leveldb/db_logged", "rocksdb/db_logged_fv7", "rocksdb/db_backwards_fv7", "rocksdb/db_families_fv7",
        "rocksdb/db_fixed_fv6", "rocksdb/db_full_fv6", "rocksdb/db_partitioned_fv7", "rocksdb/db_ingested"}) {
    fs::remove_all(folder_.path("db"));
    copy(name);
    prove_database(folder_.path("db"), {}, [&](const Proof& proof) {
      EXPECT_EQ(proof.verdict(), Verdict::kSound)
          << proof.path << ": "
          << (proof.findings.empty() ? proof.unproven.front() : proof.findings.front().to_string());
    });
    EXPECT_GE(prove().size(), 2u) << name;
  }
}

// RocksDB wrote the number of 000010.sst into its properties, without a new checksum. Every other byte of the
// block is covered.
TEST_F(DatabaseProof, OnlyTheSequenceNumberOfAnIngestedTableHasNoChecksum) {
  copy("rocksdb/db_ingested");
  const std::string table = golden_file("rocksdb/db_ingested/000010.sst");
  const auto opened = sstable::TableFile::open(std::as_bytes(std::span(table)));
  const sstable::BlockHandle handle = opened->find_meta("rocksdb.properties").value().value();
  std::size_t sound = 0;
  for (std::uint64_t at = handle.offset; at < handle.offset + handle.size + sstable::kBlockTrailerBytes;
       ++at) {
    std::string damaged = table;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    folder_.write("db/000010.sst", damaged);
    sound += std::size_t{prove().at("000010.sst") == Verdict::kSound};
  }
  EXPECT_EQ(sound, sizeof(std::uint64_t));
}

TEST_F(DatabaseProof, AMissingTableIsDamage) {
  copy("leveldb/db_logged");
  fs::remove(file("000009.ldb"));
  EXPECT_EQ(prove(), (Verdicts{{"000005.ldb", Verdict::kSound},
                               {"000009.ldb", Verdict::kDamaged},
                               {"000012.ldb", Verdict::kSound},
                               {"MANIFEST-000011", Verdict::kSound}}));
}

// Two tables of equal size: each is intact, and each is the other's.
// While the first table is proven, a compaction replaces another one: a record of the manifest says so.
TEST_F(DatabaseProof, ATableThatIsReplacedMeanwhileIsNoDamage) {
  copy("leveldb/db_logged");
  const auto live = read_live_files(folder_.path("db"), *current_manifest(folder_.path("db")), {});
  ASSERT_TRUE(live) << live.error().to_string();
  const std::uint64_t level = live->families().at(0).files.at(9).level;
  bool has_changed = false;
  const auto compact = [&](std::uint64_t) {
    if (!std::exchange(has_changed, true)) {
      fs::remove(file("000009.ldb"));
      folder_.write("db/MANIFEST-000011", folder_.read("db/MANIFEST-000011") +
                                              log_piece(1, varint_of(6) + varint_of(level) + varint_of(9)));
    }
    return true;
  };
  Verdicts verdicts;
  prove_database(folder_.path("db"), {.memory = {}, .progress = compact}, [&](const Proof& proof) {
    verdicts[fs::path(proof.path).filename().string()] = proof.verdict();
  });
  EXPECT_TRUE(has_changed);
  EXPECT_EQ(verdicts, (Verdicts{{"000005.ldb", Verdict::kSound},
                                {"000012.ldb", Verdict::kSound},
                                {"MANIFEST-000011", Verdict::kSound}}));
}

TEST_F(DatabaseProof, SwappedTablesOfEqualSizeAreDamage) {
  copy("rocksdb/db_logged_fv7");
  fs::rename(file("000010.sst"), file("x"));
  fs::rename(file("000011.sst"), file("000010.sst"));
  fs::rename(file("x"), file("000011.sst"));
  ASSERT_EQ(fs::file_size(file("000010.sst")), fs::file_size(file("000011.sst")));
  const Verdicts verdicts = prove();
  EXPECT_EQ(verdicts.at("000010.sst"), Verdict::kDamaged);
  EXPECT_EQ(verdicts.at("000011.sst"), Verdict::kDamaged);
  EXPECT_EQ(verdicts.at("000009.sst"), Verdict::kSound);
}

TEST_F(DatabaseProof, ACutTableIsDamage) {
  copy("leveldb/db_logged");
  fs::resize_file(file("000012.ldb"), fs::file_size(file("000012.ldb")) - 1);
  EXPECT_EQ(prove().at("000012.ldb"), Verdict::kDamaged);
}

TEST_F(DatabaseProof, ADamagedManifestIsDamage) {
  copy("leveldb/db_logged");
  std::string manifest = folder_.read("db/MANIFEST-000011");
  manifest[20] = static_cast<char>(manifest[20] ^ 1);
  folder_.write("db/MANIFEST-000011", manifest);
  EXPECT_EQ(prove(), (Verdicts{{"MANIFEST-000011", Verdict::kDamaged}}));
  fs::remove(file("MANIFEST-000011"));
  EXPECT_EQ(prove(), (Verdicts{{"MANIFEST-000011", Verdict::kDamaged}}));
  folder_.write("db/CURRENT", "nonsense");
  EXPECT_EQ(prove(), (Verdicts{{"CURRENT", Verdict::kDamaged}}));
}

}  // namespace
}  // namespace bloomery
