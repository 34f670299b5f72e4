// What bloomery query prints besides plain lines: answers for a coprocess, absent lines to a file, names, numbers, counts
// per file, and silence.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class QueryOutput : public ::testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = shell.run("seq 1 1000 > keys; bloomery build -o keys.bloom -p 1e-6 keys");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

TEST_F(QueryOutput, AnswersEveryLineInOrder) {
  EXPECT_EQ(shell.run("seq 998 1002 | bloomery query --answers keys.bloom").out, "1\n1\n1\n0\n0\n");
  EXPECT_EQ(shell.run("printf '5\\n\\nnone' | bloomery query --answers --with-line keys.bloom").out,
            "5\t1\n\t0\nnone\t0\n");
  EXPECT_EQ(shell.run("printf '5\\0none\\0' | bloomery query -z --answers keys.bloom | tr '\\0' '#'").out,
            "1#0#");
  EXPECT_EQ(shell.run("echo none | bloomery query --answers keys.bloom").status, 1);
  EXPECT_EQ(shell.run("seq 1 100000 | bloomery query --answers keys.bloom | sort | uniq -c | tr -s ' '").out,
            " 99000 0\n 1000 1\n");
}

TEST_F(QueryOutput, ACoprocessIsAnsweredBeforeItIsAskedAgain) {
  const Ran ran = shell.run(
      "coproc ask { bloomery query --answers keys.bloom; }; pid=$ask_PID;"
      "exec {from}<&${ask[0]} {to}>&${ask[1]} {ask[1]}>&-;"  // bash hides its own from subshells
      "for key in 7 none 1000 1001; do echo $key >&$to; read -r -t 60 answer <&$from; echo $key $answer; "
      "done;"
      // more lines in one write than a batch has, then again one by one
      "seq 9000 >&$to; for i in $(seq 9000); do read -r -t 60 answer <&$from; echo $answer; done | uniq -c |"
      "tr -s ' '; echo 8 >&$to; read -r -t 60 answer <&$from; echo last $answer; exec {to}>&-; wait $pid; "
      "echo $?");
  EXPECT_EQ(ran.out, "7 1\nnone 0\n1000 1\n1001 0\n 1000 1\n 8000 0\nlast 1\n0\n") << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(QueryOutput, ACoprocessWhoseReaderClosesEarlyEndsQuietly) {
  const Ran ran = shell.run(
      "set -o pipefail; (trap '' PIPE; yes 5) 2>/dev/null | (trap '' PIPE; bloomery query --answers "
      "keys.bloom; echo $? >&2) | head -n 2");
  EXPECT_EQ(ran.out, "1\n1\n");
  EXPECT_EQ(ran.err, "2\n");
}

TEST_F(QueryOutput, AbsentLinesGoToAFileOfTheirOwn) {
  const Ran ran = shell.run(
      "seq 998 1002 | bloomery query --absent-to rest keys.bloom; echo; cat rest;"
      "seq 1 2000 > all; bloomery query --force --absent-to rest keys.bloom all > hits; cat hits rest | cmp "
      "- all;"
      "printf 'no end' | bloomery query -c --force --absent-to rest keys.bloom; cat rest");
  EXPECT_EQ(ran.out, "998\n999\n1000\n\n1001\n1002\n0\nno end\n") << ran.err;
  EXPECT_EQ(
      shell
          .run("printf 'x\\n1\\n2\\ny\\n3\\nz' | bloomery query --force --absent-to rest keys.bloom; cat "
               "rest")
          .out,
      "1\n2\n3\nx\ny\nz\n");
}

TEST_F(QueryOutput, AbsentLinesNeverGoOverWhatIsReadOrPrinted) {
  const Ran ran = shell.run(
      "cp keys.bloom copy; cp keys before; echo secret > keys.bloom.key; ln keys link; ln -s keys.bloom sym;"
      "seq 3 > white;"
      "for f in keys link keys.bloom sym copy white keys.bloom.key -; do "
      "  bloomery query -f copy --allow white --absent-to $f keys.bloom keys; echo $?; done;"
      "bloomery query --absent-to both keys.bloom keys > both; echo $?; cat both; cmp keys before; cat white "
      "keys.bloom.key");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\n2\n2\n2\n1\n2\n3\nsecret\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "link: expected a file that is not read too, found the input keys")) << ran.err;
  EXPECT_TRUE(says(ran.err, "--absent-to: expected another file than that of standard output, found both"))
      << ran.err;
}

