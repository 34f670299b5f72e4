// Filters that grow, forget, or are exact while small, as a user runs them: -t scalable, -t windowed,
// --exact-below.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

TEST(ScalableVerbs, AStreamOfAnyLengthKeepsItsFpp) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 200000 | bloomery build -t scalable -o f -p 0.01; seq 200001 300000 | bloomery add --strict f; "
      "seq 300000 | bloomery query --no-summary -c f; seq 1000001 1100000 | bloomery query --no-summary -c "
      "f; "
      "bloomery inspect --verify f; bloomery inspect f | grep -o layers");
  EXPECT_TRUE(ran.out.starts_with("300000\n")) << ran.out << ran.err;
  EXPECT_LT(std::stoi(ran.out.substr(7)), 1000) << ran.out;
  EXPECT_TRUE(says(ran.out, "f: ok\nlayers\n")) << ran.out;
  EXPECT_FALSE(says(ran.err, "over capacity")) << ran.err;
}

TEST(ScalableVerbs, HalvesMerge) {
  const Shell shell;
  const Ran ran = shell.run(
      "for i in 1 2; do seq $((i * 100000)) $((i * 100000 + 99999)) | bloomery build --no-summary -t "
      "scalable "
      "-n 1000 -p 0.01 -o $i; done; bloomery merge --no-summary -o both 1 2; seq 100000 299999 | bloomery "
      "query "
      "--no-summary -c both; bloomery inspect --verify both");
  EXPECT_EQ(ran.out, "200000\nboth: ok\n") << ran.err;
}

TEST(ScalableVerbs, HasNoBitsPerKeyToAskFor) {
  const Shell shell;
  const Ran ran = shell.run("seq 10 | bloomery build -t scalable -o f -n 10 --bits-per-key 10");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "expected an fpp")) << ran.err;
}

TEST(WindowedVerbs, RemembersTheLastKeysByCount) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 10000 | bloomery build --no-summary -t windowed --window 1000 -p 1e-6 -o f; seq 9001 10000 | "
      "bloomery "
      "query --no-summary -c f; seq 1 8750 | bloomery query --no-summary -c f; seq 20001 20500 | bloomery "
      "add "
      "--no-summary f; seq 9501 10000 | bloomery query --no-summary -c f; seq 1 9250 | bloomery query "
      "--no-summary -c f; bloomery inspect f | grep window");
  EXPECT_EQ(ran.out.substr(0, ran.out.find("window")), "1000\n0\n500\n0\ntype             ") << ran.err;
  EXPECT_TRUE(says(ran.out, "window           1000\nwindow_kind      keys\n")) << ran.out;
}

// Read-only or not, a file forgets by the clock: here after two generations of half a second. What an hour has not
// forgotten is there still, however long the machine takes.
TEST(WindowedVerbs, ForgetsByAge) {
  const Shell shell;
  const Ran ran = shell.run(
      "build() { seq 1000 | bloomery build --no-summary -t windowed --generations 1 -n 1000 -p 1e-6 \"$@\"; "
      "}\n"
      "build --window 0.5s -o short; build --window 1h -o long; sleep 1.1\n"
      "for f in short long; do seq 1000 | bloomery query --no-summary -c $f; done\n"
      "seq 2001 2010 | bloomery add --no-summary short; seq 1000 | bloomery query --no-summary -c short\n"
      "seq 2001 2010 | bloomery add --no-summary long; seq 2010 | bloomery query --no-summary -c long\n"
      "bloomery inspect --verify short");
  EXPECT_EQ(ran.out, "0\n1000\n0\n1010\nshort: ok\n") << ran.err;
}

// Keys that come at once fill one generation of a window, which without -n has room for a quarter of them. The warning
// says which -n has room for all, and that one is enough.
TEST(WindowedVerbs, KeysThatComeAtOnceTakeAnNOfAllGenerations) {
  const Shell shell;
  const Ran ran = shell.run("seq 10000 > keys; bloomery build -t windowed --window 1h -p 1e-3 -o f keys");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(
      says(ran.err, "made for 10,000 keys a window, a generation has clearly more than its share of 2,500; "))
      << ran.err;
  EXPECT_TRUE(says(ran.err, "a new window takes them with -n 4 times as many as may come in one generation"))
      << ran.err;
  const Ran whole = shell.run("bloomery build -t windowed --window 1h -p 1e-3 -n 40000 -o g keys");
  EXPECT_FALSE(says(whole.err, "over capacity")) << whole.err;
}

// The first holds the file; the second must not rotate it too.
TEST(WindowedVerbs, AnEmptyWindowHasAnFppOfZero) {
  const Shell shell;
  for (const std::string window : {"1h -n 100", "100"}) {
    const Ran ran =
        shell.run("bloomery build --allow-empty --no-summary --force -t windowed -p 0.01 -o f --window " +
                  window + " < /dev/null; bloomery inspect f; bloomery inspect --json f");
    EXPECT_TRUE(says(ran.out, "\"current_fpp\": 0")) << ran.out << ran.err;
    EXPECT_FALSE(says(ran.out, " -0")) << ran.out;
  }
}

