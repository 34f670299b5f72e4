// Standard streams that are closed or full: no file takes their place, nothing is lost in silence, nothing
// aborts.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// The state would be opened as file 1, and the lines would be in it, and marked as seen.
TEST(StandardStreams, ClosedOutputIsTroubleAndNoFile) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 > keys; bloomery dedup --state s -n 1000 keys >&-; echo $?; bloomery dedup --state s -n 1000 "
      "keys | wc -l;"
      "bloomery build -o f -p 1e-3 keys >&-; echo $?; bloomery query f keys >&-; echo $?");
  EXPECT_EQ(ran.out, "2\n100\n0\n2\n") << ran.err;
}

TEST(StandardStreams, ClosedOrFullErrorIsNoReasonToStop) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 100 > keys; for to in '2>&-' '2>/dev/full'; do"
      "  eval \"bloomery build --force -o f -p 1e-3 keys $to\"; echo $?; eval \"bloomery query -c f keys "
      "$to\"; echo "
      "$?;"
      "  eval \"bloomery dedup keys $to\" | wc -l; eval \"bloomery query none keys $to\"; echo $?;"
      "  eval \"bloomery --what $to\"; echo $?;"
      "done");
  const std::string expected = "0\n100\n0\n100\n2\n2\n";
  EXPECT_EQ(ran.out, expected + expected);
}

TEST(StandardStreams, ClosedInputIsTrouble) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery dedup <&-; echo $?").out, "2\n");
}

// A file named - would be a surprise.
TEST(StandardStreams, MergeWritesToStandardOutput) {
  const Shell shell;
  const Ran ran = shell.run(
      "plan='bloomery build --no-summary -n 1000 -p 0.01 -o'; seq 500 | $plan a; seq 501 1000 | $plan b;"
      "bloomery merge --no-summary -o file a b; bloomery merge --summary -o - a b | cmp - file && echo same;"
      "guava='bloomery build --no-summary --dialect guava -n 1000 -p 0.01 -o'; seq 500 | $guava g; seq 501 "
      "1000 | "
      "$guava h; bloomery merge --no-summary --dialect guava -o both g h;"
      "bloomery merge --summary --dialect guava -o - g h | cmp - both && echo same;"
      "ribbon='bloomery build --no-summary -t ribbon -n 3e5 -p 0.01'; seq 300000 > keys;"
      "for i in 1 2; do $ribbon -o p$i --shards $i/2 keys; done; bloomery merge --no-summary -o whole p1 p2;"
      "bloomery merge --summary -o - p1 p2 | cmp - whole && echo same; ls ./-");
  EXPECT_EQ(ran.out, "same\nsame\nsame\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "merge: 1,000 keys in standard output, fpp")) << ran.err;
  EXPECT_TRUE(says(ran.err, "merge: 2 filters in standard output (guava")) << ran.err;
  EXPECT_TRUE(says(ran.err, "merge: 300,000 keys in standard output, ")) << ran.err;
  const Ran full = shell.run(
      "for of in 'a b' 'p1 p2' '--dialect guava g h'; do "
      "bloomery merge -o - $of > /dev/full; echo $?; bloomery merge -o - $of >&-; echo $?; done");
  EXPECT_EQ(full.out, "2\n2\n2\n2\n2\n2\n") << full.err;
}

TEST(StandardStreams, WhatCannotBeStreamedIsRefused) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 > keys; bloomery build --no-summary -t ribbon --partition 2 -o ranges keys;"
      "for i in 1 2; do bloomery build --no-summary -t ribbon -p 0.01 --shards $i/2 -o p$i "
      "ranges/range-$i-of-2.hashes; done;"
      "bloomery merge -o - p1 p2; echo $?; bloomery dedup --state - -n 1000 keys; echo $?;"
      "printf 'row\\tf:q\\tvalue\\n' | bloomery hfile write -o -; echo $?;"
      "cp p1 before; bloomery merge -o - p1 p2 >> p1; echo $?; cmp p1 before; ls ./-");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "-o: expected a file for the parts of range files")) << ran.err;
  EXPECT_TRUE(says(ran.err, "--state: expected a file, found standard output")) << ran.err;
  EXPECT_TRUE(says(ran.err, "-o: expected a directory, found standard output")) << ran.err;
  EXPECT_TRUE(says(ran.err, "expected a file that is not read too, found the input p1")) << ran.err;
}

// Opening it would wait for its other end.
TEST(StandardStreams, APipeIsNoFilter) {
  const Shell shell;
  const Ran ran = shell.run("mkfifo p; bloomery dedup --state p -n 10 < /dev/null; echo $?");
  EXPECT_EQ(ran.out, "2\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
