// bloomery dedup as a user runs it, beside awk '!seen[$0]++'.
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/base/sanitized.h"
#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// A bound on memory where the bound is not what is tested.
const std::string kBounded = kAddressSanitized ? "--max-mem 1G" : "--max-mem 64M";

class Dedup : public ::testing::Test {
 protected:
  // Lines with repeats near and far, empty ones, some long ones, and CRs; `lines`.
  void SetUp() override {
    const Ran ran = shell.run(
        "url_stream 30000 > lines; (printf '\\n\\n'; seq 1 500; printf 'a\\r\\nb\\r\\na\\r\\n'; "
        "head -c 300000 /dev/zero | tr '\\0' x; echo; seq 400 900; printf '\\n') >> lines; "
        "awk '!s[$0]++' lines > expected");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

TEST_F(Dedup, AsAwk) {
  for (const std::string& mode : std::vector<std::string>{
           "", "--hash64", "--exact", "--line-buffered", kBounded + " -p 1e-9",
           "--state fresh.bloom -n 1e5 -p 1e-9", "--window 1e6 -p 1e-9", "--window 1h -n 1e5 -p 1e-9"}) {
    SCOPED_TRACE(mode);
    const Ran ran = shell.run("bloomery dedup --summary " + mode + " lines > out && cmp out expected");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(says(ran.err, "lines, ") && says(ran.err, " kept, ")) << ran.err;
    EXPECT_EQ(shell
                  .run("rm -f fresh.bloom; cat lines | bloomery uniq --no-summary " + mode +
                       " | cmp - expected; rm -f fresh.bloom")
                  .out,
              "");
  }
}

TEST_F(Dedup, ReadsFilesInTurnGzipAndZstd) {
  EXPECT_EQ(shell
                .run("gzip -k lines; zstd -q lines; bloomery dedup lines.gz lines.zst lines - < lines | "
                     "cmp - expected")
                .status,
            0);
}

TEST_F(Dedup, NulEndsALineWhereAsked) {
  EXPECT_EQ(
      shell.run("printf 'a\\nb\\0c\\0a\\nb\\0\\0\\0c' | bloomery dedup -z | od -An -c | tr -d ' \\n'").out,
      R"(a\nb\0c\0\0)");
}

TEST_F(Dedup, ALastLineGetsItsNewline) {
  EXPECT_EQ(shell.run("printf 'a\\nb' | bloomery dedup").out, "a\nb\n");
  EXPECT_EQ(shell.run("printf 'a\\na' | bloomery dedup").out, "a\n");
  EXPECT_EQ(shell.run("bloomery dedup < /dev/null").out, "");
}

TEST_F(Dedup, ByFieldsAndOtherTreatments) {
  EXPECT_EQ(shell.run("printf 'a,1\\nb,1\\na,2\\n' | bloomery dedup -d , -k 1").out, "a,1\nb,1\n");
  EXPECT_EQ(shell.run("printf 'a,1\\nb,1\\na,2\\n' | bloomery dedup --exact -d , -k 2").out, "a,1\na,2\n");
  EXPECT_EQ(shell.run("printf 'A\\na\\n a\\n' | bloomery dedup -i --trim").out, "A\n");
  EXPECT_EQ(shell.run("printf 'a\\r\\na\\n' | bloomery dedup --crlf").out, "a\r\n");
  const Ran bad = shell.run("printf '00\\nxx\\n' | bloomery dedup --key-form hex");
  EXPECT_EQ(bad.status, 2);
  EXPECT_TRUE(says(bad.err, "line 2")) << bad.err;
}

// Lines leave as they came; what is no URL is a key as it stands, and counted.
TEST_F(Dedup, ByCanonicalUrl) {
  for (const std::string& mode :
       std::vector<std::string>{"", "--exact", kBounded + " -p 1e-9", "--state s.bloom -n 1000"}) {
    SCOPED_TRACE(mode);
    const Ran ran = shell.run(
        "printf 'HTTP://a.example\nhttp://A.example:80/#x\nhttp://a.example/?b&a\n"
        "http://a.example/?a&b\nno url\n\377\nno url\n' | "
        "bloomery dedup --key-form url --sort-query " +
        mode);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, "HTTP://a.example\nhttp://a.example/?b&a\nno url\n\377\n");
    EXPECT_TRUE(says(ran.err, "3 keys are no URLs and were taken as they are")) << ran.err;
  }
}

// A bad key ends the run; the lines before it are printed, and kept in a state.
TEST_F(Dedup, LinesBeforeABadKeyAreTaken) {
  ASSERT_EQ(shell.run("(seq 300; echo xx; seq 301 400) > bad; seq 300 > good").status, 0);
  for (const std::string& mode :
       std::vector<std::string>{"", "--exact", kBounded + " -p 1e-9", "--state s.bloom -n 1000 -p 1e-9"}) {
    const Ran ran =
        shell.run("bloomery dedup --key-form int32 " + mode + " bad > out; echo $?; cmp out good");
    EXPECT_EQ(ran.out, "2\n") << mode << ran.err;
    EXPECT_TRUE(says(ran.err, "bad: line 301")) << ran.err;
    EXPECT_TRUE(says(ran.err, "300 lines, 300 kept")) << ran.err;
  }
  EXPECT_EQ(shell.run("seq 302 | bloomery dedup --key-form int32 --state s.bloom").out, "301\n302\n");
  EXPECT_EQ(shell.run("printf 'x\n1\n' | bloomery dedup --key-form int32").out, "");
  EXPECT_EQ(shell.run("printf '1\nx' | bloomery dedup --exact --key-form int32").out, "1\n");
  EXPECT_TRUE(says(shell.run("bloomery dedup --count --key-form int32 bad").out, "      1 300\n"));
}

TEST_F(Dedup, RepeatedPrintsTheOthers) {
  const Ran ran = shell.run("awk 's[$0]++' lines > repeats; bloomery dedup --repeated lines | cmp - repeats");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(shell.run("bloomery dedup --repeated " + kBounded + " -p 1e-9 lines | cmp - repeats").status, 0);
}

TEST_F(Dedup, CountsAsUniqDoes) {
  EXPECT_EQ(shell
                .run("sort lines | uniq -c | sort > counted; bloomery dedup --count lines | sort | "
                     "cmp - counted")
                .status,
            0);
  EXPECT_EQ(shell.run("printf 'x 1\\ny 2\\nx 3\\n' | bloomery dedup --count -d ' ' -k 1").out,
            "      2 x 1\n      1 y 2\n");
}

TEST_F(Dedup, ContradictionsAreNamed) {
  for (const std::string options :
       {"--exact --max-mem 1G", "--hash64 --exact", "--hash64 --state x.bloom", "--count --max-mem 1G",
        "--exact --window 5", "--max-mem 1G --window 5", "--max-mem 1G -n 5", "--count --repeated"}) {
    const Ran ran = shell.run("bloomery dedup " + options + " lines");
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_TRUE(says(ran.err, "expected either --")) << ran.err;
    EXPECT_TRUE(says(ran.err, options.substr(0, options.find(' ')))) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  for (const std::string options : {"-n 5", "-p 0.1", "--generations 3", "--save-every 5s", "--key-file x"}) {
    const Ran ran = shell.run("bloomery dedup " + options + " lines");
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_TRUE(says(ran.err, "expected only with")) << ran.err;
  }
  EXPECT_EQ(shell.run("bloomery dedup --state new.bloom lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --window 1h lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --window 0 lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup missing-file").status, 2);
}

// The first line is out before the second is written. The reader waits for it as long as it takes.
TEST_F(Dedup, ALineLeavesAtOnce) {
  for (const std::string& mode : std::vector<std::string>{"", "--exact", kBounded}) {
    const Ran ran = shell.run("mkfifo in out; bloomery dedup " + mode +
                              " < in > out & exec 3> in 4< out; echo one >&3; read -r -t 60 line <&4 || exit "
                              "7; echo \"got $line\"; "
                              "echo one >&3; echo two >&3; read -r -t 60 line <&4 || exit 8; echo \"got "
                              "$line\"; exec 3>&-; wait; rm in out");
    EXPECT_EQ(ran.out, "got one\ngot two\n") << mode << ": " << ran.err;
  }
}

TEST_F(Dedup, AReaderThatGoesIsNoTrouble) {
  const Ran ran = shell.run("yes | head -c 100000000 | bloomery dedup --repeated | head -1");
  EXPECT_EQ(ran.out, "y\n");
  EXPECT_EQ(ran.err, "");
}

// The parent ignores SIGPIPE, so that the write fails while the input stays open without a byte. The one who keeps it open
// does not read it, lest it waits for itself for ever, and is ended.
TEST_F(Dedup, AClosedOutputEndsAReaderThatWaits) {
  const Ran ran = shell.run(
      "mkfifo in; (seq 100000; exec sleep 60) > in & keeper=$!; "
      "(trap '' PIPE; exec timeout 60 '" BLOOMERY_COMMAND
      "' dedup < in) | true; echo ${PIPESTATUS[0]}; kill $keeper");
  EXPECT_EQ(ran.out, "2\n") << ran.err;
}

TEST_F(Dedup, AFullDiskIsSaid) {
  const Ran ran = shell.run("bloomery dedup lines > /dev/full");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "standard output")) << ran.err;
}