TEST(WindowedVerbs, OneFileIsRotatedByOneProcess) {
  const Shell shell;
  const Ran ran = shell.run(
      "set -m; seq 100 | bloomery build --no-summary -t windowed --window 100 -p 1e-6 -o f; mkfifo in; "
      "bloomery add "
      "--no-summary f < in & exec 3> in; until_locked f; seq 101 300 | bloomery add --no-wait f; echo $?; "
      "seq 101 120 "
      ">&3; "
      "exec "
      "3>&-; wait %1; echo $?; seq 21 120 | bloomery query --no-summary -c f; bloomery inspect --verify f");
  EXPECT_EQ(ran.out, "2\n0\n100\nf: ok\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "f: in use: ")) << ran.err;
}

TEST(WindowedVerbs, RefusesWindowsThatAreNone) {
  const Shell shell;
  for (const char* const options : {"--window 0", "--window 0s", "--window 3", "--window -5s", "--window 5x",
                                    "--window m", "", "--window 1e3s", "--window 100 --generations 0",
                                    "--window 100 --generations 65", "--window 100 -n 50"}) {
    const Ran ran = shell.run(std::string("seq 10 | bloomery build -t windowed -p 0.01 -o f ") + options);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_TRUE(says(ran.err, "expected")) << options << ": " << ran.err;
  }
  const Ran other = shell.run("seq 10 | bloomery build --window 100 -n 10 -p 0.01 -o f");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(says(other.err, "expected only with -t windowed")) << other.err;
}

TEST(WindowedVerbs, AWindowMayBeOfManyUnits) {
  const Shell shell;
  const Ran ran = shell.run(
      "bloomery build --allow-empty --no-summary -t windowed --window 1h30m -n 1000 -p 0.01 -o f < "
      "/dev/null; bloomery "
      "inspect f | "
      "grep '^window '");
  EXPECT_EQ(ran.out, "window           5400 s\n") << ran.err;
}

TEST(ExactBelow, AnswersExactlyAndThenBecomesTheFilter) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 | bloomery build --no-summary --exact-below 1000 -n 2000 -p 0.5 -o f; bloomery inspect f | "
      "grep -e "
      "^type -e becomes; seq 1 100000 | bloomery query --no-summary f | md5sum; seq 1000 | md5sum; echo 1001 "
      "| "
      "bloomery add --no-summary f; bloomery inspect f | grep ^type; seq 1001 | bloomery query --no-summary "
      "-c f; "
      "seq 1001 > k; bloomery build --no-summary -n 2000 -p 0.5 -o g k; cmp f g && echo same");
  EXPECT_TRUE(ran.out.starts_with("type             exact\nbecomes          blocked:fast\n"))
      << ran.out << ran.err;
  EXPECT_TRUE(ran.out.ends_with("type             blocked:fast\n1001\nsame\n")) << ran.out << ran.err;
  const std::size_t sums = ran.out.find("fast\n") + 5;
  EXPECT_EQ(ran.out.substr(sums, 36), ran.out.substr(sums + 36, 36)) << ran.out;
}

TEST(ExactBelow, RemovesExactlyWhereTheFilterWould) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 | bloomery build --no-summary -t quotient --exact-below 1000 -n 5000 -p 0.1 -o f; seq 51 150 "
      "| "
      "bloomery remove f; seq 200 | bloomery query --no-summary -c f; seq 2000 | bloomery add --no-summary "
      "f; "
      "bloomery inspect f | grep -e ^type -e inserted; seq 100 | bloomery build --no-summary --exact-below "
      "1000 -n "
      "5000 -p 0.1 -o g; echo 1 | bloomery remove g; echo $?");
  EXPECT_EQ(ran.out, "50\ntype             quotient\ninserted         2050\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "50 keys removed from f, 50 were certainly absent")) << ran.err;
}

TEST(ExactBelow, MergesBelowAndAboveItsThreshold) {
  const Shell shell;
  const Ran ran = shell.run(
      "b() { bloomery build --no-summary --exact-below 1000 -n 5000 -p 0.01 -o $1; }; seq 600 | b a; seq 401 "
      "1000 | b "
      "b; seq 2000 | b c; bloomery merge --no-summary -o ab a b; bloomery inspect ab | grep -e ^type -e "
      "keys; bloomery "
      "merge --no-summary -o ac a c; bloomery merge --no-summary -o ca c a; cmp ac ca && bloomery inspect ac "
      "| grep "
      "^type; seq 2000 | bloomery query --no-summary -c ac");
  EXPECT_EQ(ran.out, "type             exact\nkeys             1000\ntype             blocked:fast\n2000\n")
      << ran.err;
}

// A white list that was given while the set was exact holds for the filter that it becomes.
TEST(ExactBelow, ExceptionsOutliveTheBecoming) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 > k; seq 1001 2000 > white; seq 2001 3000 > later; bloomery build --no-summary --exact-below "
      "100 -n "
      "1000 -p 0.5 --exceptions white -o f k; bloomery except --no-summary f later; seq 101 600 | bloomery "
      "add "
      "--no-summary f; bloomery inspect f | grep ^type; bloomery query --no-summary -c f white later; seq "
      "600 | "
      "bloomery query --no-summary -c f; seq 3001 4000 | bloomery query --no-summary -c f");
  EXPECT_TRUE(ran.out.starts_with("type             blocked:fast\nwhite:0\nlater:0\n600\n"))
      << ran.out << ran.err;
  EXPECT_FALSE(ran.out.ends_with("\n600\n0\n")) << "nothing matches by chance, so nothing was shown";
  const Ran conflict =
      shell.run("bloomery build --no-summary --exact-below 200 -n 1000 -p 0.5 --exceptions k -o g k");
  EXPECT_EQ(conflict.status, 2);
  EXPECT_TRUE(says(conflict.err, "k")) << conflict.err;
}

TEST(ExactBelow, IsRefusedWhereNoFilterCanComeOfIt) {
  const Shell shell;
  for (const char* const options :
       {"-t ribbon", "-t windowed --window 10", "--exact-below -1", "--exact-below x"}) {
    const Ran ran =
        shell.run(std::string("seq 10 > k; bloomery build --exact-below 100 -p 0.01 -o f k ") + options);
    EXPECT_EQ(ran.status, 2) << options;
  }
}

}  // namespace
}  // namespace bloomery
