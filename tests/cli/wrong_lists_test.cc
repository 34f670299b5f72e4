// Inputs that are not the list that was meant: a failed download, an error page, comments, a field that no line has, digests
// with counts. A filter of them answers no to everything, so they are refused, or named.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class WrongLists : public ::testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = shell.run("echo 10.0.0.0/8 | bloomery build --cidr -n 100 -o list; cp list before");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

// `curl URL | bloomery build --force` in cron: nothing came. The old list stays, for each way to build.
TEST_F(WrongLists, NoKeysAreRefusedAndTheOldListStays) {
  for (const std::string options :
       {"--cidr", "--cidr -t ribbon", "-t ribbon", "", "-n 1000", "-t quotient -n 10",
        "--dialect guava -n 10", "--exact-below 100", "--keyed"}) {
    const Ran ran =
        shell.run("false | bloomery build --force -o list " + options + "; echo $?; cmp list before");
    EXPECT_EQ(ran.out, "2\n") << options << ran.err;
    EXPECT_TRUE(says(ran.err, "expected keys, found none; --allow-empty takes that")) << ran.err;
  }
  const Ran files = shell.run(
      ": > nothing; bloomery build --force -o list nothing; echo $?; bloomery build -o new nothing; echo $?; "
      "ls new "
      "list.key; bloomery build -t ribbon --partition 2 -o parts nothing; echo $?; ls parts; bloomery build "
      "-t "
      "ribbon --resume work -o new nothing; echo $?; ls new; cmp list before");
  EXPECT_EQ(files.out, "2\n2\n2\n2\n") << files.err;
}

TEST_F(WrongLists, AllowEmptyTakesThemAndTheClosingLineSaysSo) {
  const Ran ran =
      shell.run("bloomery build --allow-empty --force -o list < /dev/null; bloomery query -c list -e x");
  EXPECT_EQ(ran.out, "0\n");
  EXPECT_TRUE(says(ran.err, "0 keys into ")) << ran.err;
  EXPECT_EQ(shell.run("bloomery build --allow-empty --no-summary --force -o list < /dev/null").err, "");
}

// An error page instead of a list of networks. The closing line comes without a terminal if lines were left out.
TEST_F(WrongLists, MoreThanHalfOfTheLinesBadIsRefused) {
  const Ran page = shell.run(
      "echo '<html>503</html>' | bloomery build --cidr --skip-bad-lines --force -o list; echo $?; cmp "
      "list before; bloomery query list -e 10.1.1.1");
  EXPECT_EQ(page.out, "2\n10.1.1.1\n") << page.err;
  EXPECT_TRUE(says(page.err, "expected at most 0 bad lines of 1, found 1")) << page.err;
  shell.run("printf '%s\\n' 10.0.0.0/8 11.0.0.0/8 '||a' '||b' > half; (cat half; echo '||c') > most");
  for (const std::string kind : {"", "-t ribbon ", "-t ribbon -n 9 "}) {
    const std::string build = "bloomery build --cidr --skip-bad-lines --force -o new " + kind;
    const Ran half = shell.run(build + "half");
    EXPECT_EQ(half.status, 0) << half.err;
    EXPECT_TRUE(says(half.err, " keys ")) << "the closing line: " << half.err;
    EXPECT_TRUE(says(half.err, "2 bad lines were left out")) << half.err;
    EXPECT_EQ(shell.run(build + "most").status, 2);
    EXPECT_EQ(shell.run(build + "--max-bad 3 most").status, 0);
    EXPECT_EQ(shell.run(build + "--max-bad 2 most").status, 2);
    EXPECT_EQ(shell.run(build + "--max-bad 60% most").status, 0);
    EXPECT_EQ(shell.run(build + "--max-bad 59% most").status, 2);
    EXPECT_EQ(shell.run(build + "--max-bad 1 half").status, 2);
  }
  // --max-bad alone leaves bad lines out, and no key at all is another refusal.
  EXPECT_EQ(shell.run("bloomery build --cidr --max-bad 60% --force -o new most").status, 0);
  EXPECT_EQ(shell.run("echo '||a' | bloomery build --cidr --max-bad 100% --force -o new").status, 2);
  for (const std::string wrong : {"101%", "-1%", "x", "50%%"}) {
    EXPECT_EQ(shell.run("bloomery build --cidr --max-bad " + wrong + " --force -o new half").status, 2)
        << wrong;
  }
  EXPECT_EQ(
      shell.run("bloomery build --dialect guava --key-form int64 --skip-bad-lines -n 9 -o other most").status,
      2);
}

