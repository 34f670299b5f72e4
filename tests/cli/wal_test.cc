// `bloomery wal`: genuine logs printed and verified, sealed and damaged ones, directories, and what is refused.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/wal/golden_logs.h"
#include "wal/log_mark.h"

namespace bloomery {
namespace {

constexpr const char* kPlainLog = "main/localhost%2C22393%2C1795623465301.1795623540294";
constexpr const char* kTornLog = "torn/localhost%2C22393%2C1795624033949.1795624081120";

class WalVerb : public testing::Test {
 protected:
  Ran run(const std::string& line) { return shell_.run(line); }
  void write(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path = shell_.folder().path(name);
    std::filesystem::create_directories(path.parent_path());
    shell_.folder().write(name, bytes);
  }
  void write_log(const std::string& name, const std::string& golden = kPlainLog) {
    write(name, golden_logs().at(golden));
  }
  static std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  static std::size_t lines_of_cells(const std::string& log) {
    std::size_t count = 0;
    const std::string& cells = golden_logs().at("cells/" + log.substr(0, log.find('/')) + ".tsv");
    const std::string name = log.substr(log.find('/') + 1) + "\t";
    for (std::size_t at = 0; at < cells.size(); at = cells.find('\n', at) + 1) {
      count += cells.compare(at, name.size(), name) == 0 ? 1U : 0U;
    }
    return count;
  }

  Shell shell_;
};

TEST_F(WalVerb, CatPrintsEveryCell) {
  write_log("log");
  const Ran ran = run("bloomery wal cat log");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(lines_of(ran.out), lines_of_cells(kPlainLog));
  EXPECT_TRUE(says(run("bloomery wal cat log | awk -F'\\t' '{print NF}' | sort -u").out, "13\n"));
  const std::string json = run("bloomery wal cat --json log | "
                               "jq -r '[.row, .value, .entry, .region, .sequence_id, .table, .log] | "
                               "map(tostring) | join(\"\\t\")'")
                               .out;
  EXPECT_TRUE(json == run("bloomery wal cat log | cut -f1,6,9-13").out);
  EXPECT_EQ(lines_of(json), lines_of_cells(kPlainLog));
}

TEST_F(WalVerb, CatSaysThatALogIsTorn) {
  write_log("log", kTornLog);
  const Ran ran = run("bloomery wal cat log");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(says(ran.err, "torn at byte 5503")) << ran.err;
  EXPECT_EQ(lines_of(ran.out), lines_of_cells(kTornLog));
}

TEST_F(WalVerb, CatPrintsWhatPrecedesDamage) {
  write_log("log", "damaged/22-zeroed-one-entry.log");
  const Ran ran = run("bloomery wal cat log");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(lines_of(ran.out), 296u);
  EXPECT_TRUE(says(ran.err, "log: write-ahead log: at byte 21125: expected")) << ran.err;
}

// Of a root only the logs that HBase would replay are read.
TEST_F(WalVerb, DirectoriesAreSearched) {
  write_log("root/WALs/host,1,2/host%2C1%2C2.3");
  write("root/WALs/host,1,2/host%2C1%2C2.4", "");
  write_log("root/WALs/host,1,1-splitting/host%2C1%2C1.3");
  write_log("root/oldWALs/host%2C1%2C2.1");
  write_log("root/data/default/t/r/recovered.edits/0000000000000000001");
  write("root/data/default/t/r/recovered.edits/7.seqid", "");
  write("root/data/default/t/r/f/file", "no log");
  const Ran ran = run("bloomery wal info --json root | jq -r .log");
  EXPECT_EQ(ran.out,
            "root/WALs/host,1,1-splitting/host%2C1%2C1.3\nroot/WALs/host,1,2/host%2C1%2C2.3\n"
            "root/WALs/host,1,2/host%2C1%2C2.4\nroot/data/default/t/r/recovered.edits/0000000000000000001\n");
  EXPECT_EQ(lines_of(run("bloomery wal info --json root/oldWALs | jq -r .log").out), 1u);
  EXPECT_EQ(run("mkdir none; bloomery wal info none").status, 2);
}

TEST_F(WalVerb, InfoShowsWhatALogHas) {
  write_log("log");
  const Ran ran = run("bloomery wal info log");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* const text :
       {"entries            323", "end                closed", "no: nothing vouches for its bytes",
        "damage             none found", "region             basic/"}) {
    EXPECT_TRUE(says(ran.out, text)) << text << "\n" << ran.out;
  }
  write_log("values", "values/localhost%2C22393%2C1795623848466.1795623855699");
  EXPECT_TRUE(says(run("bloomery wal info values").out, "dictionaries, tags, values GZ"));
}

TEST_F(WalVerb, VerifySaysThatNothingVouchesForALogWithoutSeals) {
  write_log("log");
  const Ran ran = run("bloomery wal verify log");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "log: no damage found, 323 entries, " + std::to_string(lines_of_cells(kPlainLog)) +
                         " cells; closed; not sealed: nothing vouches for its bytes\n");
}

