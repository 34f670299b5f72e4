// build -t ribbon --resume DIR: a build that was killed goes on, and never with the work of another.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// The output's folder is missing, so the first run ends when all parts are made.
constexpr const char* kUpToTheParts =
    "seq 100000 > keys; bloomery build -t ribbon -n 1e5 -p 1e-3 --resume w -o none/f keys 2>/dev/null\n"
    "bloomery build -t ribbon -n 1e5 -p 1e-3 -o plain keys; mkdir none\n";
constexpr const char* kAgain = "bloomery build -t ribbon -n 1e5 -p 1e-3 --resume w -o none/f keys";

TEST(Resume, AWholeRunGivesTheUsualBytesAndLeavesNoFolder) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 200000 > keys; bloomery build --summary -t ribbon -n 2e5 -p 1e-3 --resume w -o f keys\n"
      "bloomery build -t ribbon -n 2e5 -p 1e-3 -o plain keys; cmp f plain && ls");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "env\nf\nkeys\nline\nplain\n");
  EXPECT_TRUE(says(ran.err, "200,000 keys, repeats included, need at most")) << ran.err;
  EXPECT_TRUE(says(ran.err, "200,000 keys into")) << ran.err;
}

TEST(Resume, OfAFuseFilterKilledAndResumedGivesTheUsualBytes) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100000 > keys; for type in fuse fuse:dense; do rm -rf none\n"
      "run() { bloomery build -t $type -n 4e6 -p 1e-3 --resume w --note n -o none/f keys; }\n"
      "run 2>/dev/null; ls w | grep -c part; mkdir none; run\n"
      "bloomery build --force -t $type -n 4e6 -p 1e-3 --note n -o plain keys; cmp none/f plain\n"
      "[ -e w ] && echo left; done; true");
  EXPECT_EQ(ran.out, "4\n4\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "goes on with the 100,000 keys spooled in w")) << ran.err;
}

TEST(Resume, WithoutNThePlanIsTheNumberOfDifferentKeys) {
  const Shell shell;
  const Ran ran = shell.run(
      "(seq 150000; seq 9) | bloomery build -t ribbon -p 1e-3 --resume w -o f\n"
      "seq 150000 | bloomery build -t ribbon -n 150000 -p 1e-3 -o plain; cmp f plain");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
}

TEST(Resume, GoesOnWithoutReadingTheInputAgain) {
  const Shell shell;
  const Ran ran = shell.run(std::string(kUpToTheParts) + kAgain + "; cmp none/f plain && ls");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_TRUE(says(ran.err, "goes on with the 100,000 keys spooled in w; the input is not read again"))
      << ran.err;
  EXPECT_EQ(ran.out, "env\nkeys\nline\nnone\nplain\n");
}

TEST(Resume, GoesOnWithAStreamThatIsGone) {
  const Shell shell;
  const Ran ran = shell.run(
      "cat > build <<< 'bloomery build -t ribbon -p 1e-3 --resume w -o none/f'\n"
      "seq 70000 | . ./build 2>/dev/null; mkdir none; . ./build < /dev/null\n"
      "seq 70000 | bloomery query -v -c none/f");
  EXPECT_EQ(ran.out, "0\n");
  EXPECT_TRUE(says(ran.err, "goes on with the 70,000 keys")) << ran.err;
}

TEST(Resume, KilledAtAnyMomentItGivesTheSameBytes) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 300000 > keys; bloomery build -t ribbon -n 3e5 -p 1e-3 -o plain keys; RANDOM=7; kills=0\n"
      "for round in 1 2 3; do rm -rf f w\n"
      "for try in 1 2 3 4 5 6 7 8; do\n"
      "timeout -s KILL 0.$((RANDOM % 800 + 100)) '" BLOOMERY_COMMAND
      "' build -t ribbon -n 3e5 -p 1e-3 --resume w -o f keys 2>/dev/null && break; done\n"
      "[ -e f ] && [ ! -d w ] || bloomery build --force -t ribbon -n 3e5 -p 1e-3 --resume w -o f keys 2>err\n"
      "cmp f plain || echo differs; [ -e w ] && echo left; done; true");
  EXPECT_EQ(ran.out, "") << ran.err;
}

TEST(Resume, KilledWhileItSpoolsItSpoolsAgainAndSaysSo) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkfifo keys; (seq 1000; sleep 30) > keys & feeder=$!\n"
      "'" BLOOMERY_COMMAND
      "' build -t ribbon -p 1e-3 --resume w -o f keys & build=$!\n"
      "for i in $(seq 600); do [ -e w/record ] && break; sleep 0.01; done; kill -9 $build; wait $build\n"
      "kill $feeder; seq 1000 > keys & bloomery build -t ribbon -p 1e-3 --resume w -o f keys\n"
      "seq 1000 | bloomery query -v -c f");
  EXPECT_TRUE(says(ran.err, "was ended before its spool in w was complete: spools again from the start"))
      << ran.err;
  EXPECT_EQ(ran.out, "0\n");
}

