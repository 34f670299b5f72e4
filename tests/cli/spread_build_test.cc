// Keys that are spread over machines: build --partition, build --shards I/N of range files, merge. The filter is that
// of one build, byte for byte.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// Two machines with keys in common and one without any, in three ranges.
constexpr const char* kSpread =
    "seq 1 60000 | bloomery build -t ribbon --partition 3 -o m1\n"
    "seq 40001 100000 | bloomery build -t ribbon --partition 3 -o m2\n"
    "bloomery build -t ribbon --partition 3 --allow-empty -o m3 </dev/null\n"
    "parts() { for i in 1 2 3; do bloomery build -t ribbon --shards $i/3 -p 1e-3 -o part.$i \"$@\" "
    "m?/range-$i-of-3.hashes; done; }\n";

TEST(SpreadBuild, GivesTheBytesOfOneBuild) {
  const Shell shell;
  const Ran ran = shell.run(std::string(kSpread) +
                            "parts -n 1e5; bloomery merge -o all part.3 part.1 part.2\n"
                            "seq 100000 | bloomery build -t ribbon -o whole -n 1e5 -p 1e-3; cmp all whole");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_EQ(shell.run("seq 100000 | bloomery query -v -c all").out, "0\n");
}

// The range files are those of a ribbon. A plan for 4,000,000 keys has three shards, and its ranges cut two.
TEST(SpreadBuild, OfAFuseFilterGivesTheBytesOfOneBuild) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1 60000 | bloomery build -t fuse --partition 3 -o m1 --note a\n"
      "seq 40001 100000 | bloomery build -t ribbon --partition 3 -o m2 --note a\n"
      "for type in fuse fuse:dense; do for i in 1 2 3; do\n"
      "bloomery build -t $type --shards $i/3 -p 1e-3 -n 4e6 -o part.$i --force --note all "
      "m?/range-$i-of-3.hashes; done\n"
      "bloomery merge --force -o all part.3 part.1 part.2 --summary; bloomery verify part.1 >/dev/null\n"
      "seq 100000 | bloomery build -t $type --force -o whole -n 4e6 -p 1e-3 --note all; cmp all whole\n"
      "seq 100000 | bloomery query -v -c all; done");
  EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "100,000 keys in all, 3 of 3 shards, fpp 0.001")) << ran.err;
}

TEST(SpreadBuild, SaysWhatEveryStepDid) {
  const Shell shell;
  EXPECT_TRUE(
      says(shell.run("seq 9 | bloomery build -t ribbon --partition 2 -o m --summary -n 1000000000").err,
           "1,000,000,000 keys need at most"));
  const Ran first = shell.run("(seq 9; seq 9) | bloomery build -t ribbon --partition 2 -o n --summary");
  EXPECT_TRUE(says(first.err, "9 keys (18 given) into 2 range files in n")) << first.err;
  const Ran second = shell.run(
      "for i in 1 2; do bloomery build -t ribbon --shards $i/2 -o p$i --summary n/range-$i-of-2.hashes; "
      "done");
  EXPECT_TRUE(says(second.err, "into part 2 of 2: 0 of 1 shards")) << second.err;
  EXPECT_TRUE(says(second.err, "planned for 9 keys; assumed -p 0.001")) << second.err;
  const Ran third = shell.run("bloomery merge --summary -o f p1 p2");
  EXPECT_TRUE(says(third.err, "9 keys in f, 1 of 1 shards, fpp 0.001")) << third.err;
}

TEST(SpreadBuild, WithoutNThePlanIsTheSumOfTheMachines) {
  const Shell shell;
  const Ran ran =
      shell.run(std::string(kSpread) +
                "parts; bloomery merge -o all part.?\n"
                "seq 100000 | bloomery build -t ribbon -o whole -n 120000 -p 1e-3; cmp all whole");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
}

