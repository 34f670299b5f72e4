// What a command line says that nobody meant is refused before a file is touched: an output that is an input, and the files
// that a shell's pattern leaves behind an option of one file.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// Runs a line that must be refused, with all files as they were.
std::string refusal(const Shell& shell, const std::string& line) {
  const Ran ran = shell.run("sha256sum keys f > before; " + line +
                            "; code=$?; sha256sum -c --quiet before && exit $code");
  EXPECT_EQ(ran.status, 2) << line << '\n' << ran.err;
  EXPECT_EQ(ran.out, "") << line;
  return ran.err;
}

class FileConflicts : public testing::Test {
 protected:
  FileConflicts() {
    const Ran made = shell_.run(
        "seq 1000 > keys; seq 2001 2100 > white1; seq 3001 3100 > white2; ln -s keys link; ln keys hard; "
        "bloomery build --no-summary -o f -p 0.01 keys; bloomery build --no-summary -t quotient -o q -p 0.01 "
        "keys; "
        "cp q quotient; ln q same");
    EXPECT_EQ(made.status, 0) << made.err;
  }

  Shell shell_;
};

TEST_F(FileConflicts, NoVerbWritesWhatItReads) {
  const std::vector<std::string> lines = {
      "bloomery build --force -o keys -p 0.01 keys",
      "bloomery build --force -o link -p 0.01 keys",
      "bloomery build --force -o keys -p 0.01 hard",
      "bloomery build --force -o keys -p 0.01 white1 - < keys",
      "bloomery build --force -o keys -n 1e4 -p 0.01 < keys",
      "bloomery build --force -t ribbon -o keys -p 0.01 link",
      "bloomery build --force -o keys -p 0.01 white1 --exceptions=keys",
      "bloomery build --force --dialect guava -o keys -n 1000 -p 0.01 keys",
      "bloomery build -n 1e4 -p 0.01 -o - keys >> keys",
      "bloomery add f f",
      "bloomery add f < f",
      "bloomery except f f",
      "bloomery query f keys >> keys",
      "bloomery query f link >> keys",
      "bloomery query -v f < keys >> keys",
      "bloomery dedup keys >> keys",
      "bloomery dedup < keys >> hard",
      "bloomery dedup --state keys -n 1000 keys"};
  for (const std::string& line : lines) {
    EXPECT_TRUE(says(refusal(shell_, line), "expected a file that is not read too")) << line;
  }
  EXPECT_TRUE(says(refusal(shell_, "bloomery remove q same"), "found the input same"));
  EXPECT_EQ(shell_.run("cmp q quotient").status, 0);
}

// The secret would be lost with the first name, and the filter with it.
TEST_F(FileConflicts, NoOutputIsTheKeyFileUnderAnyName) {
  ASSERT_EQ(
      shell_
          .run(
              "printf '%032d\\n' 7 > secret; chmod 600 secret; ln secret secret_too; ln -s secret to_secret; "
              "ln -s new to_new; mkdir folder; ln -s folder to_folder; ln -s own.key own; cp secret kept")
          .status,
      0);
  const std::vector<std::string> lines = {
      "bloomery build --force -p 0.01 --key-file secret -o secret keys",
      "bloomery build -p 0.01 --key-file secret -o secret keys",
      "bloomery build --force -p 0.01 --key-file secret -o ./folder/../secret keys",
      "bloomery build --force -p 0.01 --key-file to_secret -o secret keys",
      "bloomery build --force -p 0.01 --key-file secret -o secret_too keys",
      "bloomery build --force -t ribbon -p 0.01 --key-file secret -o to_secret keys",
      "bloomery build --force -p 0.01 --key-file secret -o - -n 1000 keys >> secret",
      "bloomery build --force -p 0.01 --keyed --key-file new -o new keys",
      "bloomery build -p 0.01 --keyed --key-file new -o \"$PWD/to_new\" keys",
      "bloomery build --force -p 0.01 --keyed --key-file to_folder/new -o folder/new keys",
      "bloomery build --force -p 0.01 --keyed -o own keys",
      "bloomery dedup --state secret -n 1000 --key-file to_secret keys",
      "bloomery dedup --state state -n 1000 --key-file secret keys >> secret",
      "bloomery query --key-file secret f keys >> secret"};
  for (const std::string& line : lines) {
    EXPECT_TRUE(says(refusal(shell_, line), "expected another file than the key file")) << line;
  }
  const Ran ran = shell_.run(
      "cmp secret kept; ls new own.key folder/new state 2> /dev/null; "
      "bloomery build --no-summary --force -p 0.01 --key-file secret -o keyed keys && "
      "bloomery build --no-summary -p 0.01 --keyed --key-file new -o folder/new keys && "
      "bloomery query -c --no-summary --key-file new folder/new keys; "
      "bloomery query f keys >> f");
  EXPECT_EQ(ran.out, "1000\n") << ran.err;
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "found the input f")) << ran.err;
}

// What is merged is in the output afterwards, so nothing is lost.
TEST_F(FileConflicts, MergeUpdatesOneOfItsFilters) {
  const Ran ran = shell_.run(
      "bloomery build --no-summary -n 1000 -p 0.01 -o g white1; bloomery merge --no-summary --force -o f f "
      "g; "
      "cat keys white1 | bloomery query -c --no-summary f");
  EXPECT_EQ(ran.out, "1100\n") << ran.err;
}

TEST_F(FileConflicts, OtherFilesOfTheSameBytesAreNone) {
  const Ran ran = shell_.run(
      "cp keys copy; bloomery query --no-summary -c --force --absent-to copy f keys; wc -c < copy; "
      "bloomery query --no-summary f keys >> out; wc -l < out; bloomery query -c --no-summary f keys >> "
      "keys; "
      "bloomery query -q f keys > /dev/null < keys && tail -n 1 keys");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "1000\n0\n1000\n1000\n");
}

TEST_F(FileConflicts, FilesBehindOneFileOptionsAreRefusedWithBothReadings) {
  const std::string said = refusal(shell_,
                                   "bloomery build -o new -p 0.01 --exceptions white* keys; code=$?; "
                                   "[ ! -e new ] && (exit $code)");
  EXPECT_TRUE(says(said, "'--exceptions white1 -- white2 keys' (exceptions: white1; members: white2 keys)"))
      << said;
  EXPECT_TRUE(says(said, "'--exceptions white1 --exceptions white2 --exceptions keys' (exceptions: all 3)"))
      << said;
  EXPECT_TRUE(says(refusal(shell_, "bloomery build -o new -p 0.01 -n 1e4 --exceptions white* < keys"),
                   "(exceptions: white1; members: white2)"));
  EXPECT_EQ(shell_.run("bloomery fpp f --absent white*").status, 2);
}

TEST_F(FileConflicts, FormsThatSayWhichFileIsMeantAreAccepted) {
  const Ran ran = shell_.run(
      "build='bloomery build --no-summary -p 0.01'\n"
      "$build -o a --exceptions white1 -- keys && $build -o b --exceptions=white1 keys && cmp a b && "
      "$build -o c keys --exceptions white1 && cmp a c && $build -o d --exceptions white1 -n 1000 keys && "
      "cmp a d && "
      "$build -o e --exceptions white1 -n 1000 < keys && cmp a e && "
      "$build -o g --exceptions white1 --exceptions white2 -- keys && "
      "bloomery query -c --no-summary --allow white1 f white1 white2; "
      "bloomery fpp f --absent white1 --absent white2 | head -n 1");
  EXPECT_TRUE(says(ran.out, "absent keys      200\n")) << ran.out << ran.err;
}

}  // namespace
}  // namespace bloomery