TEST_F(QueryOutput, AbsentLinesReplaceAFileOnlyWithForce) {
  const Ran ran = shell.run(
      "echo dear > rest; ln -s new to_new; bloomery query --absent-to rest keys.bloom keys; echo $?; cat "
      "rest;"
      "for more in '' --force; do "
      "  bloomery query $more --absent-to rest keys.bloom keys missing; echo $?;"
      "  bloomery query $more --absent-to rest missing keys; echo $?;"
      "  bloomery query $more --absent-to rest keys.bloom --allow missing keys; echo $?; done; cat rest;"
      "bloomery query --absent-to new keys.bloom keys missing; echo $?; cat new;"
      "seq 1000 1001 | bloomery query --absent-to to_new keys.bloom; cat new;"
      "seq 1000 1002 | bloomery query --force --absent-to rest keys.bloom; cat rest;"
      "seq 1001 1003 | bloomery query --absent-to >(cat > piped; echo > done) keys.bloom;"
      "until [ -e done ]; do sleep 0.01; done; cat piped");
  EXPECT_EQ(ran.out, "2\ndear\n2\n2\n2\n2\n2\n2\ndear\n2\n1000\n1001\n1000\n1001\n1002\n1001\n1002\n1003\n")
      << ran.err;
  EXPECT_TRUE(says(ran.err, "rest: exists already; --force replaces it")) << ran.err;
  EXPECT_TRUE(says(ran.err, "missing: open: No such file or directory")) << ran.err;
}

TEST_F(QueryOutput, AbsentLinesThatCannotBeWrittenAreTrouble) {
  const Ran full = shell.run("seq 1001 1010 | bloomery query --absent-to /dev/full keys.bloom");
  EXPECT_EQ(full.status, 2);
  EXPECT_TRUE(says(full.err, "/dev/full: write: No space left on device")) << full.err;
  const Ran nowhere = shell.run("seq 1 5 | bloomery query --absent-to no/such keys.bloom");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(says(nowhere.err, "no/such: open: No such file or directory")) << nowhere.err;
}

TEST_F(QueryOutput, KeysOnTheCommandLine) {
  EXPECT_EQ(shell.run("bloomery query keys.bloom -e 5 -e none -e 6 <&-").out, "5\n6\n");
  // Nothing of a key is read as anything but a key.
  EXPECT_EQ(
      shell.run("bloomery query --answers --with-line keys.bloom -e '{}' -e '[1,2]' -e '' -e-5 --ask=-q").out,
      "{}\t0\n[1,2]\t0\n\t0\n-5\t0\n-q\t0\n");
  EXPECT_EQ(shell.run("bloomery query --answers -e $'5\\n6' keys.bloom -e 7").out, "0\n1\n");
  EXPECT_EQ(
      shell.run("seq 2 > f; bloomery query -e 9 keys.bloom f; echo 8 | bloomery query -e 7 keys.bloom -").out,
      "9\n1\n2\n7\n8\n");
  EXPECT_EQ(shell.run("bloomery query -e none keys.bloom").status, 1);
  EXPECT_EQ(shell.run("bloomery query -e x 5 -d, -k 2 -e a,6 keys.bloom").status, 2);
  EXPECT_EQ(shell.run("echo none | bloomery query --allow - -e none -e 5 keys.bloom").out, "5\n");
}

TEST_F(QueryOutput, ABadKeyOnTheCommandLineIsNamed) {
  const Ran ran = shell.run(
      "echo 0a | bloomery build -o hex.bloom -n 1 -p 1e-6 --key-form hex; bloomery query hex.bloom -e 0A -e "
      "zz");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "-e: line 2: key form hex: expected")) << ran.err;
}