TEST_F(Dedup, CtrlCFinishesWhatWasRead) {
  const Ran ran = shell.run(
      "set -m; mkfifo in; '" BLOOMERY_COMMAND
      "' dedup --state s.bloom -n 1000 < in > out & exec 3> in; printf '1\\n2\\n1\\nhalf' >&3; "
      "until [ \"$(wc -l < out)\" = 2 ]; do sleep 0.01; done; kill -INT %1; wait %1; echo $?; cat out; "
      "exec 3>&-; seq 1 3 | bloomery dedup --summary --state s.bloom");
  EXPECT_EQ(ran.out, "130\n1\n2\n3\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "stopped early: 3 lines, 2 kept")) << ran.err;
  EXPECT_TRUE(says(ran.err, "state s.bloom: 2 keys of 3 lines, saved 2")) << ran.err;
}

// --- memory

TEST_F(Dedup, KeepsToItsBound) {
  if (kAddressSanitized) {
    GTEST_SKIP() << "the sanitizer takes more than the bound";
  }
  const Ran ran =
      shell.run("url_stream 1000000 > many; /usr/bin/env time -f %M -o peak '" BLOOMERY_COMMAND
                "' dedup --max-mem 16M many > out; test $(cat peak) -le 16384 || cat peak; wc -l < out");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(says(ran.err, "beyond")) << ran.err;
  EXPECT_TRUE(says(ran.err, "of the dropped were new (99.9 %: ")) << ran.err;
}

TEST_F(Dedup, ABoundTooSmallSaysTheLeast) {
  const Ran ran = shell.run("bloomery dedup --max-mem 1M lines");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "--max-mem: expected at least ")) << ran.err;
  const Ran least = shell.run(
      "M=$(bloomery dedup --max-mem 1M lines 2>&1 | sed 's/.*at least \\([0-9]*M\\).*/\\1/'); "
      "head -100 lines | bloomery dedup --max-mem $M | wc -l");
  EXPECT_EQ(least.status, 0) << least.err;
}

