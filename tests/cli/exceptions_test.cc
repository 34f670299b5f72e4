// Keys that must never match, as a user meets them: build --exceptions, except, report, query --allow.
#include <string>

#include <gtest/gtest.h>

#include "tests/base/sanitized.h"
#include "tests/cli/run_command.h"

namespace bloomery {
namespace {

// How often `words` are in `text`.
int times_in(const std::string& text, const std::string& words) {
  int count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

// A thousand members, four thousand strangers of which at 1 % about forty match.
class CliExceptions : public ::testing::Test {
 protected:
  CliExceptions() { shell_.run("seq 1000 > black; seq 1001 5000 > white"); }

  // Runs a line that is refused with status 2, and leaves nothing behind. Returns what it says.
  std::string refusal(const std::string& line, int status = 2) const {
    const Ran ran =
        shell_.run("rm -rf f f.key; mkdir -p spool; touch before after; ls -A . spool > before; " + line +
                   "; code=$?; ls -A . spool > after; diff before after; exit $code");
    EXPECT_EQ(ran.status, status) << line << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    return ran.err;
  }
  void expect_refused(const std::string& line, const std::string& words) const {
    const std::string said = refusal(line);
    EXPECT_TRUE(says(said, words)) << line << "\n" << said;
  }

  Shell shell_;
};

constexpr const char* kExceptionTypes[] = {"ribbon", "blocked:fast", "blocked:dense", "bloom"};

TEST_F(CliExceptions, BuildDeniesEveryKeyOfTheListAndLosesNoMember) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -f f; bloomery build --summary -t " + type +
        " -o f -p 0.01 --exceptions white -- black; bloomery query -c --no-summary f white\n"
        "bloomery query -c --no-summary f black; bloomery inspect --verify f\n"
        "bloomery query -c --no-summary f <(seq 100001 200000) | awk '{ print 500 < $1 && $1 < 1500 }'");
    EXPECT_EQ(ran.out, "0\n1000\nf: ok\n1\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "exceptions: 4,000 given; ")) << ran.err;
    EXPECT_TRUE(says(ran.err, type == "ribbon" ? " match without the last column, which denies them\n"
                                               : " match, and are denied (16 bytes each)\n"))
        << ran.err;
  }
}

TEST_F(CliExceptions, BuildGivesTheSameBytesHoweverTheListComes) {
  for (const std::string type : kExceptionTypes) {
    const std::string build = "bloomery build --force --no-summary -n 1000 -p 0.01 -t " + type;
    const Ran ran = shell_.run(
        "set -e; gzip -kf white; (tac white; cat white) > again; head -n 2000 white > one\n"
        "tail -n +2001 white > two; " +
        build + " -o f --exceptions white -- black; " + build +
        " -o g --exceptions white.gz -- black; cmp f g; " + build +
        " -o g --exceptions - black < white; cmp f g; cat black | " + build +
        " -o g --exceptions white; cmp f g; " + build + " -o g --exceptions again -- black; cmp f g; " +
        build + " -o g --exceptions one --exceptions two -- black; cmp f g; cat white | " + build +
        " -o g --exceptions /dev/stdin -- black; cmp f g; " + build +
        " -o - --exceptions white -- black | cmp f -");
    EXPECT_EQ(ran.status, 0) << type << ran.err;
  }
}

// The library's build and except give what build --exceptions does, where the list is the same.
TEST_F(CliExceptions, ExceptGivesTheBytesOfBuild) {
  const Ran ran = shell_.run(
      "bloomery build -o f -p 0.01 --exceptions white -- black; bloomery build -o g -p 0.01 black; cmp -s f "
      "g "
      "&& "
      "echo same; bloomery except g white; cmp f g");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST_F(CliExceptions, AnEmptyListChangesNoAnswer) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran =
        shell_.run("rm -f f; bloomery build --summary -t " + type +
                   " -o f -p 0.01 --exceptions /dev/null -- black; bloomery query -c --no-summary f black");
    EXPECT_EQ(ran.out, "1000\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "exceptions: 0 given; 0 match")) << ran.err;
  }
  const Ran nobody = shell_.run(
      "bloomery build -t ribbon --allow-empty -o g -p 0.01 --exceptions white -- /dev/null; bloomery query "
      "-c --no-summary "
      "g "
      "white");
  EXPECT_EQ(nobody.out, "0\n") << nobody.err;
}

TEST_F(CliExceptions, FieldsAndFormsHoldForBothLists) {
  for (const std::string type : {"ribbon", "blocked"}) {
    const Ran ran = shell_.run(
        "rm -f f; awk '{ printf \"x,%032x,y\\n\", $1 }' black > b; awk '{ printf \"x,%032X,z\\n\", $1 }' "
        "white > w\n"
        "k='-k 2 -d ,'; bloomery build -t " +
        type +
        " -o f -p 0.01 $k --key-form hex --exceptions w -- b; bloomery query -c --no-summary f $k w\n"
        "bloomery query -c --no-summary f $k b; (cat w; head -n 3 b | tail -n 1) > both\n"
        "bloomery build -t " +
        type + " --force -o f -p 0.01 $k --key-form hex --exceptions both -- b");
    EXPECT_EQ(ran.out, "0\n1000\n") << ran.err;
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(says(ran.err, "conflict: exception both:4001 is member b:3\n")) << ran.err;
  }
}

TEST_F(CliExceptions, AKeyedFilterHashesBothListsUnderItsSecret) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -f f f.key; bloomery build -t " + type +
        " -o f -p 0.01 --keyed --exceptions white -- black; bloomery query -c --no-summary f white\n"
        "bloomery query -c --no-summary f black; seq 5001 9000 > more; bloomery except f more\n"
        "bloomery query -c --no-summary f more; bloomery report f 9001; mv f.key k; bloomery except f more");
    EXPECT_EQ(ran.out, "0\n1000\n0\n") << type << ran.err;
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(says(ran.err, "found no file f.key")) << ran.err;
  }
}

