// A proof that verify keeps makes the noes of a filter without a checksum believed; repair makes such a filter again.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/codec/cassandra_sstables.h"

namespace bloomery {
namespace {

// An sstable of 45 text keys, key-000000 to key-000044.
class CliProofs : public testing::Test {
 protected:
  CliProofs() : sstable_(golden_sstable("nb-5.0.6", "text")) { sstable_.lay_out(shell_.folder()); }

  Ran run(const std::string& line) const { return shell_.run(line); }
  // Clears the bits of the first byte that has any.
  void damage_filter() const {
    std::string bits = sstable_.file("Filter.db");
    bits[bits.find_first_not_of('\0', 8)] = '\0';
    shell_.folder().write("nb-1-big-Filter.db", bits);
  }

  const Shell shell_;
  const GoldenSSTable sstable_;
};

const std::string kAsk = "bloomery query --unproven maybe nb-1-big-Filter.db -e absent-17; echo $?";

TEST_F(CliProofs, OnlyAProvenFilterWithoutAChecksumAnswersNo) {
  EXPECT_EQ(run("bloomery query nb-1-big-Filter.db -e absent-17; echo $?").out, "1\n");
  const Ran unproven = run(kAsk);
  EXPECT_EQ(unproven.out, "absent-17\n0\n");
  EXPECT_TRUE(says(unproven.err, "nb-1-big-Filter.db: not proven, so every line may be in; "))
      << unproven.err;
  EXPECT_EQ(run("bloomery verify --record nb-1-big-Filter.db").status, 0);
  EXPECT_EQ(run(kAsk).out, "1\n");
  EXPECT_TRUE(says(run("bloomery inspect nb-1-big-Filter.db").out, "45 keys of nb-1-big-Index.db, 2"));
}

TEST_F(CliProofs, AVoidProofIsNotBelieved) {
  run("bloomery verify --record nb-1-big-Filter.db");
  damage_filter();
  const Ran other = run(kAsk);
  EXPECT_EQ(other.out, "absent-17\n0\n");
  EXPECT_TRUE(says(other.err, "its proof is void: ")) << other.err;
  EXPECT_TRUE(says(run("bloomery inspect nb-1-big-Filter.db").out, "no: its proof is void: "));
}

TEST_F(CliProofs, AFilterThatDeniesAKeyGetsNoProof) {
  damage_filter();
  EXPECT_EQ(run("bloomery verify --record nb-1-big-Filter.db").status, 3);
  EXPECT_EQ(run("test -e nb-1-big-Filter.db.proof").status, 1);
}

TEST_F(CliProofs, AFolderOfSSTablesNeedsAProofForEachFilter) {
  const std::string ask = "bloomery query --unproven maybe --dialect cassandra . -e absent-17; echo $?";
  EXPECT_EQ(run(ask).out, "absent-17\n0\n");
  run("bloomery verify --record .");
  EXPECT_EQ(run(ask).out, "1\n");
}

TEST_F(CliProofs, AListOfKeysProvesAFilterUntilTheListChanges) {
  run("seq 100 > k; bloomery build --no-summary --dialect guava -o g -n 100 -p 1e-6 k");
  const std::string ask = "bloomery query --unproven maybe --dialect guava g -e absent; echo $?";
  EXPECT_EQ(run(ask).out, "absent\n0\n");
  EXPECT_EQ(run("bloomery verify --dialect guava --keys k --record g").status, 0);
  EXPECT_EQ(run(ask).out, "1\n");
  run("echo 101 >> k");
  EXPECT_EQ(run(ask).out, "absent\n0\n");
  EXPECT_EQ(run("bloomery verify --dialect guava --keys - --record g < k").status, 2);
}

TEST_F(CliProofs, AFilterWithAChecksumNeedsNoProof) {
  run("seq 100 > k; bloomery build --no-summary -o f k");
  EXPECT_EQ(run("bloomery query --unproven maybe f -e absent; echo $?").out, "1\n");
}

TEST_F(CliProofs, RepairMakesTheSameFilterAgain) {
  damage_filter();
  EXPECT_EQ(run("bloomery verify nb-1-big-Filter.db").status, 3);
  EXPECT_EQ(run("bloomery repair nb-1-big-Filter.db -o new").status, 0);
  EXPECT_EQ(shell_.folder().read("new"), sstable_.file("Filter.db"));
  EXPECT_EQ(run("bloomery repair nb-1-big-Filter.db -o new").status, 2) << "it exists";
  EXPECT_EQ(run("bloomery repair --force nb-1-big-Filter.db -o new").status, 0);
}

TEST_F(CliProofs, RepairSaysHowTheOwnerMakesOtherFiltersAgain) {
  run("seq 100 > k; bloomery build --no-summary -o f k");
  const Ran ours = run("bloomery repair f -o new");
  EXPECT_EQ(ours.status, 2);
  EXPECT_TRUE(says(ours.err, "build it again from their source")) << ours.err;
  EXPECT_EQ(run("rm nb-1-big-Index.db; bloomery repair nb-1-big-Filter.db -o new; test -e new").status, 1);
}

}  // namespace
}  // namespace bloomery
