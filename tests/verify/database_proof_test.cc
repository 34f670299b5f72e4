// A database's live tables are proven, and its manifest tells what is missing, swapped or cut.
#include "verify/database_proof.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
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
        "rocksdb/db_fixed_fv6", "rocksdb/db_full_fv6", "rocksdb/db_partitioned_fv7"}) {
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

TEST_F(DatabaseProof, AMissingTableIsDamage) {
  copy("leveldb/db_logged");
  fs::remove(file("000009.ldb"));
  EXPECT_EQ(prove(), (Verdicts{{"000005.ldb", Verdict::kSound},
                               {"000009.ldb", Verdict::kDamaged},
                               {"000012.ldb", Verdict::kSound},
                               {"MANIFEST-000011", Verdict::kSound}}));
}

// Two tables of equal size: each is intact, and each is the other's.
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
