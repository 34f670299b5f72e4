// Ribbons as a user meets them: build through a spool, parts, query, what is refused, what is left behind.
#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// Memory for about 3.5 million hashes, with one thread; more keys spill.
constexpr const char* kSmall = "-t ribbon -p 1e-4 --mem 64M --tmp spool";

TEST(Ribbon, HoldsEveryKeyInFewBytesAndSaysWhatItTook) {
  const Shell shell;
  const Ran built = shell.run("seq 200000 | bloomery build --summary -t ribbon -o f -p 1e-4; stat -c %s f");
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_TRUE(says(built.err, "needs at most")) << built.err;
  EXPECT_TRUE(says(built.err, "200,000 keys (200,000 given)")) << built.err;
  EXPECT_LT(std::stod(built.out) * 8 / 200'000, 13.46);
  EXPECT_EQ(shell.run("seq 200000 | bloomery query -v -c f").out, "0\n");
  const Ran absent = shell.run("seq 300001 500000 | bloomery query -c f");
  EXPECT_LT(std::stoi(absent.out), 60);  // 20 expected
}

TEST(Ribbon, RepeatsAndOrderDoNotShowInTheFile) {
  const Shell shell;
  EXPECT_EQ(shell
                .run("seq 30000 | bloomery build -t ribbon -o a -p 0.01\n"
                     "(seq 30000 -1 1; seq 1000) | bloomery build -t ribbon -o b -p 0.01; cmp a b")
                .status,
            0);
}

TEST(Ribbon, AStreamBeyondMemoryGoesThroughTheSpoolAndLeavesNothingThere) {
  const Shell shell;
  const Ran built = shell.run("mkdir spool; url_stream 5000000 --distinct | bloomery build --summary -o f " +
                              std::string(kSmall) + "; ls -A spool");
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_EQ(built.out, "");
  EXPECT_FALSE(says(built.err, " 0 bytes spooled")) << built.err;
  EXPECT_EQ(shell.run("url_stream 5000000 --distinct | bloomery query -v -c f").out, "0\n");
  // The same bytes as from memory.
  EXPECT_EQ(
      shell.run("url_stream 5000000 --distinct | bloomery build -t ribbon -p 1e-4 -o g && cmp f g").status,
      0);
}

TEST(Ribbon, ASpoolThatDisappearsIsReportedByName) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkdir spool; (url_stream 1000 --distinct; rmdir spool; url_stream 6000000 --distinct) | bloomery "
      "build -o f " +
      std::string(kSmall) + "; code=$?; ls -A; exit $code");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "spool")) << ran.err;
  EXPECT_FALSE(says(ran.out, "f\n")) << ran.out;
}

TEST(Ribbon, ASpoolThatCannotGrowIsReportedAndCleanedUp) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkdir spool; trap '' XFSZ; ulimit -f 20; url_stream 7000000 --distinct | bloomery build -o f " +
      std::string(kSmall) + "; code=$?; ls -A spool; test -e f && echo f; exit $code");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "File too large")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Ribbon, ASpoolThatCannotBeWrittenIsRefusedAtOnce) {
  const Shell shell;
  const Ran ran = shell.run("touch file; seq 10 | bloomery build -t ribbon -o f -p 0.01 --tmp file");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "--tmp: expected a directory that can be written, found 'file'")) << ran.err;
}

TEST(Ribbon, CtrlCLeavesNothingBehind) {
  const Shell shell;
  // The feeder stays open, so that the signal finds the build in the middle, whenever it comes. timeout sends
  // the signal to the command and again to its group: still one wish to stop, in order.
  const Ran ran = shell.run(
      "mkdir spool; mkfifo keys; (url_stream 6000000 --distinct; sleep 30) > keys & feeder=$!\n"
      "timeout --preserve-status -s INT 2 '" BLOOMERY_COMMAND "' build -o f " +
      std::string(kSmall) + " keys; code=$?; kill $feeder; ls -A spool; ls -A | grep -v '^[.]' ; exit $code");
  EXPECT_EQ(ran.status, 130) << ran.err;
  EXPECT_EQ(ran.out, "env\nkeys\nline\nspool\n");
  EXPECT_TRUE(says(ran.err, "stopped; nothing was written")) << ran.err;
}