TEST_F(QueryOutput, TheLinesBeforeABadOneAreAnswered) {
  shell.run(
      "seq 10 99 | bloomery build --no-summary -o hex -p 1e-9 --key-form hex; seq 10 99 > good;"
      "printf '12\\nff\\n13\\nee\\nbad\\n14\\n' > mixed;"
      "echo 10.1.2.0/24 | bloomery build --no-summary -o nets -p 1e-9 --cidr;"
      "printf '10.1.2.3\\n10.9.9.9\\n10.1.2.4\\nnone\\n10.1.2.5\\n' > addresses");
  const auto asked = [this](const std::string& options) { return shell.run("bloomery query " + options); };
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"hex mixed", "12\n13\n"},
      {"-v hex mixed", "ff\nee\n"},
      {"--answers hex mixed", "1\n0\n1\n0\n"},
      {"--answers --with-line hex -f hex mixed", "12\t1\nff\t0\n13\t1\nee\t0\n"},
      {"-n --only-key hex mixed", "1:12\n3:13\n"},
      {"hex --allow <(echo 13) mixed", "12\n"},
      {"hex -e 12 -e ff -e bad -e 13", "12\n"},
      {"--missing skip -d : -k 1 hex mixed", "12\n13\n"},
      {"hex good mixed good", shell.run("cat good").out + "12\n13\n"},
      {"-v nets addresses", "10.9.9.9\n"},
      {"--answers nets addresses", "1\n0\n1\n"},
      {"--which hex hex < mixed",
       "hex\t0\tmaybe\t12\nhex\t0\tmaybe\t12\nhex\t0\tmaybe\t13\nhex\t0\tmaybe\t13\n"},
      {"hex <(echo bad)", ""}};
  for (const auto& [options, expected] : lines) {
    const Ran ran = asked(options);
    EXPECT_EQ(ran.out, expected) << options << '\n' << ran.err;
    EXPECT_EQ(ran.status, 2) << options;
  }
  EXPECT_TRUE(says(asked("hex mixed").err, "mixed: line 5: key form hex: expected"));
  EXPECT_TRUE(says(asked("nets addresses").err, "addresses: line 4: "));
  const Ran absent = asked("--absent-to away hex mixed; cat away");
  EXPECT_EQ(absent.out, "12\n13\nff\nee\n") << absent.err;
  EXPECT_EQ(asked("-c hex mixed").out, "") << "of not all lines";
  EXPECT_EQ(asked("-m 2 hex mixed").status, 0) << "it has stopped before";
}

TEST_F(QueryOutput, NamesAndNumbers) {
  EXPECT_EQ(shell
                .run("printf '1\\nx\\n2\\n' > a; printf 'y\\n3' > b; bloomery query -H keys.bloom a b;"
                     "echo 4 | bloomery query -Hn keys.bloom a - b; bloomery query -n keys.bloom a b;"
                     "bloomery query -v --line-number keys.bloom a")
                .out,
            "a:1\na:2\nb:3\na:1:1\na:3:2\n(standard input):1:4\nb:2:3\n1:1\n3:2\n2:3\n2:x\n");
  EXPECT_EQ(shell.run("bloomery query -H --no-filename keys.bloom a b").out, "1\n2\n3\n");
  EXPECT_EQ(shell.run("bloomery query keys.bloom a b").out, "1\n2\n3\n");
  EXPECT_EQ(shell.run("bloomery query -H --answers keys.bloom a b -e 9").out,
            "-e:1\na:1\na:0\na:1\nb:0\nb:1\n");
  EXPECT_EQ(shell.run("bloomery query -n -m 2 keys.bloom b a").out, "2:3\n1:1\n");
}

