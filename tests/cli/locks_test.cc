// Verbs that meet at one file: what was acknowledged is in the file that has the name, and whoever cannot promise that is
// refused, or waits (together_test.cc). The verbs are held in the middle of their work by a FIFO that they read keys from.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// begin VERB...: the verb reads keys from the FIFO `keys`, to which the line writes as descriptor 3, until `finish` closes it
// and says how the verb ended.
constexpr const char* kLockTools = R"(
begin() { mkfifo keys; bloomery "$@" keys 2>verb.err & verb=$!; exec 3>keys; echo first >&3; }
finish() { exec 3>&-; wait "$verb"; echo "verb $?"; rm keys; }
seq 1000 > some; seq 2001 3000 > others
)";

Ran run(const Shell& shell, const std::string& line) {
  return shell.run(kLockTools + line);
}

class Locks : public testing::TestWithParam<const char*> {
 protected:
  Shell shell_;
  std::string build(const std::string& name) const {
    return std::string("bloomery build --no-summary -n 5000 -p 1e-6 ") + GetParam() + " -o " + name + " ";
  }
};

TEST_P(Locks, WhatAnAddIsWorkingOnIsNotReplaced) {
  const Ran ran =
      run(shell_, build("f") + "some; " + build("g") + "others; begin add f; until_locked f\n" + build("f") +
                      "--force --no-wait others; echo build $?\n"
                      "bloomery merge -o f --force --no-wait f g; echo merge $?\n"
                      "bloomery add --no-wait f others; echo add $?\n"
                      "seq 4001 5000 >&3; finish; (cat some; echo first; seq 4001 5000) | bloomery query -c "
                      "f; ls | grep -c tmp");
  EXPECT_EQ(ran.out, "build 2\nmerge 2\nadd 2\nverb 0\n2001\n0\n") << ran.err;
}

// --strict counts before it begins: what it has counted for is the filter that it finds then.
TEST_P(Locks, AStrictAddHoldsItsFilterWhileItCounts) {
  const Ran ran =
      run(shell_, build("f") + "some; begin add --strict f; until_locked f\n" + build("f") +
                      "--seed 7 --force --no-wait others; echo build $?\n"
                      "seq 4001 4100 >&3; finish; (cat some; seq 4001 4100) | bloomery query -c f");
  EXPECT_EQ(ran.out, "build 2\nverb 0\n1100\n") << ran.err;
}

TEST_P(Locks, WhatABuildIsGoingToReplaceTakesNoKeys) {
  const Ran ran = run(shell_, build("f") + "some; mkfifo keys\n" + build("f") +
                                  "--force keys & verb=$!; exec 3>keys; until_locked f\n"
                                  "bloomery add --no-wait f others; echo add $?; bloomery query -c f some\n"
                                  "seq 10 >&3; finish; seq 10 | bloomery query -c f");
  EXPECT_EQ(ran.out, "add 2\n1000\nverb 0\n10\n") << ran.err;
}

