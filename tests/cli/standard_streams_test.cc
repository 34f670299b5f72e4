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

// Opening it would wait for its other end.
TEST(StandardStreams, APipeIsNoFilter) {
  const Shell shell;
  const Ran ran = shell.run("mkfifo p; bloomery dedup --state p -n 10 < /dev/null; echo $?");
  EXPECT_EQ(ran.out, "2\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