TEST_F(WalVerb, VerifyNamesDamageByOffset) {
  write_log("log", "damaged/22-zeroed-one-entry.log");
  const Ran ran = run("bloomery wal verify log");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(says(ran.out, "log: damage from byte 21124 to ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "log: damaged, 320 entries, 572 cells; closed")) << ran.out;
  EXPECT_EQ(run("bloomery wal verify --json log | jq '.damage[0].begin'").out, "21124\n");
}

TEST_F(WalVerb, WhatIsSealedShowsDamage) {
  write_log("log");
  ASSERT_EQ(run("bloomery wal seal -o sealed log").status, 0);
  EXPECT_TRUE(says(run("bloomery wal verify sealed").out, "no damage found, 323 entries"));
  EXPECT_TRUE(says(run("bloomery wal verify sealed").out, "; closed; sealed\n"));
  EXPECT_TRUE(run("bloomery wal cat log | cut -f1-12").out ==
              run("bloomery wal cat sealed | cut -f1-12").out);
  EXPECT_EQ(run("bloomery wal seal -o sealed log").status, 2) << "it exists";
  std::string bytes = shell_.folder().read("sealed");
  bytes[20000] = static_cast<char>(bytes[20000] ^ 1);
  write("damaged", bytes);
  EXPECT_EQ(run("bloomery wal verify damaged").status, 3);
  EXPECT_EQ(run("bloomery wal seal -o none damaged").status, 3);
  const Ran repaired = run("bloomery wal repair -o repaired damaged");
  EXPECT_EQ(repaired.status, 3);
  EXPECT_TRUE(says(repaired.out, "repaired: 322 entries"));
  EXPECT_TRUE(says(repaired.err, "are not in the new log")) << repaired.err;
  EXPECT_TRUE(says(run("bloomery wal verify repaired").out, "no damage found, 322 entries"));
}

// Sealing is the inverse of leaving the seals out: HBase's bytes come back.
TEST_F(WalVerb, RepairOfAnIntactPlainLogIsTheSameLog) {
  write_log("log");
  ASSERT_EQ(run("bloomery wal repair -o copy log").status, 0);
  EXPECT_TRUE(shell_.folder().read("copy") == shell_.folder().read("log"));
}

TEST_F(WalVerb, ACompressedLogIsSealedPlain) {
  write_log("log", "values/localhost%2C22393%2C1795623848466.1795623855699");
  ASSERT_EQ(run("bloomery wal seal -o sealed log").status, 0);
  EXPECT_TRUE(run("bloomery wal cat log | cut -f1-12").out ==
              run("bloomery wal cat sealed | cut -f1-12").out);
  EXPECT_TRUE(says(run("bloomery wal info sealed").out, "compression        none"));
}

TEST_F(WalVerb, TheNextLogNamesTheOneBefore) {
  write_log("first");
  write_log("second");
  ASSERT_EQ(run("bloomery wal seal -o a first").status, 0);
  ASSERT_EQ(run("bloomery wal seal -o b --after a second").status, 0);
  EXPECT_TRUE(shell_.folder().read("a") != shell_.folder().read("b"));
  EXPECT_TRUE(says(run("bloomery wal verify b").out, "no damage"));
  EXPECT_EQ(run("bloomery wal seal -o c --after first second").status, 2);
}

TEST_F(WalVerb, AMarkSaysHowFarALogMustBeIntact) {
  write_log("log");
  ASSERT_EQ(run("bloomery wal seal -o sealed log").status, 0);
  const std::string bytes = shell_.folder().read("sealed");
  MemoryFiles files(bytes);
  auto reader = opened_log(files, "sealed");
  ASSERT_TRUE(reader);
  ASSERT_FALSE(read_all(*reader, [](const wal::LogEntry&) {}));
  auto mark = wal::LogMarkFile::open(FileSystem::real(), shell_.folder().path("mark"));
  ASSERT_TRUE(mark);
  ASSERT_TRUE(mark->write({.length = reader->end().offset, .link = reader->link(), .log = "sealed"}));
  EXPECT_EQ(run("bloomery wal verify --mark mark sealed").status, 0);
  write("sealed", bytes.substr(0, bytes.size() - 100));
  EXPECT_EQ(run("bloomery wal verify sealed").status, 0);
  const Ran ran = run("bloomery wal verify --mark mark sealed");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(run("bloomery wal verify --mark mark log").status, 2) << "a mark of another log";
}

TEST_F(WalVerb, EncryptedLogsAreRefused) {
  write("log", std::string("PWAL\x05\x12\x03key", 10));
  EXPECT_EQ(run("bloomery wal cat log").status, 5);
  EXPECT_EQ(run("bloomery wal verify log").status, 5);
  write("other", "PVAL and more");
  EXPECT_EQ(run("bloomery wal cat other").status, 3);
  EXPECT_EQ(run("bloomery wal cat absent").status, 2);
}

}  // namespace
}  // namespace bloomery