// A program that asks for no lock cannot be kept out; but what it has outrun is no success.
TEST_P(Locks, AnAddThatWasOutrunSaysSo) {
  const Ran ran =
      run(shell_, build("f") + "some; " + build("g") +
                      "others; cp g copy; begin add f; until_locked f\n"
                      "mv g f; seq 4001 5000 >&3; finish; cat verb.err >&2; cmp f copy && echo as it was");
  EXPECT_EQ(ran.out, "verb 2\nas it was\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "found another")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Types, Locks,
                         testing::Values("-t blocked", "-t bloom", "-t counting", "-t quotient",
                                         "-t scalable", "--exact-below 4000"));

TEST(LocksOfRemove, AnOutrunRemoveSaysSo) {
  for (const std::string type : {"counting", "quotient"}) {
    const Shell shell;
    const Ran ran = run(
        shell,
        "bloomery build -t " + type + " -n 5000 -p 1e-6 -o f some; bloomery build -t " + type +
            " -n 5000 -p 1e-6 -o g others; cp g copy; (seq 10; echo) > k; begin remove f; until_locked f\n"
            "mv g f; finish; cmp f copy && echo as it was");
    EXPECT_EQ(ran.out, "verb 2\nas it was\n") << type << ran.err;
  }
}

// Of two that make one new file, the one that is done first has it.
TEST(LocksOfBuild, TwoBuildsOfANewFileMakeOne) {
  for (const std::string type : {"-t blocked", "-t ribbon", "-t quotient", "--dialect dcso"}) {
    const Shell shell;
    const Ran ran = run(
        shell,
        "mkfifo keys; bloomery build --no-summary " + type +
            " -n 1000 -p 0.01 -o f keys 2>verb.err & verb=$!; exec 3>keys; echo first >&3\n"
            "bloomery build --no-summary " +
            type +
            " -n 1000 -p 0.01 -o f some; cp f copy; finish; cmp f copy && echo as it was; ls | grep -c tmp; "
            "cat verb.err >&2");
    EXPECT_EQ(ran.out, "verb 2\nas it was\n0\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "f: exists already")) << ran.err;
  }
}

TEST(LocksOfDialects, AFilterOfAnotherSystemIsHeldLikewise) {
  const Shell shell;
  const Ran ran = run(
      shell,
      "dcso='bloomery build --no-summary --dialect dcso -n 5000 -p 1e-6'\n"
      "$dcso -o f some; $dcso -o g others; begin add --dialect dcso f; until_locked f\n"
      "$dcso -o f --force --no-wait others; echo build $?\n"
      "bloomery merge --dialect dcso -o f --force --no-wait f g; echo merge $?\n"
      "finish; (cat some; echo first) | bloomery query --dialect dcso -c f\n"
      "cp g copy; begin add --dialect dcso f; until_locked f; mv g f; finish; cmp f copy && echo as it was");
  EXPECT_EQ(ran.out, "build 2\nmerge 2\nverb 0\n1001\nverb 2\nas it was\n") << ran.err;
}

TEST(LocksOfMerge, AFilterMayBeMergedIntoItself) {
  const Shell shell;
  const Ran ran = run(shell,
                      "b='bloomery build --no-summary -n 5000 -p 1e-6'; $b -o f some; $b -o g others\n"
                      "bloomery merge --no-summary --force -o f f g; cat some others | bloomery query -c f");
  EXPECT_EQ(ran.out, "2000\n") << ran.err;
}

TEST(LocksOfExceptions, ExceptDoesNotReplaceWhatItDidNotRead) {
  const Shell shell;
  const Ran ran =
      run(shell,
          "b='bloomery build --no-summary -n 1000 -p 0.3'; $b -o f some; $b -o g others; cp g copy\n"
          "begin except f; until_locked f; seq 5000 9000 >&3; mv g f; finish; cmp f copy && echo as it was");
  EXPECT_EQ(ran.out, "verb 2\nas it was\n") << ran.err;
}

// What would run into the limit on file sizes ends with a message and leaves nothing, instead of being killed.
TEST(FileSizeLimit, IsAnErrorThatCleansUp) {
  const Shell shell;
  const Ran ran =
      run(shell, "ulimit -f 100; bloomery build -o f -n 1e6 -p 0.001 some; echo $?; ls | grep -c '^f'");
  EXPECT_EQ(ran.out, "2\n0\n");
  EXPECT_TRUE(says(ran.err, "File too large")) << ran.err;
}

// What a stranger wrote into a file is not for the terminal to obey.
TEST(ForeignText, IsEscapedBeforeATerminalSeesIt) {
  const Shell shell;
  const Ran ran = run(
      shell, "bloomery build -o f -n 10 -p 0.1 --note $'\\e[2Jgone\\nbloomery: ok' some; bloomery inspect f");
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  EXPECT_TRUE(says(ran.out, "\\x1b[2Jgone\\x0abloomery: ok")) << ran.out;
}

TEST(Permissions, OfKeysFiltersAndTheirReplacements) {
  const Shell shell;
  const Ran ran =
      run(shell,
          "umask 022; bloomery build --keyed -o f -n 1000 -p 0.1 some; stat -c %a f f.key\n"
          "chmod 640 f; bloomery build --force --key-file f.key -o f -n 1000 -p 0.1 some; stat -c %a f\n"
          "umask 077; bloomery build -o g -n 1000 -p 0.1 some; stat -c %a g");
  EXPECT_EQ(ran.out, "644\n600\n640\n600\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