// Nothing is written, the key neither, and each conflict is named once, by the first lines of both.
TEST_F(CliExceptions, AMemberInTheListIsNamedAndRefused) {
  shell_.run(
      "(cat white; echo 17; echo 400; echo 17) > w; (echo 5; echo 900) > w2; seq 801 2000 > b2; head -n 800 "
      "black > b; sed -i '/^1[0-9][0-9][0-9]$/d;/^2000$/d' b2; gzip -k b2");
  for (const std::string type : kExceptionTypes) {
    const std::string said =
        refusal("bloomery build -t " + type +
                " -o f -n 1000 -p 0.01 --keyed --exceptions w --exceptions w2 -- b b2.gz");
    EXPECT_TRUE(says(said, "conflict: exception w:4001 is member b:17\n")) << said;
    EXPECT_TRUE(says(said, "conflict: exception w:4002 is member b:400\n")) << said;
    EXPECT_TRUE(says(said, "conflict: exception w2:1 is member b:5\n")) << said;
    EXPECT_TRUE(says(said, "conflict: exception w2:2 is member b2.gz:100\n")) << said;
    EXPECT_EQ(times_in(said, "conflict:"), 4) << said;
    EXPECT_TRUE(says(said, "4 keys are members and exceptions at once; nothing was written")) << said;
  }
}

TEST_F(CliExceptions, AnOldFilterIsNotReplacedByAConflict) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run("bloomery build --force -t " + type +
                               " -o f -p 0.1 black; cp f g; bloomery build --force -t " + type +
                               " -o f -p 0.01 --exceptions black -- black; code=$?; cmp f g && exit $code");
    EXPECT_EQ(ran.status, 2) << ran.err;
  }
}

TEST_F(CliExceptions, ManyConflictsAreSummarised) {
  for (const std::string type : {"ribbon", "bloom"}) {
    const std::string said =
        refusal("bloomery build -t " + type + " -o f -p 0.01 --exceptions black -- black");
    EXPECT_EQ(times_in(said, "conflict: exception black:"), 100);
    EXPECT_TRUE(says(said, "conflict: exception black:1 is member black:1\n"));
    EXPECT_TRUE(says(said, "conflict: and 900 more\n")) << said;
    EXPECT_TRUE(says(said, "1,000 keys are members and exceptions at once")) << said;
  }
}

