// The line that shows how far a verb has come: it is drawn on a terminal, but not over keys that somebody types.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// `script` gives the command a terminal. What is typed arrives later than the line is first drawn.
TEST(Progress, IsNotDrawnOverKeysThatSomebodyTypes) {
  if (!has_pseudo_terminals()) {
    GTEST_SKIP() << "there is no pseudo-terminal";
  }
  const Shell shell;
  ASSERT_EQ(shell.run("seq 10 > keys; bloomery build -o f keys").status, 0);
  for (const std::string verb : {"query f", "dedup"}) {
    const Ran typed = shell.run(
        "{ sleep 0.4; echo 3; sleep 0.4; echo 4; sleep 0.1; printf '\\004'; } | script -qec "
        "'. ./env; bloomery " +
        verb + "' /dev/null");
    EXPECT_TRUE(says(typed.out, "4\r\n")) << typed.out;
    EXPECT_FALSE(says(typed.out, "keys/s")) << verb << ": " << typed.out;
    const Ran piped =
        shell.run("script -qec \". ./env; { sleep 0.4; echo 3; sleep 0.4; echo 4; } | bloomery " + verb +
                  "\" /dev/null < /dev/null");
    EXPECT_TRUE(says(piped.out, "keys/s")) << verb << ": " << piped.out;
  }
}

// The reader waits, so that the scan takes long enough.
TEST(Progress, OfAScanHasRowsAndRegions) {
  if (!has_pseudo_terminals()) {
    GTEST_SKIP() << "there is no pseudo-terminal";
  }
  const Shell shell;
  const Ran ran = shell.run(
      "for i in $(seq -w 40000); do printf 'row%s\\tf:q\\tvalue of some length for row %s\\t7\\n' $i $i; "
      "done > cells; bloomery hfile write -o load cells 2> /dev/null; "
      "script -qec '. ./env; bloomery table scan load | { sleep 0.6; cat > /dev/null; }' /dev/null < "
      "/dev/null");
  EXPECT_TRUE(says(ran.out, " rows, ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "M rows/s, region 1 of 1")) << ran.out;
}

}  // namespace
}  // namespace bloomery
