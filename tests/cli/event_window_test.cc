// bloomery dedup --window DURATION --time-field N: a window by the times of the lines.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// Lines of "SECONDS,KEY".
constexpr const char* kDedup =
    "bloomery dedup --window 100s -n 1000 -k 2 -d , --time-field 1 --time-format epoch";

TEST(EventWindow, AKeyComesAgainWhenItsTimeHasPassedInTheLines) {
  const Shell shell;
  const Ran ran = shell.run("printf '1000,a\\n1050,a\\n1100,b\\n1350,a\\n1351,b\\n1352,a\\n' > log; " +
                            std::string(kDedup) + " log");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "1000,a\n1100,b\n1350,a\n1351,b\n") << ran.err;
  EXPECT_FALSE(says(ran.err, "not live")) << ran.err;
  EXPECT_FALSE(says(ran.err, "before that of an earlier line")) << ran.err;
}

// As the window says: for at least W after the last time, and at most a generation longer.
TEST(EventWindow, RemembersForTheWindowAndAtMostAGenerationLonger) {
  const Shell shell;
  for (const auto& [gap, kept] : {std::pair(99, 1), {100, 1}, {126, 2}, {1'000'000, 2}}) {
    const Ran ran =
        shell.run("printf '5000,a\\n" + std::to_string(5000 + gap) + ",a\\n' | " + kDedup + " | wc -l");
    EXPECT_EQ(ran.out, std::to_string(kept) + "\n") << gap << ran.err;
  }
}

// Many lines of many times, in batches and out of them, against a plain computation.
TEST(EventWindow, NoKeyInItsWindowIsPrintedAgain) {
  const Shell shell;
  const Ran ran = shell.run(
      "awk 'BEGIN { srand(7); for (i = 0; i < 50000; ++i) { t += rand() < 0.1; print 1000 + t \",k\" "
      "int(rand() * 400) } }' > log; " +
      std::string(kDedup) +
      " -p 1e-9 log > kept; "
      // an early line is one that was kept within 100 s of the last with its key, or dropped after more than 125 s
      "awk -F, 'NR == FNR { kept[$0]++; next } { early = ($2 in last) && $1 - last[$2] <= 100; "
      "late = !($2 in last) || $1 - last[$2] > 125; if (early && kept[$0] > 0 && last[$2] != $1) wrong++; "
      "if (late && !kept[$0]) wrong++; if (kept[$0] > 0) kept[$0]--; last[$2] = $1 } END { print wrong + 0 "
      "}' kept log; "
      "[ $(wc -l < kept) -gt 400 ] && echo forgot");
  EXPECT_EQ(ran.out, "0\nforgot\n") << ran.err;
}

// Lines that are left out have no time, and the others keep their numbers and times.
TEST(EventWindow, LinesThatAreLeftOutAndHeadersDisturbNoTimes) {
  const Shell shell;
  const std::string lines = "printf 'at,k\\n1000,a\\nno time\\n1050,a\\n1350,a\\n";
  const std::string dedup =
      "bloomery dedup --window 100s -n 1000 -d , --time-field 1 --time-format epoch --header k --missing "
      "skip";
  EXPECT_EQ(shell.run(lines + "' | " + dedup).out, "at,k\n1000,a\n1350,a\n");
  const Ran named = shell.run(lines + "soon,b\\n' | " + dedup);
  EXPECT_EQ(named.status, 2);
  EXPECT_EQ(named.out, "at,k\n1000,a\n1350,a\n");
  EXPECT_TRUE(says(named.err, "line 6: field 1: expected a time")) << named.err;
}

TEST(EventWindow, TimesStandBetweenDelimiters) {
  const Shell shell;
  for (const std::string fields : {"-w -k 2", "--csv -k 2", "--json-field k"}) {
    const Ran refused =
        shell.run("bloomery dedup --window 100s -n 1000 --time-field 1 " + fields + " < /dev/null");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(says(refused.err, "--time-field: expected without -w, --csv and --json-field"))
        << refused.err;
  }
}

TEST(EventWindow, TimesThatGoBackCountAsTheNewestAndAreCounted) {
  const Shell shell;
  const Ran ran = shell.run("printf '1000,a\\n970,b\\n1090,b\\n900,a\\n' | " + std::string(kDedup));
  EXPECT_EQ(ran.out, "1000,a\n970,b\n") << "b counts at 1000, and a at 1090";
  EXPECT_TRUE(says(ran.err, "2 lines have a time before that of an earlier line, by up to 190 s")) << ran.err;
}

TEST(EventWindow, ABadTimeIsNamedBehindTheLinesBeforeIt) {
  const Shell shell;
  const Ran ran =
      shell.run("printf '1000,a\\n1001,b\\nnever,c\\n1002,d\\n' > log; " + std::string(kDedup) + " log");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "1000,a\n1001,b\n");
  EXPECT_TRUE(says(ran.err, "log: line 3: field 1: expected a time such as 1700000000.25, found 'never,c'"))
      << ran.err;
  EXPECT_TRUE(
      says(shell.run("echo a | bloomery dedup --window 1h -n 9 --time-field 2").err, "no such field"));
}

TEST(EventWindow, AStateGoesOnFromRunToRunByTheSameClock) {
  const Shell shell;
  const std::string state = std::string(kDedup) + " --state s --no-summary";
  EXPECT_EQ(shell.run("echo 1000,a | " + state).out, "1000,a\n");
  EXPECT_EQ(shell.run("echo 1099,a | " + state).out, "")
      << "old logs, and the wall clock has long passed them";
  EXPECT_EQ(shell.run("echo 1400,a | " + state).out, "1400,a\n");
  const Ran other = shell.run("echo 1401,a | bloomery dedup --window 100s --state s -k 2 -d ,");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(says(other.err, "--time-field: expected with this state")) << other.err;
  const Ran by_arrival = shell.run("echo a | bloomery dedup --window 100s -n 1000 --state t; echo 1000,a | " +
                                   std::string(kDedup) + " --state t");
  EXPECT_EQ(by_arrival.status, 2);
  EXPECT_TRUE(says(by_arrival.err, "--time-field: contradicts the state")) << by_arrival.err;
}

TEST(EventWindow, AFileWithoutItsTimesIsSaidToBeNotLive) {
  const Shell shell;
  const std::string window = "seq 5 > k; bloomery dedup --window 1h -n 1000 ";
  EXPECT_TRUE(says(shell.run(window + "k").err, "the input is a file, not live: --time-field N"));
  EXPECT_TRUE(says(shell.run(window + "< k").err, "not live"));
  EXPECT_FALSE(says(shell.run("seq 5 | bloomery dedup --window 1h -n 1000").err, "not live"));
  EXPECT_FALSE(says(shell.run("seq 5 > k; bloomery dedup --window 1000 k").err, "not live"));
}

TEST(EventWindow, OptionsThatDoNotFitAreRefused) {
  const Shell shell;
  for (const std::string wrong :
       {"--time-field 1", "--window 1e6 --time-field 1", "--window 1h -n 5 --time-format clf",
        "--window 1h -n 5 --time-field 0", "--window 1h -n 5 --time-field x",
        "--window 1h -n 5 --time-field 1 --time-format rfc", "--max-mem 64M --time-field 1"}) {
    const Ran ran = shell.run("echo 5 | bloomery dedup " + wrong);
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_TRUE(says(ran.err, "--time-f")) << wrong << ran.err;
  }
}

}  // namespace
}  // namespace bloomery