TEST_F(CliExceptions, MembersWinWhereThatIsWanted) {
  shell_.run("(cat white; echo 17; echo 400; echo 17) > w");
  for (const std::string type : kExceptionTypes) {
    const Ran ran =
        shell_.run("rm -f f; bloomery build -t " + type +
                   " -o f -p 0.01 --exceptions w --members-win black; bloomery query -c --no-summary f "
                   "black; bloomery query -c --no-summary f white");
    EXPECT_EQ(ran.out, "1000\n0\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "; 2 are members, and stay in\n")) << ran.err;
    EXPECT_FALSE(says(ran.err, "conflict")) << ran.err;
  }
}

TEST_F(CliExceptions, BadRequestsAreRefusedAndLeaveNothing) {
  expect_refused("bloomery build -o f -p 0.01 --members-win black",
                 "--members-win: expected only with --exceptions");
  expect_refused("bloomery build -o f -n 10 -p 0.01 --exceptions - < black",
                 "--exceptions: expected one use of standard input, found 2");
  expect_refused("bloomery build -o f -n 10 -p 0.01 --exceptions - - < black", "found 2");
  expect_refused("bloomery build -t ribbon -o f -p 0.01 --exceptions - --exceptions - black < white",
                 "found 2");
  expect_refused("bloomery build -t ribbon -o f -n 1e6 -p 0.01 --shards 1/2 --exceptions white -- black",
                 "--exceptions: expected none with --shards");
  for (const std::string fpp : {"0.5", "0.6"}) {
    expect_refused("bloomery build -t ribbon -o f -p " + fpp + " --exceptions white -- black",
                   "fpp: expected less than 0.5 with exceptions, found " + fpp);
  }
  expect_refused("bloomery build -t ribbon -o f -p 0.01 --mem 100M --exceptions white -- black",
                 "--mem: expected at least 128M with exceptions, found 100M");
  expect_refused("bloomery build -o f -p 0.01 --mem 256M --exceptions white -- black",
                 "expected only with -t ribbon");
  expect_refused("bloomery build -o f -p 0.01 --tmp . black",
                 "--tmp: expected only with -t ribbon or --exceptions");
  for (const std::string type : kExceptionTypes) {
    const std::string build = "bloomery build -o f -p 0.01 --keyed -t " + type;
    expect_refused(build + " --exceptions none -- black", "none");
    expect_refused(build + " --exceptions white --tmp none black", "--tmp: expected a directory");
    expect_refused(build + " --key-form hex -n 11 --exceptions <(echo xyz) -- <(seq 10 20)", "/dev/fd/");
  }
}

// A list that is far larger than the memory, from a pipe that is read once.
TEST_F(CliExceptions, AListLargerThanTheMemoryIsStreamed) {
  const Ran ran = shell_.run(
      "mkfifo pipe; url_stream 10000000 --distinct > pipe &\n"
      "url_stream 100000 --distinct --first 20000000 > urls; measure=; test -x /usr/bin/time && "
      "measure='/usr/bin/time -o peak -f %M'\n"
      "$measure '" BLOOMERY_COMMAND
      "' build --summary -t ribbon -o f -p 0.001 --mem 128M --exceptions pipe -- urls || exit; test -e peak "
      "|| echo 0 "
      "> "
      "peak; cat "
      "peak; bloomery query -c --no-summary f urls; url_stream 1000000 --distinct | bloomery query -c "
      "--no-summary f");
  EXPECT_TRUE(says(ran.err, "exceptions: 10,000,000 given; ")) << ran.err;
  EXPECT_TRUE(says(ran.out, "\n100000\n0\n")) << ran.out << ran.err;
  EXPECT_TRUE(kSanitized || std::stoi(ran.out) < (128 << 10)) << ran.out;  // KiB
}

TEST_F(CliExceptions, MoreMatchesThanTheMemoryHoldsAreRefused) {
  const std::string said = refusal(
      "seq 1001 1500000 | bloomery build -t ribbon -o f -p 0.4 --mem 128M --keyed --exceptions - black");
  EXPECT_TRUE(
      says(said,
           "--exceptions: expected at most 917,504 keys that the filter matches, found more: give more "
           "memory (--mem) or ask for fewer errors (-p)"))
      << said;
}

// The build is stopped while it waits for its list: after the members, and after the key was written.
TEST_F(CliExceptions, AStopInTheMiddleLeavesNothingBehind) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -rf spool pipe; mkdir spool; mkfifo pipe\n"
        "'" BLOOMERY_COMMAND "' build -t " +
        type +
        " -o f -p 0.01 --keyed --tmp spool --exceptions pipe -- black & build=$!\n"
        "exec 3> pipe; echo 5000 >&3; kill -TERM $build; exec 3>&-; wait $build; code=$?; ls -A spool; ls f "
        "f.key "
        "2>/dev/null\n"
        "exit $code");
    EXPECT_EQ(ran.out, "") << type;
    EXPECT_EQ(ran.status, 143) << type << ran.err;
  }
}

