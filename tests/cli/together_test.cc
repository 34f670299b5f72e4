// Verbs at one filter at the same time: readers are served while it is updated, writers wait for their turn. Verbs are held
// in the middle of their work by a FIFO that they read keys from.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// begin VERB: the verb reads keys from the FIFO `keys`, to which the line writes as descriptor 3. It has read the first
// ones when `begin` returns. `finish` closes the FIFO and says how the verb ended. `waiting` runs a verb in the background,
// and returns when it has said that it waits.
constexpr const char* kTogetherTools = R"(
set -m
begin() { mkfifo keys; bloomery "$@" keys 2>verb.err & verb=$!; exec 3>keys; seq 2001 2500 >&3; until_read 3; }
finish() { exec 3>&-; wait "$verb"; echo "verb $?"; rm keys; }
waiting() {
  bloomery "$@" 2>waiter.err 3>&- & waiter=$!
  for i in $(seq 6000); do grep -q 'waiting for' waiter.err && return; sleep 0.01; done; echo 'never waited'
}
seq 1000 > some; seq 3001 4000 > others
)";

class Together : public testing::TestWithParam<const char*> {
 protected:
  Ran run(const std::string& line) const {
    return shell_.run(std::string(kTogetherTools) + "build() { bloomery build --no-summary -p 1e-9 " +
                      GetParam() + " \"$@\"; }; build -o f some\n" + line);
  }
  Shell shell_;
};