TEST_F(Dedup, ALineBeyondTheBoundIsNamed) {
  if (kAddressSanitized) {
    GTEST_SKIP() << "the sanitizer takes more than the bound";
  }
  const Ran ran = shell.run("(echo 1; echo 2; head -c 30000000 /dev/zero) | bloomery dedup --max-mem 16M");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "1\n2\n");
  EXPECT_TRUE(says(ran.err, "line 3: has more than ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "--max-mem 16M")) << ran.err;
}

TEST_F(Dedup, ALongLineIsALine) {
  const Ran ran = shell.run(
      "(head -c 50000000 /dev/zero; echo; head -c 50000000 /dev/zero; echo; echo) | bloomery dedup | wc -c");
  EXPECT_EQ(ran.out, "50000002\n") << ran.err;
}

TEST_F(Dedup, AFilterThatIsTooFullWarnsOnce) {
  const Ran ran = shell.run(
      "seq 100000 | bloomery dedup --state s.bloom -n 1000 | wc -l; seq 200000 | bloomery dedup --window "
      "1000 | wc -l");
  const std::string warning = "warning: over capacity";
  const std::size_t first = ran.err.find(warning);
  ASSERT_NE(first, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find(warning, first + 1), std::string::npos) << ran.err;
}

// No line passes that would tell what is lost.
TEST_F(Dedup, AFullFilterSaysThatItDoesNotKnow) {
  const Ran ran = shell.run(
      "seq 5000 | bloomery dedup --state s.bloom -n 100 > /dev/null 2> /dev/null; "
      "seq 1000001 1200000 | bloomery dedup --state s.bloom");
  EXPECT_TRUE(says(ran.err, "not known how many of the dropped were new, perhaps all")) << ran.err;
  EXPECT_FALSE(says(ran.err, "99.9 %")) << ran.err;
  EXPECT_TRUE(says(shell.run("seq 5 | bloomery dedup --repeated --state s.bloom").err, "of the printed"));
}

// --- state

TEST_F(Dedup, AStateRemembersRuns) {
  const Ran ran = shell.run(
      "seq 1 1000 | bloomery dedup --state s.bloom -n 1e5 -p 1e-9 | wc -l; "
      "seq 500 1500 | bloomery dedup --summary --state s.bloom -n 1e5 -p 1e-9; "
      "seq 1 2000 | bloomery dedup --summary --state s.bloom | wc -l");
  EXPECT_TRUE(ran.out.starts_with("1000\n1001\n1002\n")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("1500\n500\n")) << ran.out;
  EXPECT_TRUE(says(ran.err, "state s.bloom: 1,000 keys of 1,000 lines, saved 2")) << ran.err;
  EXPECT_TRUE(says(ran.err, "state s.bloom: 1,500 keys of 2,001 lines, saved 2")) << ran.err;
  EXPECT_EQ(shell.run("seq 1990 2010 | bloomery query -v s.bloom").out.substr(0, 5), "2001\n");
}

TEST_F(Dedup, AStateOfOneVerbIsAFilterOfAll) {
  const Ran ran = shell.run(
      "seq 100 | bloomery build -o s.bloom -n 1e4 -p 1e-9 --note 'my crawler' --keyed; "
      "seq 101 | bloomery dedup --summary --state s.bloom; seq 102 | bloomery dedup --summary --state "
      "s.bloom; "
      "bloomery inspect s.bloom");
  EXPECT_TRUE(ran.out.starts_with("101\n102\n")) << ran.out << ran.err;
  EXPECT_TRUE(says(ran.out, "my crawler")) << ran.out;
  EXPECT_TRUE(says(ran.err, "1 key of 101 lines")) << ran.err;
}

// A state lives for months under cron. Without --strict it loses more every day, and every run ends with 0.
TEST_F(Dedup, UnderStrictAStateEndsBeforeItLosesALine) {
  const Ran ran = shell.run(
      "seq 10000 19999 | bloomery dedup --strict --state d.bloom -n 10000 | wc -l; echo ${PIPESTATUS[1]}; cp "
      "d.bloom "
      "full; seq 10000 19999 | bloomery dedup --strict --state d.bloom; echo $?; seq 20000 29999 | bloomery "
      "dedup "
      "--strict --state d.bloom; echo $?; bloomery query -c d.bloom <(seq 10000 19999)");
  EXPECT_TRUE(ran.out.starts_with("10000\n0\n0\n") || ran.out.starts_with("9999\n0\n0\n"))
      << ran.out << ran.err;
  EXPECT_TRUE(says(ran.out, "4\n10000\n")) << ran.out << ran.err;
  EXPECT_TRUE(says(ran.err, "refused: the state has ")) << ran.err;
  // The lines before the first one that does not fit are printed and saved; it and those behind it are not.
  const Ran small = shell.run(
      "(seq 7; seq 7; seq 100) | bloomery dedup --strict --state e.bloom -n 10; echo $?; seq 11 | bloomery "
      "dedup "
      "--strict --state e.bloom; echo $?; seq 10 | bloomery dedup --strict --state e.bloom; echo $?; "
      "bloomery query "
      "-c e.bloom <(seq 100)");
  EXPECT_EQ(small.out, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n4\n4\n0\n10\n") << small.err;
  EXPECT_TRUE(says(small.err, "the state has 10 keys, as many as -n under --strict allows")) << small.err;
}

TEST_F(Dedup, MaxLossEndsARunAtAShareOfLosses) {
  const Ran ran = shell.run(
      "seq 1000000 | bloomery dedup --max-loss 1e-3 --state d.bloom -n 10000 > out; echo $?; wc -l < out; "
      "bloomery "
      "inspect --json d.bloom | jq '.current_fpp > 0.0005 and .current_fpp < 0.002'; bloomery query -c "
      "d.bloom out "
      "--no-summary; seq 9 | bloomery dedup --max-loss 1e-3 --state d.bloom; echo $?");
  ASSERT_TRUE(ran.out.starts_with("4\n")) << ran.out << ran.err;
  const int kept = std::stoi(ran.out.substr(2));
  EXPECT_GT(kept, 10000);
  EXPECT_LT(kept, 30000);
  EXPECT_TRUE(says(ran.out, "\ntrue\n" + std::to_string(kept) + "\n0\n")) << ran.out;
  for (const std::string wrong : {"0", "1", "x", "150%"}) {
    EXPECT_EQ(shell.run("bloomery dedup --max-loss " + wrong + " --state n.bloom -n 9 < /dev/null").status,
              2);
  }
}

// The loop that loses a quarter of the fourth day's lines in a state of fixed size.
TEST_F(Dedup, AStateThatGrowsLosesNoMoreOnLaterDays) {
  const Ran ran = shell.run(
      "for d in 1 2 3 4; do o=; [ $d = 1 ] && o='--grows -n 1000'; seq $((d*10000)) $((d*10000+9999)) | "
      "bloomery dedup "
      "--state d.bloom $o | wc -l; done; seq 10000 49999 | bloomery dedup --grows --state d.bloom; bloomery "
      "inspect "
      "d.bloom --json | jq -r .type; bloomery dedup --grows -n 1000 -p 1e-4 --state d.bloom < /dev/null; "
      "echo $?; "
      "seq 9 | bloomery dedup --grows --state usual.bloom | wc -l; bloomery dedup --strict --state d.bloom < "
      "/dev/null; "
      "echo $?; seq 9 | bloomery dedup --state fixed.bloom -n 10 > out; bloomery dedup --grows --state "
      "fixed.bloom < "
      "/dev/null; echo $?");
  std::istringstream out(ran.out);
  for (int day = 1; day <= 4; ++day) {
    int kept = 0;
    out >> kept;
    EXPECT_GE(kept, 9985) << "day " << day << ran.err;
  }
  std::string rest((std::istreambuf_iterator<char>(out)), std::istreambuf_iterator<char>());
  EXPECT_EQ(rest, "\nscalable\n0\n9\n2\n2\n") << ran.err;
  EXPECT_FALSE(says(ran.err, "over capacity")) << ran.err;
  EXPECT_TRUE(says(ran.err, "about ")) << "the losses are told: " << ran.err;
  EXPECT_TRUE(says(ran.err, "--strict: expected a state of a fixed size")) << ran.err;
  EXPECT_TRUE(says(ran.err, "found a blocked one, which does not grow")) << ran.err;
}

TEST_F(Dedup, BoundsOfAStateNeedOne) {
  for (const std::string options :
       {"--strict", "--max-loss 1e-3", "--grows", "--grows --state s -n 9 --strict",
        "--grows --state s --window 9", "--strict --state s --window 9", "--grows --state s --max-mem 64M",
        "--strict --max-loss 0.1 --state s -n 9"}) {
    EXPECT_EQ(shell.run("bloomery dedup " + options + " < /dev/null").status, 2) << options;
  }
}

// The letters of uniq(1), without sorting before.
TEST_F(Dedup, UniqsLettersCountAndKeepWhatCameOnce) {
  shell.run("printf 'b\na\nb\nc\nb\n' > lines");
  EXPECT_EQ(shell.run("bloomery uniq -c lines").out, shell.run("bloomery dedup --count lines").out);
  EXPECT_EQ(shell.run("bloomery uniq -c lines").out, "      3 b\n      1 a\n      1 c\n");
  EXPECT_EQ(shell.run("bloomery uniq -u lines").out, "a\nc\n");
  EXPECT_EQ(shell.run("bloomery dedup --unique -k 1 -d , <(printf '1,x\n2,y\n1,z\n')").out, "2,y\n");
  EXPECT_EQ(shell.run("bloomery dedup -u --only-key -k 1 -d , <(printf '1,x\n2,y\n1,z\n')").out, "2\n");
  for (const std::string options : {"-u -c", "-u --repeated", "-u --hash64", "-u --max-mem 64M"}) {
    EXPECT_EQ(shell.run("bloomery dedup " + options + " lines").status, 2) << options;
  }
}

TEST_F(Dedup, AWindowForgets) {
  EXPECT_EQ(
      shell.run("(seq 100; echo 1; seq 101 400; echo 1) | bloomery dedup --window 150 -p 1e-9 | grep -cx 1")
          .out,
      "2\n");
  const Ran ran = shell.run(
      "seq 100 | bloomery dedup --state w.bloom --window 1e4 -p 1e-9 | wc -l; "
      "seq 110 | bloomery dedup --state w.bloom --window 1e4 | wc -l; "
      "bloomery dedup --state w.bloom --window 2e4; bloomery dedup --state w.bloom");
  EXPECT_EQ(ran.out, "100\n10\n");
  EXPECT_TRUE(says(ran.err, "--window: contradicts the state")) << ran.err;
  EXPECT_TRUE(says(ran.err, "expected a blocked filter, found a windowed one")) << ran.err;
}

// Keys that come at once are all in one generation, which has room for a fourth of them.
TEST_F(Dedup, AnOverfullGenerationIsSaidAtTheEnd) {
  const std::string warning = "more than 250 different keys came in one of the window's 4 generations";
  const auto dedup = [&](const std::string& options) {
    return shell.run("seq 1000 | bloomery dedup --window 1h " + options).err;
  };
  EXPECT_TRUE(says(dedup("-n 1000"), warning));
  EXPECT_TRUE(says(dedup("-n 1000 --no-summary"), warning));
  EXPECT_TRUE(says(dedup("-n 1000 --state w.bloom"), warning));
  EXPECT_TRUE(says(shell.run("bloomery dedup --state w.bloom --window 1h < /dev/null").err, warning));
  EXPECT_FALSE(says(dedup("-n 4000"), "warning"));
  EXPECT_FALSE(says(shell.run("seq 5000 | bloomery dedup --window 1000").err, "generations"));
  // It is said also when that generation is forgotten.
  EXPECT_TRUE(says(
      shell
          .run("seq 2000 > two; (seq 1000; sleep 0.1; cat two; sleep 1; echo x) | bloomery dedup --window "
               "300ms -n 1000")
          .err,
      warning));
}

TEST_F(Dedup, AStateThatDoesNotFitIsRefused) {
  ASSERT_EQ(shell.run("seq 10 | bloomery dedup --state s.bloom -n 1000 > /dev/null").status, 0);
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom -n 2000 lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom -p 0.5 lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom -k 1,2 lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --state s.bloom -i lines").status, 2);
  EXPECT_EQ(shell.run("echo 11 | bloomery dedup --state s.bloom " + kBounded).out, "11\n");
  const Ran kind = shell.run(
      "seq 10 | bloomery build -t counting -n 10 -p 0.1 -o c.bloom; bloomery dedup --state c.bloom lines");
  EXPECT_EQ(kind.status, 2);
  EXPECT_TRUE(says(kind.err, "expected a blocked filter, found a counting one")) << kind.err;
  EXPECT_EQ(shell.run("bloomery dedup --state lines lines").status, 2);
  EXPECT_EQ(shell.run("seq 10 | bloomery dedup --state lines").status, 3);
  EXPECT_EQ(shell
                .run("cp s.bloom d.bloom; printf x | dd of=d.bloom bs=1 seek=200 conv=notrunc status=none; "
                     "bloomery dedup --state d.bloom lines")
                .status,
            3);
  EXPECT_EQ(
      shell
          .run("cp s.bloom v.bloom; printf '\\377' | dd of=v.bloom bs=1 seek=8 conv=notrunc status=none; "
               "bloomery dedup --state v.bloom lines")
          .status,
      5)
      << "a version that is not read here";
  EXPECT_EQ(shell.run("bloomery dedup --state nowhere/s.bloom -n 10 lines").status, 2);
}

// Also after the first has saved, which puts another file in the place of the one it opened.
TEST_F(Dedup, AStateInUseIsSaid) {
  const Ran ran = shell.run(
      "mkfifo in; bloomery dedup --state s.bloom -n 1000 --save-every 1ms < in > out & exec 3> in; "
      "echo 1 >&3; until [ -s out ] && [ -s s.bloom ]; do sleep 0.01; done; sleep 0.2; "
      "for i in 1 2 3; do echo 2 | bloomery dedup --state s.bloom; echo $?; echo more $i >&3; sleep 0.1; "
      "done; "
      "exec 3>&-; wait; echo 2 | bloomery dedup --state s.bloom");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "s.bloom: in use: another process updates or replaces it (I/O error)"))
      << ran.err;
}