TEST_F(CliExceptions, AFullDiskIsReportedAndCleanedUp) {
  for (const std::string type : kExceptionTypes) {
    const std::string said = refusal("trap '' XFSZ; ulimit -f 20; seq 1000001 1700000 | bloomery build -t " +
                                     type + " -n 7e5 -o f -p 0.01 --keyed --tmp spool --exceptions white");
    EXPECT_TRUE(says(said, "File too large")) << type << said;
  }
}

TEST_F(CliExceptions, ExceptCountsAndTakesEachKeyOnce) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -f f; bloomery build -t " + type +
        " -o f -p 0.01 black; n=$(bloomery query -c --no-summary f white); bloomery except --summary f white "
        "&& cp f g; bloomery except --summary f < white && cmp f g; bloomery query -c --no-summary f white\n"
        "bloomery query -c --no-summary f black; bloomery inspect --verify f; echo $n");
    ASSERT_TRUE(says(ran.out, "0\n1000\nf: ok\n")) << type << ran.out << ran.err;
    const std::string count = ran.out.substr(13, ran.out.size() - 14);
    EXPECT_TRUE(says(ran.err, "4,000 keys given, " + count + " would have matched and are exceptions now; " +
                                  count + " in all\n"))
        << ran.err;
    EXPECT_TRUE(says(ran.err,
                     "4,000 keys given, 0 would have matched and are exceptions now; " + count + " in all\n"))
        << ran.err;
  }
}

TEST_F(CliExceptions, ExceptAddsToAColumn) {
  const Ran ran = shell_.run(
      "bloomery build -t ribbon -o f -p 0.01 --exceptions white -- black; seq 5001 9000 > more; bloomery "
      "except "
      "f more\n"
      "for list in white more black; do bloomery query -c --no-summary f $list; done; bloomery inspect f");
  EXPECT_TRUE(ran.out.starts_with("0\n0\n1000\n")) << ran.out << ran.err;
  for (const char* name : {"\nrejected_keys ", "\nexception_column_bytes ", "\nexceptions "}) {
    EXPECT_TRUE(says(ran.out, name)) << ran.out;
  }
}

TEST_F(CliExceptions, ExceptReadsFieldsAndSeveralFiles) {
  const Ran ran = shell_.run(
      "bloomery build -o f -p 0.01 -k 1,2 -d , <(sed 's/$/,x,1/' black) -n 1000\n"
      "sed 's/$/,x,2/' white > w; split -n l/2 w part; bloomery except --no-summary f -k 1,2 -d , partaa "
      "partab\n"
      "bloomery query -c --no-summary f -k 1,2 -d , w; bloomery except f w");
  EXPECT_EQ(ran.out, "0\n") << ran.err;
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "a key without -k: contradicts the filter")) << ran.err;
}

