// bloomery remove, and add where a filter is written anew, as a user runs them.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class RemoveVerb : public testing::TestWithParam<const char*> {
 protected:
  // Builds `f` of 1 to 1000, with nothing said.
  Ran run(const std::string& line) const {
    return shell_.run(std::string("seq 1000 | bloomery build --no-summary -o f --force -n 1000 -p 1e-6 -t ") +
                      GetParam() + "; " + line);
  }

  Shell shell_;
};

INSTANTIATE_TEST_SUITE_P(Types, RemoveVerb, testing::Values("counting", "quotient"));

TEST_P(RemoveVerb, ForgetsWhatIsRemovedAndNothingElse) {
  const Ran ran =
      run("seq 1 400 | bloomery remove --summary f; echo $?; seq 1000 | bloomery query f | md5sum; "
          "seq 401 1000 | md5sum; bloomery inspect f | grep inserted");
  EXPECT_TRUE(ran.out.starts_with("0\n")) << ran.out << ran.err;
  const std::size_t first = ran.out.find('\n') + 1;
  const std::size_t second = ran.out.find('\n', first) + 1;
  EXPECT_EQ(ran.out.substr(first, second - first), ran.out.substr(second, second - first));
  EXPECT_TRUE(says(ran.out, "inserted         600")) << ran.out;
  EXPECT_TRUE(says(ran.err, "400 keys removed from f, 0 were certainly absent; 600 are left")) << ran.err;
}

TEST_P(RemoveVerb, CountsKeysThatAreAbsentAndExitsWithZero) {
  const Ran ran = run("seq 901 1100 | bloomery remove f; echo $?; seq 1000 | bloomery query -c f");
  EXPECT_EQ(ran.out, "0\n900\n");
  EXPECT_TRUE(says(ran.err, "100 keys removed from f, 100 were certainly absent")) << ran.err;
}

TEST_P(RemoveVerb, StrictChangesNothingWhenAKeyIsAbsent) {
  const Ran ran =
      run("cp f before; seq 1 1001 | bloomery remove --strict f; echo $?; cmp f before && echo same; "
          "seq 1 1000 | bloomery remove --strict f; echo $?; seq 1000 | bloomery query -c f");
  EXPECT_EQ(ran.out, "4\nsame\n0\n0\n");
  EXPECT_TRUE(says(ran.err, "nothing was changed")) << ran.err;
}

// Once for each time it was put in: the second removal of a key put in once is of an absent key.
TEST_P(RemoveVerb, StrictCountsHowOftenAKeyIsIn) {
  const Ran ran =
      run("printf '7\\n7\\n' > twice; bloomery remove --strict f twice; echo $?; "
          "echo 7 | bloomery add --no-summary f; bloomery remove --strict --no-summary f twice; echo $?; "
          "echo 7 | bloomery query -c f");
  EXPECT_EQ(ran.out, "4\n0\n0\n");
}