TEST_P(Together, ReadersAreServedAndSayNothing) {
  const Ran ran =
      run("begin add --no-summary f; bloomery query -c f some; bloomery query -c f others; bloomery query "
          "--answers f -e 7\n"
          "bloomery inspect f > facts; echo $?; finish; bloomery query -c f <(seq 2001 2500); bloomery "
          "inspect --verify f");
  EXPECT_EQ(ran.out, "1000\n0\n1\n0\nverb 0\n500\nf: ok\n") << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_P(Together, AnAdderWaitsForAnother) {
  const Ran ran =
      run("begin add --no-summary f; waiting add --no-summary f others; finish; wait $waiter; echo $?\n"
          "cat waiter.err; (cat some others; seq 2001 2500) | bloomery query -c f; bloomery inspect --verify "
          "f");
  EXPECT_EQ(ran.out,
            "verb 0\n0\nbloomery add: waiting for f, which another process updates or "
            "replaces\n2500\nf: ok\n")
      << ran.err;
}

TEST_P(Together, WhoWillNotWaitIsRefused) {
  const Ran ran =
      run("begin add --no-summary f\n"
          "for way in 'add f' 'remove f' 'except f' 'merge --force -o f f'; do bloomery $way --no-wait some; "
          "echo $?; done; build --force --no-wait -o f some; echo $?; finish");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\nverb 0\n") << ran.err;
  EXPECT_EQ(ran.err.find("waiting"), std::string::npos) << ran.err;
  EXPECT_TRUE(says(ran.err, "f: in use: another process updates or replaces it")) << ran.err;
}

TEST_P(Together, CtrlCEndsTheWait) {
  const Ran ran =
      run("begin add --no-summary f; waiting add --no-summary f others; kill -INT -- -$waiter; wait $waiter; "
          "echo $?; finish; bloomery query -c f others; bloomery inspect --verify f; ls | grep -c tmp; cat "
          "waiter.err >&2");
  EXPECT_EQ(ran.out, "130\nverb 0\n0\nf: ok\n0\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "nothing was changed")) << ran.err;
}

// The name belongs to another file when the wait is over.
TEST_P(Together, AnAdderAddsToTheFileThatHasTheNameThen) {
  const Ran ran =
      run("mkfifo keys; build --force -o f keys 2>verb.err & verb=$!; exec 3>keys; until_locked f\n"
          "waiting add --no-summary f others; seq 10 >&3; finish; wait $waiter; echo $?\n"
          "(seq 10; cat others) | bloomery query -c f; bloomery query -c f <(seq 11 1000); bloomery inspect "
          "--verify f");
  EXPECT_EQ(ran.out, "verb 0\n0\n1010\n0\nf: ok\n") << ran.err;
}

// A copy that is taken at any moment is whole.
TEST_P(Together, AnAtomicAddLeavesTheFileWholeMeanwhile) {
  const Ran ran = run(
      "cp f before; begin add --no-summary --atomic f; cp f copy; cmp f before; bloomery inspect --verify "
      "copy; bloomery inspect --verify f; seq 2501 2510 >&3; finish\n"
      "bloomery query -c f <(seq 2001 2510); bloomery query -c copy some; bloomery inspect --verify f; ls "
      "| grep -c tmp");
  EXPECT_EQ(ran.out, "copy: ok\nf: ok\nverb 0\n510\n1000\nf: ok\n0\n") << ran.err;
}

// A writer that was killed is none at work: readers are told of the crash, unless it left the file as it was.
TEST_P(Together, AKilledAddIsNoWriterAtWork) {
  const Ran ran =
      run("cp f before; begin add --no-summary f; kill -KILL %1; wait $verb; exec 3>&-; flock f true\n"
          "if cmp -s f before; then echo 3; else bloomery query -c f some; echo $?; fi\n"
          "bloomery add --no-summary --after-crash f <(seq 2001 2500)\n"
          "(cat some; seq 2001 2500) | bloomery query -c f");
  EXPECT_EQ(ran.out, "3\n1500\n") << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Types, Together,
                         testing::Values("-n 5000 -t blocked", "-n 5000 -t bloom", "-n 5000 -t counting",
                                         "-t windowed --window 5000", "-t windowed -n 50000 --window 1h",
                                         "-n 5000 -t quotient", "-n 5000 -t scalable",
                                         "-n 5000 --exact-below 4000"));

// Of types that are updated in place. Of others it reads the old file.
TEST(TogetherMerge, WaitsForWhatItReads) {
  for (const std::string type : {"-n 5000 -t blocked", "-n 5000 -t counting", "-t windowed --window 5000"}) {
    const Shell shell;
    const Ran ran = shell.run(
        std::string(kTogetherTools) + "build() { bloomery build --no-summary -p 1e-9 " + type +
        " \"$@\"; }; build -o f some; build -o g others\n"
        "begin add --no-summary f; waiting merge --no-summary -o all g f; finish; wait $waiter; echo $?\n"
        "(cat some others; seq 2001 2500) | bloomery query -c all; bloomery inspect --verify all");
    EXPECT_EQ(ran.out, "verb 0\n0\n2500\nall: ok\n") << type << ran.err;
  }
}

TEST(TogetherRemove, ReadersAreServedAndAtomicCopiesAreWhole) {
  for (const std::string type : {"counting", "quotient"}) {
    const Shell shell;
    const Ran ran = shell.run(
        std::string(kTogetherTools) + "seq 1000 4000 | bloomery build --no-summary -o f -n 5000 -p 1e-9 -t " +
        type +
        "\nbegin remove --no-summary f; bloomery query -c f others; finish; bloomery query -c f others\n"
        "bloomery add --no-summary f <(seq 2001 2500); begin remove --no-summary --atomic f; cp f copy; "
        "bloomery inspect --verify copy; finish; bloomery query -c f <(seq 2001 2500); bloomery query -c f "
        "others");
    EXPECT_EQ(ran.out, "1000\nverb 0\n1000\ncopy: ok\nverb 0\n0\n1000\n") << type << ran.err;
  }
}

TEST(TogetherDialects, AnAdderWaits) {
  const Shell shell;
  const Ran ran =
      shell.run(std::string(kTogetherTools) +
                "bloomery build --no-summary --dialect dcso -n 5000 -p 1e-6 -o f some\n"
                "begin add --no-summary --dialect dcso f; bloomery query --dialect dcso -c f some\n"
                "bloomery add --no-wait --dialect dcso f others; echo $?\n"
                "waiting add --no-summary --dialect dcso f others; finish; wait $waiter; echo $?\n"
                "(cat some others; seq 2001 2500) | bloomery query --dialect dcso -c f");
  EXPECT_EQ(ran.out, "1000\n2\nverb 0\n0\n2500\n") << ran.err;
}

// Reports and exceptions replace the file, and wait likewise.
TEST(TogetherExceptions, ExceptWaits) {
  const Shell shell;
  const Ran ran =
      shell.run(std::string(kTogetherTools) +
                "bloomery build --no-summary -n 5000 -p 0.2 -o f some; begin add --no-summary f\n"
                "waiting except --no-summary f <(seq 5001 9000); finish; wait $waiter; echo $?\n"
                "bloomery query -c f <(seq 5001 9000); (cat some; seq 2001 2500) | bloomery query -c f");
  EXPECT_EQ(ran.out, "verb 0\n0\n0\n1500\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
