// Keyed filters as a user meets them: the key file beside the filter, moved, lost, wrong, open to others.
#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

TEST(Keyed, EveryTypeGoesThroughEveryVerb) {
  for (const std::string type : {"bloom", "blocked:fast", "blocked:dense", "ribbon"}) {
    const Shell shell;
    const Ran ran =
        shell.run("seq 1000 > k; bloomery build -t " + type +
                  " -o f -n 1000 -p 1e-3 --keyed k; stat -c '%a %s' f.key; bloomery query -c f k\n"
                  "bloomery query -c f <(seq 10001 20000) | awk '{ print $1 < 40 }'\n"
                  "bloomery inspect --verify f; bloomery inspect f | grep -c 'siphash-2-4-128\\|key_id'\n"
                  "bloomery fpp f --absent <(seq 10001 20000) | grep -c fpp");
    EXPECT_EQ(ran.out, "600 33\n1000\n1\nf: ok\n2\n3\n") << type << ran.err;
  }
}

TEST(Keyed, WithoutItsKeyAFilterSaysSo) {
  const Shell shell;
  shell.run(
      "seq 10 > k; bloomery build -o f -p 0.01 --keyed k; mv f.key elsewhere; bloomery build -o g -p 0.01 "
      "--keyed k");
  for (const std::string verb : {"query f k", "add f k", "fpp f --absent k"}) {
    const Ran lost = shell.run("bloomery " + verb);
    EXPECT_EQ(lost.status, 2) << verb;
    EXPECT_EQ(lost.out, "");
    EXPECT_TRUE(says(lost.err, "found no file f.key: name it (--key-file)")) << lost.err;
    const Ran wrong = shell.run("bloomery " + verb + " --key-file g.key");
    EXPECT_EQ(wrong.status, 2) << verb;
    EXPECT_TRUE(says(wrong.err, "expected the key with id")) << wrong.err;
    EXPECT_EQ(shell.run("bloomery " + verb + " --key-file elsewhere").status, 0) << verb;
  }
  const Ran open = shell.run("chmod 644 elsewhere; bloomery query f k --key-file elsewhere");
  EXPECT_EQ(open.status, 2);
  EXPECT_TRUE(says(open.err, "expected a key file that only its owner may read (chmod 600)")) << open.err;
}

TEST(Keyed, AKeyIsReusedSoThatPartsMerge) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 500 > left; seq 501 1000 > right; bloomery build -o a -n 1000 -p 0.01 --keyed --key-file our.key "
      "left\n"
      "bloomery build -o b -n 1000 -p 0.01 --key-file our.key right\n"
      "bloomery build -o c -n 1000 -p 0.01 --key-file our.key left right\n"
      "bloomery merge -o ab a b && cmp ab c && bloomery query -c ab --key-file our.key left right\n"
      "bloomery build -o d -n 1000 -p 0.01 --keyed right; bloomery merge -o x a d");
  EXPECT_EQ(ran.out, "left:500\nright:500\n") << ran.err;
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "different key id")) << ran.err;
  const Ran ids = shell.run(
      "bloomery merge -o x a d 2> said; for f in a d; do grep -c \"$(bloomery inspect --json $f | "
      "jq -r .key_id)\" said; done");
  EXPECT_EQ(ids.out, "1\n1\n") << "in the digits of inspect: " << shell.folder().read("said") << ids.err;
}

TEST(Keyed, KeysAreNeverReplacedAndBadRequestsAreRefused) {
  const Shell shell;
  shell.run("seq 10 > k; bloomery build -o f -p 0.01 --keyed k; cp f.key before");
  EXPECT_TRUE(says(shell.run("bloomery build --force -o f -p 0.01 --keyed k").err, "f.key: exists already"));
  EXPECT_EQ(shell.run("cmp f.key before; bloomery build --force -o f -p 0.01 --key-file f.key k").status, 0);
  EXPECT_TRUE(says(shell.run("bloomery build -o g -p 0.01 --key-file f.key --seed 1 k").err, "--seed"));
  EXPECT_TRUE(says(shell.run("bloomery build -o - -p 0.01 --keyed k").err, "--key-file: expected a file"));
  EXPECT_TRUE(says(shell.run("bloomery build -o g -p 0.01 --key-file none k").err, "none"));
  EXPECT_TRUE(says(shell.run("echo short > s; chmod 600 s; bloomery build -o g -p 0.01 --key-file s k").err,
                   "expected a key file of 32 hexadecimal digits, found 6 bytes"));
  // Neither filter nor key is left where the filter could not be written.
  EXPECT_EQ(
      shell.run("ls g* no 2>/dev/null; bloomery build -o no/g -p 0.01 --keyed --key-file g.key k; ls g.key")
          .out,
      "");
}

}  // namespace
}  // namespace bloomery