// Somebody put another file in its place: it is not overwritten.
TEST_F(Dedup, AStateThatWasReplacedIsLeftAlone) {
  const Ran ran = shell.run(
      "mkfifo in; bloomery dedup --state s.bloom -n 1000 < in > out & exec 3> in; echo 1 >&3; "
      "until [ -s out ]; do sleep 0.01; done; seq 50 | bloomery build -o other -n 50 -p 0.1; mv other "
      "s.bloom; "
      "exec 3>&-; wait %1; echo $?; bloomery query -c s.bloom < /dev/null; seq 50 | bloomery query -c "
      "s.bloom");
  EXPECT_EQ(ran.out, "2\n0\n50\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "found another in its place")) << ran.err;
}

// Killed at any moment: what was printed, and what a second run over all of the input prints, has every line.
TEST_F(Dedup, AKilledRunLosesNoLine) {
  const Ran ran =
      shell.run("url_stream 400000 > many; awk '!s[$0]++' many | sort > all; for i in " +
                std::string(runs_long_tests() ? "1 2 3 4 5 6 7 8" : "1 3 6 8") +
                "; do rm -f "
                "s.bloom; "
                "'" BLOOMERY_COMMAND
                "' dedup --no-summary --state s.bloom -n 1e6 -p 1e-9 --save-every 1ms < many > first & "
                "sleep 0.0$i; kill -9 $!; wait $! 2> /dev/null; "
                "bloomery dedup --state s.bloom -n 1e6 -p 1e-9 many > second; "
                "cat first second | sort -u | comm -23 all - | wc -l; done");
  EXPECT_EQ(ran.out, runs_long_tests() ? "0\n0\n0\n0\n0\n0\n0\n0\n" : "0\n0\n0\n0\n") << ran.err;
}

// A file size limit stands for the full disk: the state before stays whole.
TEST_F(Dedup, AFullDiskLeavesTheStateAsItWas) {
  const Ran ran = shell.run(
      "seq 10 | bloomery dedup --state s.bloom -n 1e6 > /dev/null; cp s.bloom before; "
      "(trap '' XFSZ; ulimit -f 100; seq 20 | bloomery dedup --state s.bloom; echo $?); cmp s.bloom before; "
      "ls s.bloom*");
  EXPECT_EQ(ran.out, "11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n2\ns.bloom\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "s.bloom (left as it was)")) << ran.err;
}

// What came before an error of the input is printed and kept.
TEST_F(Dedup, AnInputThatBreaksKeepsWhatCameBefore) {
  const Ran ran = shell.run(
      "seq 100000 | gzip > in.gz; head -c 100000 in.gz > cut.gz; "
      "bloomery dedup --state s.bloom -n 1e6 -p 1e-9 cut.gz > first; echo $?; "
      "seq 100000 | bloomery dedup --state s.bloom > second; seq 100000 | cmp - <(cat first second)");
  EXPECT_EQ(ran.out, "3\n") << ran.err;
}

// The state knows how its keys were made, also when the next run does not say it again.
TEST_F(Dedup, AStateKeepsTheTreatmentOfItsKeys) {
  const Ran ran = shell.run(
      "printf 'A\\n b\\n' | bloomery dedup --state s.bloom -n 1000 -p 1e-9 -i --trim; "
      "printf 'a\\nB\\nc\\nC \\n' | bloomery dedup --state s.bloom");
  EXPECT_EQ(ran.out, "A\n b\nc\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