TEST(Ribbon, PartsBuiltApartMergeToTheBytesOfOneBuild) {
  const Shell shell;
  const Ran ran = shell.run(
      "for i in 1 2 3; do seq 300000 | bloomery build -t ribbon -o p$i -n 3e5 -p 1e-3 --shards $i/3; done\n"
      "seq 300000 | bloomery build -t ribbon -o whole -n 3e5 -p 1e-3\n"
      "bloomery merge -o all p3 p1 p2 && cmp all whole");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(Ribbon, MergeRefusesWhatIsNoSetOfParts) {
  const Shell shell;
  shell.run(
      "for i in 1 2 3; do seq 300000 | bloomery build -t ribbon -o p$i -n 3e5 -p 1e-3 --shards $i/3; done\n"
      "seq 1000 | bloomery build -t ribbon -o a -p 1e-3; seq 1000 | bloomery build -o b -n 1000 -p 1e-3");
  const Ran gap = shell.run("bloomery merge -o x p1 p3");
  EXPECT_EQ(gap.status, 2);
  EXPECT_TRUE(says(gap.err, "found none with shards 1 to")) << gap.err;
  const Ran twice = shell.run("bloomery merge -o x p1 p1");
  EXPECT_EQ(twice.status, 2);
  EXPECT_TRUE(says(twice.err, "static")) << twice.err;
  const Ran whole = shell.run("bloomery merge -o x a a");
  EXPECT_EQ(whole.status, 2);
  EXPECT_TRUE(says(whole.err, "must be built again, from all keys")) << whole.err;
  EXPECT_TRUE(says(shell.run("bloomery merge -o x p1 b").err, "expected a part of a ribbon like p1"));
  EXPECT_TRUE(says(shell.run("bloomery merge -o x b p1").err, "different type"));
  EXPECT_EQ(shell.run("test -e x").status, 1);
}

TEST(Ribbon, APartIsNotAskedAsIfItWereTheWhole) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 300000 | bloomery build -t ribbon -o p -n 3e5 -p 1e-3 --shards 1/3; echo 1 | bloomery query p");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "found a part of one (shards 0 to 0 of 4): merge its parts first")) << ran.err;
}

TEST(Ribbon, AddSaysThatItIsStaticAndHowToRebuild) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 10 | bloomery build -t ribbon -o f -p 0.01; cp f g; seq 11 | bloomery add f; code=$?; cmp f g && "
      "exit $code");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "a ribbon, which is static: build it again from all its keys")) << ran.err;
}

TEST(Ribbon, ADamagedShardAnswersMaybeAndTheVerbEndsWithThree) {
  const Shell shell;
  shell.run(
      "seq 200000 | bloomery build -t ribbon -o f -p 0.01; printf x | dd of=f bs=1 seek=150000 conv=notrunc");
  const Ran all = shell.run("seq 200000 | bloomery query -c f");
  EXPECT_EQ(all.status, 3);
  EXPECT_EQ(all.out, "200000\n");
  EXPECT_TRUE(says(all.err, "its checksum does not hold; it answers maybe to every key")) << all.err;
  const Ran verified = shell.run("bloomery inspect --verify f");
  EXPECT_EQ(verified.status, 3);
  EXPECT_TRUE(says(verified.out, "f: damaged: ")) << verified.out;
  EXPECT_EQ(shell.run("bloomery fpp f --absent <(seq 300000 400000)").status, 3);
}

TEST(Ribbon, InspectShowsColumnsAndShards) {
  const Shell shell;
  const Ran ran = shell.run("seq 150000 | bloomery build -t ribbon -o f -p 1e-4; bloomery inspect f");
  EXPECT_EQ(ran.status, 0);
  for (const char* line : {"type             ribbon", "columns          13", "shards           2",
                           "integrity        ok", "inserted         150000"}) {
    EXPECT_TRUE(says(ran.out, line)) << line << " in\n" << ran.out;
  }
}

TEST(Ribbon, BadOptionsSayWhatWasExpected) {
  const Shell shell;
  const auto refusal = [&shell](const std::string& options) {
    const Ran ran = shell.run("seq 10 | bloomery build -o f " + options);
    EXPECT_EQ(ran.status, 2) << options;
    return ran.err;
  };
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --mem 3M"), "--mem: expected at least 64M, found 3M"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --mem lots"),
                   "expected bytes, such as 512M, 1.5GiB or 100MB, found 'lots'"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --shards 3/2 -n 10"), "expected I/N with I from 1 to N"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --shards 1/2"), "expected the number of keys of the whole"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --shards 1/2 -n 10"),
                   "expected at most 1, as many as there are shards, found 2"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 2"), "expected more than 0 and less than 1"));
  EXPECT_TRUE(says(refusal("-t ribbon -p 0.01 --strict"), "expected the most keys there may be"));
  EXPECT_TRUE(says(refusal("-t bloom -n 10 -p 0.01 --mem 64M"), "expected only with -t ribbon"));
  EXPECT_EQ(shell.run("seq 11 | bloomery build -t ribbon -o f -n 10 -p 0.01 --strict").status, 4);
  EXPECT_EQ(shell.run("test -e f").status, 1);
}

TEST(Ribbon, StandardOutputAndBitsPerKeyWork) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100000 | bloomery build -t ribbon -o - --bits-per-key 10 > f; stat -c %s f; seq 100000 | bloomery "
      "query -v -c f");
  EXPECT_TRUE(says(ran.out, "\n0\n")) << ran.err;
  EXPECT_NEAR(std::stod(ran.out) * 8 / 100'000, 10, 0.1);
}

// Without -n nothing was planned that could be exceeded.
TEST(Ribbon, WithoutACountNoneIsExceeded) {
  const Shell shell;
  const Ran ran = shell.run("seq 300000 | bloomery build -t ribbon -o f -p 0.01");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(says(ran.err, "larger than planned")) << ran.err;
}

TEST(Ribbon, AMemberAmongTheExceptionsLeavesNoFile) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 > members; seq 50 60 > exceptions; bloomery build -t ribbon -o f -p 0.01 --keyed "
      "--exceptions exceptions -- members; code=$?; ls f f.key 2>/dev/null; exit $code");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(says(ran.err, "11 keys are members and exceptions at once; nothing was written")) << ran.err;
}

}  // namespace
}  // namespace bloomery