TEST_F(CliExceptions, ExceptAndReportRefuseWhatTheyCannotCorrect) {
  shell_.run(
      "bloomery build -o good -p 0.01 black; cp good bad; printf x | dd of=bad bs=1 seek=300 conv=notrunc; "
      "seq "
      "300000 | bloomery build -t ribbon -o part -n 3e5 -p 1e-3 --shards 1/3; cp good copy; cp bad copy2");
  for (const std::string verb : {"except", "report"}) {
    EXPECT_TRUE(says(refusal("bloomery " + verb + " none white"), "none"));
    const std::string part = refusal("bloomery " + verb + " part white");
    EXPECT_TRUE(says(part, "found a part of one (shards 0 to 0 of 4): merge its parts first")) << part;
    const std::string damaged = refusal("bloomery " + verb + " bad white", 3);
    EXPECT_TRUE(says(damaged, "checksum")) << damaged;
  }
  EXPECT_TRUE(says(refusal("bloomery except good none"), "none"));
  EXPECT_EQ(shell_.run("cmp good copy && cmp bad copy2").status, 0);
}

// A ribbon whose shard is damaged answers maybe to everything: nothing that matches there is a false
// positive.
TEST_F(CliExceptions, ExceptDoesNotTakeDamageForMatches) {
  const Ran ran = shell_.run(
      "bloomery build -t ribbon -o f -p 0.01 black; printf x | dd of=f bs=1 seek=500 conv=notrunc "
      "2>/dev/null; cp f g\n"
      "bloomery except f white; code=$?; cmp f g && exit $code");
  EXPECT_EQ(ran.status, 3) << ran.err;
}

// One except waits for its keys; meanwhile nobody else changes the filter.
TEST_F(CliExceptions, AFilterThatIsBeingCorrectedIsLocked) {
  const Ran ran = shell_.run(
      "bloomery build -o f -p 0.01 black; mkfifo pipe; bloomery except f pipe & first=$!; exec 3> pipe\n"
      "for verb in 'except f white' 'report f 5000' 'add f white'; do bloomery $verb --no-wait && echo "
      "$verb; done\n"
      "bloomery query -c --no-summary f black; cat white >&3; exec 3>&-; wait $first; bloomery query -c f "
      "white\n"
      "bloomery add f <(seq 10001 10010) && bloomery except f white && bloomery query -c f white");
  EXPECT_EQ(ran.out, "1000\n0\n0\n") << ran.err;
  EXPECT_EQ(times_in(ran.err, "f: in use: "), 3) << ran.err;
}

TEST_F(CliExceptions, AStoppedExceptChangesNothing) {
  const Ran ran =
      shell_.run("bloomery build -o f -p 0.01 black; cp f g; mkfifo pipe; '" BLOOMERY_COMMAND
                 "' except f pipe & build=$!; exec 3> pipe; cat white >&3; kill -TERM $build; exec 3>&-; "
                 "wait $build; code=$?; cmp f g\n"
                 "ls f.*; exit $code");
  EXPECT_EQ(ran.status, 143) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(says(ran.err, "stopped; nothing was changed")) << ran.err;
}

TEST_F(CliExceptions, ReportTakesKeysFromTheCommandLine) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -f f; bloomery build -t " + type +
        " -o f -p 0.01 black; found=$(bloomery query --no-summary f white | head -n 3); set -- $found\n"
        "bloomery report --summary f $1; bloomery query -c --no-summary f white > after; bloomery report "
        "--summary "
        "f $1 $2 $3\n"
        "none=$(bloomery query --no-summary -v f white | head -n 1); cp f g; bloomery report --summary f "
        "$none; cmp f "
        "g\n"
        "printf '%s\\n' $found | bloomery query -c --no-summary f; bloomery query -c --no-summary f black");
    EXPECT_EQ(ran.out, "0\n1000\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "1 key given, 1 would have matched and are exceptions now; 1 in all\n"))
        << ran.err;
    EXPECT_TRUE(says(ran.err, "3 keys given, 2 would have matched and are exceptions now; 3 in all\n"))
        << ran.err;
    EXPECT_TRUE(says(ran.err, "1 key given, 0 would have matched and are exceptions now; 3 in all\n"))
        << ran.err;
  }
}

