// A directory is proven file by file: what is known by its kind, the rest is counted.
#include "verify/walk.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/codec/damage.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

using Verdicts = std::map<std::string, Verdict>;

class WalkTest : public testing::Test {
 protected:
  Verdicts prove(const std::string& name) {
    Verdicts verdicts;
    passed_over_ = {};
    status_ = prove_path(
        folder_.path(name), {},
        [&](const Proof& proof) {
          verdicts[fs::relative(proof.path, folder_.path("")).string()] = proof.verdict();
        },
        passed_over_);
    return verdicts;
  }

  TestFolder folder_;
  PassedOver passed_over_;
  Status status_;
};

TEST_F(WalkTest, EachFileOfADirectoryIsProvenByItsKind) {
  fs::create_directories(folder_.path("d/db"));
  fs::copy(std::string(BLOOMERY_SOURCE) + "/tests/golden/leveldb/db_logged", folder_.path("d/db"));
  folder_.write("d/db/000099.ldb", "half-written");
  folder_.write("d/a.bloom", golden_file("native/apple_banana_v1.bloom"));
  folder_.write("d/b.hfile", golden_file("hbase/bloom_row_default.hfile"));
  folder_.write("d/c.bf", golden_file("guava/int_s1.bf"));
  folder_.write("d/notes.txt", "nothing of ours");
  fs::create_directory_symlink(folder_.path("d"), folder_.path("d/db/loop"));
  EXPECT_EQ(prove("d"), (Verdicts{{"d/a.bloom", Verdict::kSound},
                                  {"d/b.hfile", Verdict::kSound},
                                  {"d/c.bf", Verdict::kUnproven},
                                  {"d/db/000005.ldb", Verdict::kSound},
                                  {"d/db/000009.ldb", Verdict::kSound},
                                  {"d/db/000012.ldb", Verdict::kSound},
                                  {"d/db/MANIFEST-000011", Verdict::kSound}}));
  EXPECT_TRUE(status_);
  EXPECT_EQ(passed_over_.files, 4u);  // notes.txt, CURRENT, the manifest and the log
  EXPECT_EQ(passed_over_.unlisted_tables, 1u);
}

TEST_F(WalkTest, ANamedFileOfNoKindIsAnError) {
  folder_.write("notes.txt", "nothing of ours");
  EXPECT_TRUE(prove("notes.txt").empty());
  ASSERT_FALSE(status_);
  EXPECT_EQ(status_.error().code(), ErrorCode::kCorruption);
  prove("missing");
  ASSERT_FALSE(status_);
  EXPECT_EQ(status_.error().code(), ErrorCode::kNotFound);
}

TEST_F(WalkTest, ATableWithoutAnEndIsDamagedByItsName) {
  folder_.write("foo.ldb", unpacked_golden("leveldb/db_none.ldb").substr(0, 3000));
  EXPECT_EQ(prove("foo.ldb").at("foo.ldb"), Verdict::kDamaged);
  folder_.write("foo.ldb", "");
  EXPECT_EQ(prove("foo.ldb").at("foo.ldb"), Verdict::kDamaged);
}

TEST_F(WalkTest, EveryGoldenNativeFileIsSoundAndNoneIsWithAFlippedByte) {
  for (const auto& entry : fs::directory_iterator(std::string(BLOOMERY_SOURCE) + "/tests/golden/native")) {
    const std::string name = entry.path().filename().string();
    if (name == "README.md") {
      continue;
    }
    const std::string bytes = golden_file("native/" + name);
    folder_.write("f", bytes);
    EXPECT_EQ(prove("f").at("f"), Verdict::kSound) << name;
    if (bytes.size() > 2000) {
      continue;
    }
    for_each_flip(
        bytes,
        [&](const std::string& damaged, const std::string& what) {
          folder_.write("f", damaged);
          const Verdicts verdicts = prove("f");
          EXPECT_TRUE(!status_ || verdicts.at("f") != Verdict::kSound) << name << ": " << what;
        },
        Flips::kOneInTurn);
  }
}

TEST_F(WalkTest, EveryGoldenHFileIsSoundOrHasNoFilter) {
  std::uint64_t sound = 0;
  for (const auto& entry : fs::directory_iterator(std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".hfile")) {
      continue;
    }
    folder_.write("f", golden_file("hbase/" + name));
    const Verdicts verdicts = prove("f");
    EXPECT_TRUE(verdicts.at("f") == Verdict::kSound || verdicts.at("f") == Verdict::kUnproven) << name;
    sound += std::uint64_t{verdicts.at("f") == Verdict::kSound};
  }
  EXPECT_GT(sound, 20u);
}

}  // namespace
}  // namespace bloomery