TEST_P(RemoveVerb, RemovedAndAddedAgainGivesTheSameBytes) {
  const Ran ran =
      run("cp f before; seq 200 700 | bloomery remove f; seq 200 700 | bloomery add f; cmp f before");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// An interrupt ends the input; what was read is out, and the file is whole.
TEST_P(RemoveVerb, AnInterruptLeavesAWholeFilter) {
  const Ran ran = run(
      "set -m; mkfifo in; bloomery remove f < in & exec 3> in; seq 1 500 >&3; until_handled 3; kill -INT %1; "
      "wait %1; "
      "echo $?; exec 3>&-; bloomery inspect --verify f; seq 1000 | bloomery query --no-summary -c f");
  EXPECT_EQ(ran.out, "130\nf: ok\n500\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "stopped early: 500 keys removed")) << ran.err;
}

TEST_P(RemoveVerb, TakesAKeyedFilterWithItsKeyOnly) {
  const std::string type = GetParam();
  const Ran ran =
      shell_.run("seq 100 | bloomery build -o k --keyed -n 100 -p 1e-9 -t " + type +
                 "; seq 50 | bloomery remove --no-summary k; echo $?; seq 100 | bloomery query -c k; "
                 "mv k.key away; seq 50 | bloomery remove k; echo $?");
  EXPECT_EQ(ran.out, "0\n50\n2\n") << ran.err;
}

// A second process that would change the same file, and will not wait, is told so. Nothing is lost.
TEST_P(RemoveVerb, TwoAtATimeAreRefused) {
  const Ran ran =
      run("set -m; mkfifo in; bloomery remove --no-summary f < in & exec 3> in; until_locked f; echo 5 | "
          "bloomery "
          "remove --no-wait f; "
          "echo $?; seq 1 10 >&3; exec 3>&-; wait %1; echo $?; seq 1000 | bloomery query --no-summary -c f");
  EXPECT_EQ(ran.out, "2\n0\n990\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "f: in use: ")) << ran.err;
}

// Of 99,678 keys that are certainly absent, some hundred more match by chance, and would take out members.
TEST_P(RemoveVerb, KeysThatAreMostlyAbsentAreRefused) {
  const std::string build =
      std::string("seq 1000 | bloomery build --no-summary --force -n 2000 -p 0.01 -o q -t ") + GetParam() +
      "; ";
  const Ran ran =
      shell_.run(build +
                 "cp q before; seq 100001 200000 | bloomery remove q; echo $?; cmp q before; seq 1000 | "
                 "bloomery query -c q; bloomery inspect --verify q; (seq 499; seq 5000000 5000600) | "
                 "bloomery remove q; echo $?; cmp q before");
  EXPECT_EQ(ran.out, "4\n1000\nq: ok\n4\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "of the 100,000 keys are certainly absent from q, so that about ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "would take out other keys (--absent-ok); nothing was changed")) << ran.err;
  // As many that are in: then they are removed, and the closing line tells how many removals were likely wrong.
  const Ran half =
      shell_.run(build + "seq 501 1500 | bloomery remove q; echo $?; seq 500 | bloomery query -c q");
  EXPECT_TRUE(half.out.starts_with("0\n")) << half.out << half.err;
  EXPECT_TRUE(says(half.err, "expected removals of keys that were never added, and so of others: "))
      << half.err;
  EXPECT_EQ(shell_.run(build + "seq 100001 200000 | bloomery remove --absent-ok q").status, 0);
  EXPECT_EQ(shell_.run(build + "seq 9 | bloomery remove --absent-ok --strict q").status, 2);
}

TEST(Remove, SaysWhichTypesItTakes) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 10 > k; bloomery build -o f -p 0.01 k; cp f before; bloomery remove f k; s=$?; "
      "cmp f before || s=9; exit $s");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "build -t counting or quotient")) << ran.err;
  EXPECT_EQ(shell.run("bloomery remove absent < /dev/null").status, 2);
  EXPECT_EQ(shell.run("head -c 500 /dev/urandom > junk; bloomery remove junk < /dev/null").status, 2);
}

// In place, killed outright: its counters are of two moments. What was in stays in, and can be mended. The kernel may
// close the files of a killed process, and with them give back its lock, a moment after the shell hears of its end.
TEST(Remove, AKilledRemoveLeavesACountingFilterDirty) {
  const Shell shell;
  const Ran ran = shell.run(
      "set -m; seq 1000 | bloomery build --no-summary -t counting -o f -n 1000 -p 1e-6; mkfifo in; "
      "bloomery remove --absent-ok f < in & exec 3> in; seq 1 300 >&3; until_handled 3; kill -KILL %1; wait "
      "%1; exec "
      "3>&-; "
      "flock f true; bloomery remove f < /dev/null; echo $?; bloomery add --no-summary --after-crash f < "
      "/dev/null; echo "
      "$?; "
      "seq 301 1000 | bloomery query -c f; bloomery inspect --verify f");
  EXPECT_EQ(ran.out, "3\n0\n700\nf: ok\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "'bloomery add --after-crash'")) << ran.err;
  EXPECT_TRUE(says(ran.err, "after a remove with no input (/dev/null)")) << ran.err;
}

TEST(Add, AQuotientFilterGrowsPastItsCapacity) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 | bloomery build --no-summary -t quotient -o f -n 100 -p 1e-3; "
      "seq 101 20000 | bloomery add f; echo $?; seq 20000 | bloomery query -c f; "
      "bloomery inspect --verify f");
  EXPECT_EQ(ran.out, "0\n20000\nf: ok\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "over capacity")) << ran.err;
}

// Every split takes a bit of the fingerprints; at 1/2 there is none to give, and the filter fills.
TEST(Add, AQuotientFilterThatIsFullSaysWhatIsNotIn) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 | bloomery build --no-summary -t quotient -o f -n 1000 -p 0.5; "
      "seq 1001 100000 | bloomery add --no-summary f; echo $?; seq 1000 | bloomery query -c f");
  EXPECT_EQ(ran.out, "2\n1000\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "expected room for every key, found it full")) << ran.err;
}

// Of many batches of keys, all that are refused are counted.
TEST(Add, EveryRefusedKeyIsCounted) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 | bloomery build --no-summary -t quotient -o f -n 1000 -p 0.5; "
      "seq 1001 100000 | bloomery add --no-summary f 2> said; "
      "refused=$(sed -n 's/.*the last \\(.*\\) are not in.*/\\1/p' said | tr -d ,); "
      "inserted=$(bloomery inspect --json f | jq .inserted); echo $((inserted + refused))");
  EXPECT_EQ(ran.out, "100000\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