TEST(Resume, TheWorkOfAnotherBuildIsRefused) {
  const Shell shell;
  shell.run(kUpToTheParts);
  const auto refused = [&](const std::string& line, const std::string& words) {
    const Ran ran = shell.run(line);
    EXPECT_EQ(ran.status, 2) << line << ran.err;
    EXPECT_TRUE(says(ran.err, "w: has the work of another build: expected")) << line << ran.err;
    EXPECT_TRUE(says(ran.err, words)) << line << ran.err;
  };
  const std::string build = "bloomery build -t ribbon --resume w ";
  refused(build + "-n 1e5 -p 1e-4 -o none/f keys", "word");
  refused(build + "-n 1e5 -p 1e-3 -o g keys", "word");
  refused("cp keys other; " + build + "-n 1e5 -p 1e-3 -o none/f other", "word");
  refused("cp -p keys same; mv same keys; " + std::string(kAgain), "input: keys, file");
  EXPECT_EQ(shell.run("ls w | wc -l").out, "6\n");  // record, spooled, parts: all there still
}

TEST(Resume, AChangedInputIsRefused) {
  const Shell shell;
  const Ran ran = shell.run(std::string(kUpToTheParts) + "echo more >> keys; " + kAgain);
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "has the work of another build: expected 'input: keys")) << ran.err;
}

TEST(Resume, AFolderOfOtherFilesIsRefusedAndTheyStay) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkdir w; touch w/mine; seq 9 | bloomery build -t ribbon --resume w -o f; code=$?; ls w; exit $code");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "mine\n");
  EXPECT_TRUE(says(ran.err, "w: expected a new or empty folder")) << ran.err;
}

TEST(Resume, TwoAtATimeAreRefused) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkfifo keys; (seq 10; sleep 30) > keys & feeder=$!\n"
      "'" BLOOMERY_COMMAND
      "' build -t ribbon --resume w -o f keys & build=$!\n"
      "for i in $(seq 600); do [ -e w/record ] && break; sleep 0.01; done\n"
      "bloomery build -t ribbon --resume w -o f keys; code=$?; kill -9 $build; kill $feeder; exit $code");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "w/record")) << ran.err;
}

TEST(Resume, ADamagedPartIsFoundWhenThePartsAreJoined) {
  const Shell shell;
  const Ran ran = shell.run(std::string(kUpToTheParts) +
                            "printf x | dd of=w/part.3 bs=1 seek=300 conv=notrunc 2>/dev/null; " + kAgain);
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_TRUE(says(ran.err, "w/part.3")) << ran.err;
  EXPECT_EQ(shell.run("test -e none/f").status, 1);
}

TEST(Resume, ADiskWithoutRoomIsRefusedBeforeAnythingIsRead) {
  const Shell shell;
  const Ran ran = shell.run("bloomery build -t ribbon -n 1000000000000 -p 1e-4 --resume w -o f < /dev/zero");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "expected room for")) << ran.err;
}

TEST(Resume, AFullDiskKeepsTheWork) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000000 > keys; build() { bloomery build -t ribbon -n 1e6 -p 1e-9 --resume w -o f keys; }\n"
      "(trap '' XFSZ; ulimit -f 2000; build); echo $?; ls w | grep -c part; build && bloomery query -v -c f "
      "keys");
  EXPECT_EQ(ran.out, "2\n4\n0\n") << ran.err;  // the parts were made, and the filter did not fit
  EXPECT_TRUE(says(ran.err, "File too large")) << ran.err;
}

TEST(Resume, RefusesWhatItCannotDo) {
  const Shell shell;
  const auto refused = [&](const std::string& options, const std::string& words) {
    const Ran ran = shell.run("seq 9 | bloomery build " + options);
    EXPECT_EQ(ran.status, 2) << options << ran.err;
    EXPECT_TRUE(says(ran.err, words)) << options << ran.err;
  };
  refused("--resume w -o f", "expected only with -t ribbon");
  refused("-t ribbon --resume w -o -", "found standard output");
  refused("-t ribbon --resume w -o f --keyed", "with a key that exists");
  refused("-t ribbon --resume w -o f -n 9 --strict", "expected no --exceptions, --strict");
  refused("-t ribbon --resume w -o f -n 9 --shards 1/1", "expected no --exceptions, --strict, --shards");
  EXPECT_EQ(shell.run("test -e w").status, 1);
}

}  // namespace
}  // namespace bloomery