TEST(SpreadBuild, KeepsKeyOptionsSeedAndSecret) {
  const Shell shell;
  const auto same = [&](const std::string& keys, const std::string& options, const std::string& key) {
    const Ran ran =
        shell.run("rm -rf m p1 p2 all whole\n" + keys + " | bloomery build -t ribbon --partition 2 -o m " +
                  options + key + "\nfor i in 1 2; do bloomery build -t ribbon --shards $i/2 -n 1000 -o " +
                  "p$i m/range-$i-of-2.hashes; done; bloomery merge -o all p1 p2\n" + keys +
                  " | bloomery build -t ribbon -o whole -n 1000 " + options +
                  (key.empty() ? "" : " --key-file k") + "; cmp all whole");
    EXPECT_EQ(ran.status, 0) << options << key << ran.err << ran.out;
  };
  same("seq 1000", "", "");
  same("seq 1000", "--key-form int64 --seed 7", "");
  same("seq 1000 | sed 's/^/ X:/'", "-k 2 -d : --trim", "");
  same("seq 1000 | sed 's/.*/& b/'", "-k 1,2 -d ' '", "");
  same("seq 1000 | sed 's/.*/a,&/'", "--csv -k 2 -i", "");
  same("seq 1000 | sed 's|^|http://e.com/|'", "--key-form url --sort-query", "");
  same("seq 1000", "--hash sha1", "");
  same("seq 1000", "", " --keyed --key-file k");
  same("seq 1000", "", " --key-file k");
}

TEST(SpreadBuild, RefusesRangeFilesThatDoNotBelongTogether) {
  const Shell shell;
  shell.run(std::string(kSpread) +
            "seq 9 | bloomery build -t ribbon --partition 2 -o other\n"
            "seq 9 | bloomery build -t ribbon --partition 3 -o seeded --seed 3\n"
            "seq 9 | bloomery build -t ribbon --partition 3 -o form --key-form int64\n"
            "cp m1/range-1-of-3.hashes copy; head -c 5000 copy > cut; seq 9 > text");
  const auto refused = [&](const std::string& files, int status, const std::string& words) {
    const Ran ran = shell.run("bloomery build -t ribbon --shards 1/3 -o part " + files);
    EXPECT_EQ(ran.status, status) << files << ran.err;
    EXPECT_TRUE(says(ran.err, words)) << files << ran.err;
  };
  refused("m1/range-2-of-3.hashes", 2, "expected range 1 of 3, found range 2 of 3");
  refused("other/range-1-of-2.hashes", 2, "expected range 1 of 3, found range 1 of 2");
  refused("m1/range-1-of-3.hashes seeded/range-1-of-3.hashes", 2, "found different seed (0 and 3)");
  refused("m1/range-1-of-3.hashes form/range-1-of-3.hashes", 2, "found different key form (text and int64)");
  refused("m1/range-1-of-3.hashes m1/range-1-of-3.hashes", 2, "found it twice");
  refused("m1/range-1-of-3.hashes copy", 2, "one is a copy");
  refused("cut", 3, "cut: ");
  refused("m1/range-1-of-3.hashes text", 2, "text: expected a range file");
  refused("text m1/range-1-of-3.hashes -n 1e6", 2, "expected lines, found a range file");
  refused("--seed 4 m1/range-1-of-3.hashes", 2, "expected no --seed");
  refused("--key-form hex m1/range-1-of-3.hashes", 2, "found keys of the form text");
  EXPECT_EQ(shell.run("test -e part").status, 1);
}

TEST(SpreadBuild, ARefusedPartitionLeavesNoFolder) {
  const Shell shell;
  const Ran resumed = shell.run("seq 9 | bloomery build -t ribbon --partition 4 --resume work -o out");
  EXPECT_EQ(resumed.status, 2);
  EXPECT_TRUE(says(resumed.err, "--partition: expected no --resume")) << resumed.err;
  EXPECT_EQ(shell.run("seq 9 | bloomery build -t ribbon --partition 4 -n 1e14 -o out").status, 2);
  EXPECT_EQ(shell.run("test -e out").status, 1);
}