TEST_F(WrongLists, AddRefusesThemAndChangesNothing) {
  shell.run("printf '%s\\n' 12.0.0.0/8 '||a' '||b' > most; printf '%s\\n' 12.0.0.0/8 13.0.0.0/8 '||a' > few");
  const Ran ran = shell.run(
      "for way in '' --atomic --strict; do bloomery add $way list < /dev/null; echo $?; cmp list before;"
      "bloomery add $way --skip-bad-lines list most; echo $?; cmp list before; done; bloomery inspect "
      "--verify list;"
      "bloomery add --skip-bad-lines list few; echo $?; bloomery query -c list -e 12.1.1.1 -e 13.1.1.1");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\nlist: ok\n0\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "keys added to list")) << "the closing line: " << ran.err;
  EXPECT_EQ(shell.run("bloomery add --allow-empty list < /dev/null").status, 0);
  EXPECT_EQ(shell.run("bloomery add --max-bad 2 list most").status, 0);
  const Ran dialect = shell.run(
      "seq 9 | bloomery build --dialect dcso -n 100 -p 0.01 -o d; cp d old; bloomery add d < /dev/null; echo "
      "$?; "
      "cmp d old; bloomery add --allow-empty d < /dev/null; echo $?");
  EXPECT_EQ(dialect.out, "2\n0\n") << dialect.err;
}

// Every key would be the one of an empty field.
TEST_F(WrongLists, AFieldThatNoLineHasIsRefused) {
  for (const std::string kind : {"", "-t ribbon ", "--dialect guava -n 100 "}) {
    const Ran ran =
        shell.run("rm -f new; seq 100 | bloomery build -k 3 -d , -o new " + kind + "; echo $?; ls new");
    EXPECT_EQ(ran.out, "2\n") << kind << ran.err;
    EXPECT_TRUE(says(ran.err, "expected lines with field 3, found all 100 without it")) << ran.err;
    EXPECT_EQ(shell.run("seq 100 | bloomery build -k 3 -d , --missing skip -o new " + kind).status, 2);
    EXPECT_EQ(shell.run("seq 100 | bloomery build -k 3 -d , --missing keep --force -o new " + kind).status,
              0);
  }
  const Ran added = shell.run(
      "seq 9 | bloomery build -n 1000 -o f; cp f old; seq 100 | bloomery add -k 3 -d , f; echo $?; cmp f "
      "old; "
      "(seq 100; echo a,b,c) | bloomery add -k 3 -d , f; echo $?; bloomery query f -e c; bloomery inspect "
      "--verify f");
  EXPECT_EQ(added.out, "2\n0\nc\nf: ok\n") << added.err;
  EXPECT_EQ(shell.run("echo '{}' | bloomery build --json-field a -o j").status, 2);
}

// Real lists have comments and blank lines, with the marks of FireHOL and of Spamhaus.
TEST_F(WrongLists, CommentsAreNoKeysAndNoBadLines) {
  shell.run("printf '# FireHOL\\n; Spamhaus\\n\\n  # more\\r\\n10.0.0.0/8\\n' > commented");
  EXPECT_EQ(shell.run("bloomery build --cidr --force -o list commented").status, 2);
  const Ran ran = shell.run(
      "bloomery build --cidr --comments '#;' -o new commented; bloomery query new -e 10.1.1.1; bloomery "
      "build --force "
      "--cidr -t ribbon --comments '#;' -o new commented; bloomery query -c new -e 10.1.1.1");
  EXPECT_EQ(ran.out, "10.1.1.1\n1\n");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(shell.run("bloomery query -v --comments '#' -n list <(printf '#a\\n10.1.1.1\\n11.1.1.1\\n')").out,
            "3:11.1.1.1\n");
  EXPECT_EQ(shell.run("printf 'a\\n#x\\na\\nb\\n' | bloomery dedup --comments '#'").out, "a\nb\n");
  EXPECT_EQ(shell.run("printf '# only\\n' | bloomery build --comments '#' -o none").status, 2);
  const Ran header = shell.run(
      "printf '# made today\\nid,city\\n1,Rome\\n#2,Oslo\\n' | bloomery dedup --csv --header city --only-key "
      "--comments '#'");
  EXPECT_EQ(header.out, "Rome\n") << header.err;
  const Ran asked = shell.run("bloomery query --answers --comments '#' list -e 10.1.1.1");
  EXPECT_EQ(asked.status, 2);
  EXPECT_TRUE(says(asked.err, "--answers: expected without --comments")) << asked.err;
}

// The names of a hosts file are its second field, and `# hosts` is none of them.
TEST_F(WrongLists, CommentsOfAHostsFileAreNoNames) {
  shell.run(
      "printf '# hosts of today\n\n0.0.0.0 ads.example.com\n#0.0.0.0 "
      "off.example.com\n0.0.0.0\tbad.example.net "
      "# why\n' > hosts");
  const std::string build = "bloomery build --domain-suffix -w -k 2 --force -o block hosts";
  const Ran refused = shell.run(build);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err, "found 'hosts'")) << refused.err;
  const Ran ran = shell.run(build + " --comments '#'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(
      shell
          .run("printf '%s\n' a.ads.example.com bad.example.net off.example.com hosts of.today example.com | "
               "bloomery query block")
          .out,
      "a.ads.example.com\nbad.example.net\n");
}