TEST_F(QueryOutput, SeveralFilesAreCountedEach) {
  shell.run("printf '1\\nx\\n2\\n' > a; printf 'y\\n3' > b; : > empty");
  EXPECT_EQ(shell.run("bloomery query -c keys.bloom a empty b").out, "a:2\nempty:0\nb:1\n");
  EXPECT_EQ(shell.run("bloomery query -c keys.bloom a").out, "2\n");
  EXPECT_EQ(shell.run("bloomery query -cH keys.bloom a").out, "a:2\n");
  EXPECT_EQ(shell.run("bloomery query -vc keys.bloom a b").out, "a:1\nb:1\n");
  EXPECT_EQ(shell.run("bloomery query -c --no-filename keys.bloom a b").out, "2\n1\n");
  EXPECT_EQ(shell.run("echo 5 | bloomery query -c keys.bloom -e 7 a -").out,
            "-e:1\na:2\n(standard input):1\n");
  const Ran summed = shell.run("bloomery query -c --summary keys.bloom a b");
  EXPECT_TRUE(says(summed.err, "query: 5 keys, 3 may be in, 2 are not; ")) << summed.err;
}

TEST_F(QueryOutput, NamesOfFilesWithSuchLines) {
  shell.run("printf '1\\nx\\n2\\n' > a; printf 'y\\n3' > b; echo z > none");
  EXPECT_EQ(shell.run("bloomery query -l keys.bloom a none b").out, "a\nb\n");
  EXPECT_EQ(shell.run("bloomery query -lv keys.bloom keys none b").out, "none\nb\n");
  EXPECT_EQ(shell.run("bloomery query -l keys.bloom none").status, 1);
}

TEST_F(QueryOutput, OptionsThatContradictEachOtherAreErrors) {
  for (const char* options :
       {"--answers -v", "--answers -c", "--answers -q", "--answers -l", "--answers -m 1", "--with-line",
        "-l -c", "--absent-to x -v", "--absent-to x -q", "--absent-to x -l", "--absent-to x -m 2",
        "--summary --no-summary"}) {
    EXPECT_EQ(shell.run(std::string("bloomery query keys.bloom keys ") + options).status, 2) << options;
  }
}

TEST_F(QueryOutput, NoSummaryWhereStderrIsNoTerminalUnlessAskedFor) {
  const Ran quiet = shell.run(
      "seq 5 | bloomery query keys.bloom; seq 9 | bloomery add keys.bloom; bloomery merge -o m keys.bloom "
      "keys.bloom; seq 5 | bloomery build -t ribbon -p 0.01 -o r; seq 5 | bloomery dedup | wc -l");
  EXPECT_EQ(quiet.err, "");
  const Ran asked = shell.run("seq 5 | bloomery query --summary keys.bloom");
  EXPECT_TRUE(says(asked.err, "5 keys, 5 may be in")) << asked.err;
}

TEST_F(QueryOutput, ASummaryWhereStderrIsATerminal) {
  if (!has_pseudo_terminals()) {
    GTEST_SKIP() << "there is no pseudo-terminal";
  }
  const Ran terminal =
      shell.run("seq 5 | script -qec \"$(declare -f bloomery); bloomery query keys.bloom\" t");
  EXPECT_TRUE(says(terminal.out, "5 keys, 5 may be in")) << terminal.out << terminal.err;
}

TEST_F(QueryOutput, SilentSaysNothingAtAll) {
  const Ran ran =
      shell.run("bloomery query -s --summary keys.bloom -e 5; bloomery query -s keys.bloom missing");
  EXPECT_EQ(ran.out, "5\n");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.status, 2);
}

// What a dedup may have lost, and what a remove could not find, is told wherever stderr goes.
TEST_F(QueryOutput, WhatIsAmissIsNoSummary) {
  const Ran dedup = shell.run("seq 5 | bloomery dedup --max-mem 256M");
  EXPECT_TRUE(says(dedup.err, "5 lines, 5 kept")) << dedup.err;
  const Ran removed = shell.run(
      "seq 5 | bloomery build -t quotient -n 10 -p 1e-6 -o q; seq 2 | bloomery remove q; echo none | "
      "bloomery "
      "remove q");
  EXPECT_EQ(removed.err, "bloomery remove: 0 keys removed from q, 1 were certainly absent; 3 are left, fpp " +
                             removed.err.substr(removed.err.rfind(' ') + 1));
}

}  // namespace
}  // namespace bloomery
