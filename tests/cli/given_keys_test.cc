// -e KEY of add, remove and except: keys on the command line.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

TEST(GivenKeys, AreAddedRemovedAndExcepted) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 9 > k; for type in quotient counting; do bloomery build --force -t $type -n 100 -p 1e-6 -o f k; "
      "bloomery add f -e alice -e '{}' < k; bloomery query f -e alice -e '{}' -e bob; bloomery remove f -e "
      "alice; "
      "bloomery query -c f -e alice; done; bloomery build --force -p 0.5 -o f k; bloomery except f $(seq 100 "
      "130 | "
      "sed 's/^/-e /'); seq 100 130 | bloomery query -c f");
  EXPECT_EQ(ran.out, "alice\n{}\n0\nalice\n{}\n0\n0\n") << ran.err;
}

// They come before the files that are named, and stand for standard input if none is.
TEST(GivenKeys, WithFilesOfKeysToo) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 9 | bloomery build -n 100 -p 1e-6 -o f; seq 20 22 > more; bloomery add f -e 30 more; seq 40 | "
      "bloomery "
      "query -c f; bloomery add f -e \"$(printf 'a\\nb')\"; printf 'a\\nb\\0' | bloomery query -z f; "
      "bloomery add f "
      "-k 2 -d : -e x:y; bloomery query f -e y; seq 9 | bloomery build --dialect dcso -n 100 -p 1e-6 -o d; "
      "bloomery add d -e zoe; bloomery query d -e zoe");
  EXPECT_EQ(ran.out, std::string("13\na\nb\0y\nzoe\n", 13)) << ran.err;
  EXPECT_EQ(shell.run("bloomery add f --header x -e 1").status, 2);
}

// What a newcomer tries first.
TEST(GivenKeys, AFileThatIsNotThereMayBeAKey) {
  const Shell shell;
  shell.run("seq 9 | bloomery build -t quotient -n 100 -o f");
  for (const std::string verb : {"add", "remove", "except"}) {
    const Ran ran = shell.run("bloomery " + verb + " f alice");
    EXPECT_EQ(ran.status, 2) << verb;
    EXPECT_TRUE(says(ran.err, "alice: open: No such file or directory; -e alice would be the key itself"))
        << verb << ran.err;
  }
}

}  // namespace
}  // namespace bloomery