// The recipe of docs/command.md for `comm -23`: an fpp of 0.001 would leave out a hundred lines of these.
TEST_F(WrongLists, ADifferenceOfTwoFilesLosesNoLine) {
  shell.run("seq 300001 400000 > blocked.txt; (seq 100000; seq 300001 300500) > stream.txt");
  for (const std::string set : {"--exact-below 1e6", "-t ribbon -p 1e-9"}) {
    const Ran ran =
        shell.run("bloomery build --force -o set " + set +
                  " blocked.txt && bloomery query -v set stream.txt | cmp - <(seq 100000) && echo all");
    EXPECT_EQ(ran.out, "all\n") << set << ran.err;
  }
}

// Have I Been Pwned's SHA1:COUNT, taken as whole lines: nobody's digest would be found.
TEST_F(WrongLists, DigestsWithCountsAreNamed) {
  shell.run(
      "for word in a b c; do printf $word | sha1sum | cut -c1-40 | tr a-f A-F | sed 's/$/:7/'; done > pwned");
  for (const std::string verb : {"build -o f pwned", "build -t ribbon -o r pwned", "add f pwned"}) {
    const Ran ran = shell.run("bloomery " + verb);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(says(ran.err, "warning: the keys are digests with a count")) << verb << ran.err;
    EXPECT_TRUE(says(ran.err, "--key-form hex -k 1 -d :")) << verb << ran.err;
  }
  const Ran right = shell.run(
      "bloomery build --key-form hex -k 1 -d : -o g pwned; printf 'a\\nz\\n' | bloomery query --hash sha1 g");
  EXPECT_EQ(right.out, "a\n");
  EXPECT_FALSE(says(right.err, "warning")) << right.err;
  EXPECT_FALSE(says(shell.run("printf 'abc:1\\n' | bloomery build -o h").err, "digests"));
}

// The filter is of a field, and whole lines are asked.
TEST_F(WrongLists, AForgottenFieldIsNamedByQuery) {
  const Ran ran = shell.run(
      "for i in $(seq 100); do echo \"name$i,$i\"; done > kv; bloomery build -k 1 -d , -o f kv; bloomery "
      "query f kv; "
      "echo $?; printf 'name7\\tx\\n' | bloomery query f; printf 'x name7 y\\n' | bloomery query f");
  EXPECT_EQ(ran.out, "1\n");
  EXPECT_TRUE(
      says(ran.err, "nothing matched, but of 100 of the first 100 lines field 1 does: ask with -k 1 -d ,"))
      << ran.err;
  EXPECT_TRUE(says(ran.err, "field 1 does: ask with -k 1\n")) << ran.err;
  EXPECT_TRUE(says(ran.err, "field 2 does: ask with -k 2 -w\n")) << ran.err;
  EXPECT_EQ(shell.run("bloomery query -k 1 -d , -c f kv").out, "100\n");
  EXPECT_EQ(shell.run("bloomery query --no-summary f kv").err, "");
  EXPECT_FALSE(says(shell.run("printf 'other,1\\n' | bloomery query f").err, "field"));
}

// --force is for filters. A list that is overwritten by mistake cannot be made again.
TEST_F(WrongLists, ForceReplacesFiltersOnly) {
  const Ran ran = shell.run(
      "echo dear > text; printf 'PK\\3\\4zip' > zip; seq 9 > k; for f in text zip; do cp $f same; bloomery "
      "build "
      "--force -o $f k; echo $?; bloomery merge --force -o $f list; echo $?; bloomery build --force "
      "--dialect "
      "guava -n 9 -o $f k; echo $?; bloomery build --force -t ribbon -o $f k; echo $?; cmp $f same; done;"
      ": > empty; bloomery build --force -o empty k; echo $?; bloomery build --force --dialect guava -n 9 -o "
      "list k; "
      "echo $?; bloomery build --force -o list k; echo $?");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\n2\n2\n0\n0\n0\n") << ran.err;
  EXPECT_TRUE(says(ran.err,
                   "text: expected a filter or an empty file, which is all that --force replaces, found a "
                   "text: remove it first"))
      << ran.err;
  EXPECT_TRUE(says(ran.err, "found a zip archive")) << ran.err;
  const Ran lines = shell.run(
      "cp before list; seq 3 | bloomery query --force --absent-to list before; echo $?; cmp list before; seq "
      "3 | "
      "bloomery query --cidr --skip-bad-lines --force --absent-to text before; echo $?");
  EXPECT_EQ(lines.out.substr(0, 2), "2\n") << lines.err;
  EXPECT_TRUE(says(lines.err, "list: expected a file of lines")) << lines.err;
}

// Swapped arguments are wrong use, and no damage.
TEST_F(WrongLists, SwappedArgumentsAreNamed) {
  shell.run("seq 9 > k; bloomery build -o f k");
  for (const std::string verb : {"query", "add", "remove", "except"}) {
    const Ran ran = shell.run("bloomery " + verb + " k f");
    EXPECT_EQ(ran.status, 2) << verb << ran.err;
    EXPECT_TRUE(says(ran.err, "k: expected a filter: FILTER comes first")) << verb << ran.err;
  }
}

}  // namespace
}  // namespace bloomery