TEST_F(CliExceptions, ReportTakesALineWithFields) {
  const Ran ran = shell_.run(
      "sed 's/^/x,/' black > b; sed 's/^/x,/;s/$/,y/' white > w; k='-k 1,2 -d ,'; bloomery build -o f -p "
      "0.01 $k b\n"
      "found=$(bloomery query --no-summary $k f w | head -n 1); bloomery report --summary f $k \"$found\"; "
      "echo "
      "\"$found\" | "
      "bloomery query -c --no-summary $k f; bloomery report f \"$found\"");
  EXPECT_EQ(ran.out, "0\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "1 key given, 1 would have matched")) << ran.err;
  EXPECT_TRUE(says(ran.err, "a key without -k: contradicts the filter")) << ran.err;
  EXPECT_EQ(ran.status, 2);
}

TEST_F(CliExceptions, ReportNamesAKeyThatIsNone) {
  const Ran ran = shell_.run(
      "echo aa | bloomery build -o f -n 1 -p 0.01 --key-form hex; cp f g; bloomery report f bb xyz; code=$?; "
      "cmp f g && "
      "exit $code");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_TRUE(says(ran.err, "KEY: ")) << ran.err;
}

TEST_F(CliExceptions, AddTakesAnExceptionBackAndSaysSo) {
  for (const std::string type : {"blocked:fast", "blocked:dense", "bloom"}) {
    const Ran ran = shell_.run("rm -f f; bloomery build -t " + type +
                               " -o f -n 1100 -p 0.01 black; bloomery query --no-summary f white | head -n 5 "
                               "> found; bloomery except f white\n"
                               "bloomery add f found found; bloomery query -c --no-summary f found; bloomery "
                               "query -c --no-summary f black\n"
                               "bloomery query --no-summary f white | cmp - found; bloomery add f black; "
                               "bloomery inspect --verify f");
    EXPECT_EQ(ran.out, "5\n1000\nf: ok\n") << type << ran.err;
    EXPECT_TRUE(says(ran.err, "conflict: 5 of the keys were exceptions, and are in now\n")) << ran.err;
    EXPECT_EQ(times_in(ran.err, "conflict"), 1) << ran.err;
  }
}

TEST_F(CliExceptions, MergeKeepsWhatEveryPartDeniesAndSaysHowMany) {
  const Ran ran = shell_.run(
      "head -n 500 black > left; tail -n 500 black > right; for half in left right; do bloomery build -o "
      "$half.f -n "
      "1000 -p 0.05 $half; done\n"
      "bloomery query --no-summary left.f right white > matches; grep -cxFf right matches; bloomery except "
      "left.f "
      "matches; bloomery merge -o both left.f right.f\n"
      "bloomery query -c --no-summary both black; bloomery except both white; bloomery query -c --no-summary "
      "both white "
      "black; bloomery inspect --verify both");
  EXPECT_TRUE(says(ran.out, "\n1000\nwhite:0\nblack:1000\nboth: ok\n")) << ran.out << ran.err;
  EXPECT_NE(ran.out.front(), '0');  // some of right's members matched left, and were excepted there
  EXPECT_TRUE(
      says(ran.err, " exceptions kept, those that every part denies; give the others to except again"))
      << ran.err;
}

TEST_F(CliExceptions, InspectShowsThemInTextAndJson) {
  const Ran plain = shell_.run("bloomery build -t ribbon -o plain -p 0.01 black; bloomery inspect plain");
  EXPECT_FALSE(says(plain.out, "exception")) << plain.out;
  EXPECT_FALSE(says(plain.out, "rejected")) << plain.out;
  const Ran ribbon = shell_.run(
      "bloomery build -t ribbon -o r -p 0.01 --exceptions white -- black; bloomery except r <(seq 5001 "
      "9000); "
      "bloomery "
      "inspect r; bloomery inspect --json r");
  for (const char* name : {"rejected_keys", "exception_column_bytes", "exceptions"}) {
    EXPECT_TRUE(says(ribbon.out, "\n" + std::string(name) + " ")) << name << " in " << ribbon.out;
    EXPECT_TRUE(says(ribbon.out, "\"" + std::string(name) + "\": ")) << name << " in " << ribbon.out;
  }
  const Ran bytes =
      shell_.run("bloomery inspect --json r | grep file_bytes | tr -dc 0-9; echo; stat -c %s r");
  EXPECT_EQ(bytes.out.substr(0, bytes.out.size() / 2), bytes.out.substr(bytes.out.size() / 2));
  const Ran blocked = shell_.run(
      "bloomery build -o b -p 0.01 black; bloomery report b $(bloomery query --no-summary -m 7 b white); "
      "bloomery "
      "inspect b; bloomery inspect --json b");
  EXPECT_TRUE(says(blocked.out, "\nexceptions       7\n")) << blocked.out;
  EXPECT_TRUE(says(blocked.out, "\"exceptions\": 7,")) << blocked.out;
}

// The examples of a verb's --help, run as they stand, one after the other. They say on a file what they say on a terminal.
Ran run_examples(const Shell& shell, const std::string& verb) {
  return shell.run("bloomery " + verb +
                   " --help | grep -E '^  (seq|bloomery|md5sum|cut) ' | sed 's/bloomery report/& --summary/' "
                   "> examples; test -s examples && set -e -o "
                   "pipefail && . ./examples");
}

TEST_F(CliExceptions, TheExamplesInTheHelpRun) {
  const Ran except = shell_.run(
      "bloomery except --help | grep '^  seq' | sed 's/bloomery except/& --summary/' > examples; . "
      "./examples");
  EXPECT_EQ(except.status, 1) << except.err;  // query: not one line
  EXPECT_EQ(except.out, "0\n") << except.err;
  EXPECT_TRUE(says(except.err, "98,999 keys given, ")) << except.err;
  const Ran report = run_examples(shell_, "report");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_TRUE(says(report.err, "1 key given, 1 would have matched and are exceptions now; 1 in all"))
      << report.err;
}

// query --allow: what a list names is answered no, whatever the filters say, and nobody else.
TEST_F(CliExceptions, QueryAllowIsExact) {
  for (const std::string type : kExceptionTypes) {
    const Ran ran = shell_.run(
        "rm -f f; bloomery build --no-summary -t " + type +
        " -o f -p 0.01 black; q='bloomery query --no-summary'; seq 11 20 > allowed; gzip -kf allowed\n"
        "$q -c f --allow white white; $q -c f --allow white black; $q -c --allow allowed f black; $q --allow "
        "allowed.gz f black | cmp - <(sed 11,20d black); $q -v --allow allowed f black | cmp - allowed\n"
        "$q -v -c --allow white f white; $q -c --allow - f black < allowed; $q -c --allow allowed --allow "
        "<(seq 21 25) "
        "f black; cat black | $q -c --allow allowed f; $q -q --allow black f black || echo none");
    EXPECT_EQ(ran.out, "0\n1000\n990\n4000\n990\n985\n990\nnone\n") << type << ran.err;
    EXPECT_EQ(ran.err, "");
  }
}

TEST_F(CliExceptions, QueryAllowHoldsForFiltersOfDifferentHashes) {
  const Ran ran = shell_.run(
      "bloomery build --no-summary -o a -p 0.01 <(seq 500) -n 500; bloomery build --no-summary -t ribbon -o "
      "b --seed 7 -p "
      "0.01 <(seq 501 1000); bloomery build --no-summary -t bloom -o c --keyed -p 0.01 <(seq 1001 1500) -n "
      "500\n"
      "q='bloomery query --no-summary'; (seq 100; seq 601 700; seq 1101 1200) > allowed; $q -c a -f b -f c "
      "--allow "
      "allowed <(seq 1500); $q -c c -f a -f b --allow allowed <(seq 1500); $q -v c -f a -f b --allow allowed "
      "<(seq 1500) "
      "| cmp - allowed");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "1200\n1200\n") << ran.err;
}

TEST_F(CliExceptions, QueryAllowThatCannotBeReadIsRefused) {
  shell_.run("bloomery build -o a -p 0.01 black");
  const Ran missing = shell_.run("bloomery query a --allow none black");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.out, "");
  EXPECT_TRUE(says(missing.err, "none")) << missing.err;
  for (const std::string files : {"", " -", " black -"}) {
    const Ran twice = shell_.run("bloomery query a --allow -" + files + " < black");
    EXPECT_EQ(twice.status, 2) << files;
    EXPECT_EQ(twice.out, "");
    EXPECT_TRUE(says(twice.err, "--allow: expected one use of standard input, found 2")) << twice.err;
  }
}

}  // namespace
}  // namespace bloomery