TEST(SpreadBuild, RefusesPartsThatAreNotAllOfOneFilter) {
  const Shell shell;
  shell.run(std::string(kSpread) +
            "parts; bloomery build -t ribbon --shards 2/3 -p 1e-3 -n 7 -o planned m?/range-2-of-3.hashes\n"
            "bloomery build -t ribbon --shards 2/3 -p 1e-3 -n 120000 -o lacks m1/range-2-of-3.hashes\n"
            "cp part.2 damaged; printf x | dd of=damaged bs=1 seek=900 conv=notrunc 2>/dev/null");
  const auto refused = [&](const std::string& parts, int status, const std::string& words) {
    const Ran ran = shell.run("bloomery merge -o all " + parts);
    EXPECT_EQ(ran.status, status) << parts << ran.err;
    EXPECT_TRUE(says(ran.err, words)) << parts << ran.err;
  };
  refused("part.1 part.3", 2, "expected all of 1 to 3, found all but 2");
  refused("part.1 part.2 part.2 part.3", 2, "found part 2 of 3 twice");
  refused("part.1 planned part.3", 2, "found different capacity (120000 and 7)");
  refused("part.1 lacks part.3", 2, "range files of the same machines, found different ones");
  refused("part.1 damaged part.3", 3, "damaged: ");
  refused("part.1 m1/range-2-of-3.hashes part.3", 2,
          "expected a part of a static filter, found a range file");
  shell.run("bloomery build -t fuse --shards 2/3 -p 1e-3 -n 120000 -o fuse m?/range-2-of-3.hashes");
  refused("part.1 fuse part.3", 2, "found different type (ribbon and fuse)");
  EXPECT_EQ(shell.run("test -e all").status, 1);
}

TEST(SpreadBuild, APartIsNoFilterAndARangeFileHasNoLines) {
  const Shell shell;
  shell.run(std::string(kSpread) + "parts");
  for (const char* verb : {"query", "inspect", "add"}) {
    const Ran part = shell.run("seq 3 | bloomery " + std::string(verb) + " part.1");
    EXPECT_EQ(part.status, 2) << part.err;
    EXPECT_TRUE(says(part.err, "part.1: ")) << part.err;
    EXPECT_TRUE(says(
        part.err, "a part of a static filter, which is no filter by itself: bloomery merge joins all parts"))
        << verb << part.err;
  }
  const Ran range = shell.run("bloomery build -o f m1/range-1-of-3.hashes");
  EXPECT_EQ(range.status, 2);
  EXPECT_TRUE(says(range.err, "expected lines, found a range file of build --partition")) << range.err;
  const Ran shards = shell.run("bloomery build -t ribbon -o f m1/range-1-of-3.hashes");
  EXPECT_TRUE(says(shards.err, "expected --shards 1/3")) << shards.err;
}

TEST(SpreadBuild, RefusesWhatTheFirstStepCannotDo) {
  const Shell shell;
  const auto refused = [&](const std::string& options, const std::string& words) {
    const Ran ran = shell.run("seq 9 | bloomery build " + options);
    EXPECT_EQ(ran.status, 2) << options << ran.err;
    EXPECT_TRUE(says(ran.err, words)) << options << ran.err;
  };
  refused("-t ribbon --partition 0 -o m", "expected 1 to 256 files, found 0");
  refused("-t ribbon --partition 257 -o m", "expected 1 to 256 files, found 257");
  refused("--partition 2 -o m", "expected only with -t ribbon");
  refused("-t ribbon --partition 2 -p 0.1 -o m", "--shards plans the filter");
  refused("-t ribbon --partition 2 --shards 1/2 -o m", "the next step");
  refused("-t ribbon --partition 2 --keyed -o m", "all machines must have one key");
  refused("-t ribbon --partition 2 -o -", "expected a folder");
  refused("-t ribbon --partition 2 -o none/m", "none/m");
  EXPECT_EQ(shell.run("test -e m").status, 1);
  const Ran again = shell.run(
      "seq 9 | bloomery build -t ribbon --partition 2 -o m; seq 9 | bloomery build -t ribbon --partition 2 "
      "-o m");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(says(again.err, "--force replaces them")) << again.err;
  EXPECT_EQ(shell.run("seq 9 | bloomery build -t ribbon --partition 2 -o m --force").status, 0);
}

TEST(SpreadBuild, ADiskWithoutRoomIsRefusedBeforeAnythingIsRead) {
  const Shell shell;
  const Ran ran = shell.run("bloomery build -t ribbon --partition 2 -o m -n 1000000000000000 < /dev/zero");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "expected room for")) << ran.err;
}

TEST(SpreadBuild, AKilledFirstStepLeavesNoRangeFile) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkfifo keys; (seq 100000; sleep 30) > keys & feeder=$!\n"
      "'" BLOOMERY_COMMAND
      "' build -t ribbon --partition 4 -o m keys & build=$!\n"
      "until [ -d m ]; do sleep 0.01; done; kill -9 $build; wait $build; kill $feeder; ls m");
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace bloomery
