// bloomery query and build as a user runs them.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class Query : public ::testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = shell.run("seq 1 1000 > keys; bloomery build -o keys.bloom -p 1e-6 keys");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  Shell shell;
};

TEST_F(Query, PrintsTheLinesThatMayBeIn) {
  const Ran ran = shell.run("seq 998 1002 | bloomery query --summary keys.bloom");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "998\n999\n1000\n");
  EXPECT_NE(ran.err.find("5 keys, 3 may be in, 2 are not"), std::string::npos) << ran.err;
}

TEST_F(Query, InvertsCountsAndIsQuiet) {
  EXPECT_EQ(shell.run("seq 998 1002 | bloomery query -v keys.bloom").out, "1001\n1002\n");
  EXPECT_EQ(shell.run("seq 998 1002 | bloomery query -c keys.bloom").out, "3\n");
  EXPECT_EQ(shell.run("seq 998 1002 | bloomery query -vc keys.bloom").out, "2\n");
  const Ran quiet = shell.run("seq 998 1002 | bloomery query -q keys.bloom");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(Query, ExitsLikeGrep) {
  EXPECT_EQ(shell.run("echo 5 | bloomery query keys.bloom").status, 0);
  EXPECT_EQ(shell.run("echo none | bloomery query keys.bloom").status, 1);
  EXPECT_EQ(shell.run("echo none | bloomery query -q keys.bloom").status, 1);
  EXPECT_EQ(shell.run("echo none | bloomery query -c keys.bloom").out, "0\n");
  EXPECT_EQ(shell.run("bloomery query keys.bloom /dev/null").status, 1);
  EXPECT_EQ(shell.run("bloomery query missing.bloom keys").status, 2);
  EXPECT_EQ(shell.run("bloomery query keys.bloom missing-file").status, 2);
  EXPECT_EQ(shell.run("bloomery query keys.bloom .").status, 2);
  EXPECT_EQ(shell.run("bloomery query").status, 2);
  EXPECT_EQ(shell.run("bloomery frobnicate").status, 2);
  EXPECT_EQ(shell.run("bloomery query keys keys").status, 2);  // not a filter, and not a damaged one
}

TEST_F(Query, StopsAfterMaxCount) {
  EXPECT_EQ(shell.run("bloomery query -m 3 keys.bloom keys").out, "1\n2\n3\n");
  EXPECT_EQ(shell.run("bloomery query -m 200 keys.bloom keys | wc -l").out, "200\n");
  EXPECT_EQ(shell.run("bloomery query -c -m 7 keys.bloom keys").out, "7\n");
  EXPECT_EQ(shell.run("bloomery query -m 0 keys.bloom keys").status, 1);
}

TEST_F(Query, ReadsSeveralFilesInTurnAndStandardInput) {
  EXPECT_EQ(shell.run("echo 1 > a; printf 2 > b; echo 3 | bloomery query keys.bloom a b -").out, "1\n2\n3\n");
}

TEST_F(Query, ReadsGzipAndZstd) {
  EXPECT_EQ(shell
                .run("gzip -c keys > keys.gz; zstd -qc keys > keys.zst;"
                     "bloomery query -c keys.bloom keys.gz keys.zst")
                .out,
            "keys.gz:1000\nkeys.zst:1000\n");
  EXPECT_EQ(shell.run("head -c 500 keys.gz > cut.gz; bloomery query -c keys.bloom cut.gz").status, 3);
}

TEST_F(Query, AnyOfSeveralFilters) {
  const Ran ran = shell.run(
      "seq 5000 5010 | bloomery build -o other.bloom -n 11 -p 1e-6 --seed 7;"
      "seq 5000 5010 | md5sum | cut -c1-32 > digest; bloomery build -o hex.bloom -p 1e-6 --key-form hex "
      "digest;"
      "seq 999 5001 | bloomery query keys.bloom -f other.bloom");
  EXPECT_EQ(ran.out, "999\n1000\n5000\n5001\n") << ran.err;
  EXPECT_EQ(shell.run("bloomery query hex.bloom -f hex.bloom digest | cmp - digest").status, 0);
}

TEST_F(Query, EveryByteOfALineIsItsKey) {
  const Ran ran = shell.run(
      R"(printf 'a\0b\n\xff\xfe\n\n\r\nlast' > odd; bloomery build -o odd.bloom -p 1e-6 odd; bloomery query odd.bloom odd > out;)"
      R"(printf '\n' | cat odd - | cmp - out && printf 'a\na\0c\n\xff\nlas\n' | bloomery query odd.bloom)");
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST_F(Query, NulTerminatedLines) {
  EXPECT_EQ(
      shell.run(R"(printf '1\0none\0 2\0003' | bloomery query -z --no-summary keys.bloom | tr '\0' '#')").out,
      "1#3#");
}

// A line of 100 MB, longer than any buffer.
TEST_F(Query, ALineOfAnyLengthIsAKey) {
  const Ran ran = shell.run(
      "head -c 100000000 /dev/zero | tr '\\0' x > long; bloomery build -o long.bloom -p 1e-6 long;"
      "bloomery query long.bloom long | wc -c; (cat long; echo y) | bloomery query -c long.bloom");
  EXPECT_EQ(ran.out, "100000001\n0\n") << ran.err;
}

TEST_F(Query, LineBufferedOutputComesAtOnce) {
  const Ran ran = shell.run(
      "mkfifo in; bloomery query --line-buffered --no-summary keys.bloom < in > out & exec 3> in; echo 5 >&3;"
      "until [ -s out ]; do sleep 0.01; done; cat out; exec 3>&-; wait");
  EXPECT_EQ(ran.out, "5\n");
}

TEST_F(Query, ABrokenPipeIsQuiet) {
  const Ran ran = shell.run(
      "set -o pipefail; seq 1 1000 | awk '{for(i=0;i<3000;i++) print}' | bloomery query keys.bloom | head -n "
      "1");
  EXPECT_EQ(ran.out, "1\n");
  EXPECT_EQ(ran.err, "");
  // Also for a parent that ignores the signal, as Python and cron do.
  const Ran ignored = shell.run(
      "trap '' PIPE; awk 'BEGIN{for(i=0;i<3000000;i++) print 1}' 2>/dev/null | bloomery query keys.bloom | "
      "head -n 1");
  EXPECT_EQ(ignored.out, "1\n");
  EXPECT_EQ(ignored.err, "");
}

TEST_F(Query, AFullDiskIsTrouble) {
  const Ran ran = shell.run("bloomery query keys.bloom keys > /dev/full");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("standard output: write: No space left on device"), std::string::npos) << ran.err;
}

TEST_F(Query, ADamagedFilterIsNeverBelieved) {
  const Ran ran = shell.run(
      "printf X | dd of=keys.bloom bs=1 seek=300 conv=notrunc 2>/dev/null; bloomery query keys.bloom keys");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("keys.bloom: payload: at byte 192: checksum: expected"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("(corruption); its bytes are not those that were written: restore it from a copy, "
                         "or build it again"),
            std::string::npos)
      << ran.err;
}

TEST_F(Query, KeyOptionsThatContradictTheFilterAreErrors) {
  for (const char* option : {"--key-form hex", "-i", "--trim", "-k 1,2"}) {
    const Ran ran = shell.run(std::string("bloomery query keys.bloom ") + option + " keys");
    EXPECT_EQ(ran.status, 2) << option;
    EXPECT_NE(ran.err.find("contradicts the filter, whose keys are: text"), std::string::npos) << ran.err;
  }
}

TEST(QueryKeys, TheRecordedTreatmentIsApplied) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '  Hello \\nWORLD\\n' | bloomery build -o k.bloom -n 2 -p 1e-6 -i --trim;"
      "printf 'hello\\n\\tworld\\nother\\n' | bloomery query --no-summary k.bloom; bloomery inspect --json "
      "k.bloom | grep key_form");
  EXPECT_EQ(ran.out, "hello\n\tworld\n  \"key_form\": \"text,trim,ignore-case\",\n") << ran.err;
}

TEST(QueryKeys, FieldsMayStandElsewhereInAnotherFile) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf 'a,1,x\\nb,2,y\\n' | bloomery build -o f.bloom -n 2 -p 1e-6 -d, -k 2;"
      "printf '1 p\\n3 q\\n' | bloomery query --no-summary f.bloom -d' ' -k 1; printf '2\\n' | bloomery "
      "query --no-summary f.bloom");
  EXPECT_EQ(ran.out, "1 p\n2\n") << ran.err;
}

TEST(QueryKeys, CompositeKeysDoNotRunTogether) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf 'ab\\tc\\n' | bloomery build -o c.bloom -n 1 -p 1e-6 -k 1,2; printf 'a\\tbc\\nab\\tc\\n' | "
      "bloomery query --no-summary c.bloom -k 1,2;"
      "printf 'abc\\n' | bloomery query --no-summary c.bloom");
  EXPECT_EQ(ran.out, "ab\tc\n");
  EXPECT_EQ(ran.status, 2);  // without -k the key would be another
}

TEST(QueryKeys, FormsOfNumbersDigestsAndUtf16) {
  const Shell shell;
  const Ran ran = shell.run(
      "for f in hex int32 int64 utf16; do printf '12\\n34\\n' | bloomery build -o $f.bloom -n 2 -p 1e-6 "
      "--key-form $f --no-summary;"
      "printf '34\\n56\\n' | bloomery query --no-summary $f.bloom; done; printf '12\\nzz\\n' | bloomery "
      "query --no-summary hex.bloom");
  EXPECT_EQ(ran.out, "34\n34\n34\n34\n12\n") << ran.err;  // the line before the bad one is answered
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("standard input: line 2: key form hex: expected an even number of hexadecimal "
                         "digits, found 'zz'"),
            std::string::npos)
      << ran.err;
}

// As psql prints a moment in two zones, and as Python and RFC 3339 write it. Without an offset it is nobody's time.
TEST(QueryKeys, TimesAreAskedWithAnyOffset) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '2026-02-03 05:05:06.25+01\n2026-07-01 12:00:00+02\n' | bloomery build --key-form timestamptz "
      "-p 1e-6 -o f; "
      "bloomery query f -e '2026-02-03 04:05:06.25+00' -e 2026-02-03T09:50:06.250000+05:45 -e "
      "2026-07-01T10:00:00.000Z "
      "-e '2026-02-03 05:05:06.25+00'; echo 2026-12-24T18:00:00+01:00 | bloomery add f; bloomery query f -e "
      "'2026-12-24 17:00:00+00'; bloomery inspect --json f | jq -r .key_form; bloomery query f -e "
      "'2026-02-03 04:05:06.25'");
  EXPECT_EQ(ran.out,
            "2026-02-03 04:05:06.25+00\n2026-02-03T09:50:06.250000+05:45\n2026-07-01T10:00:00.000Z\n"
            "2026-12-24 17:00:00+00\ntimestamptz\n")
      << ran.err;
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(
      says(ran.err,
           "-e: line 1: key form timestamptz: expected a time with its offset from UTC, such as 2026-02-03 "
           "04:05:06+00, found '2026-02-03 04:05:06.25'"))
      << ran.err;
  const Ran built = shell.run(
      "printf '2026-02-03 04:05:06+00\n2026-02-03\n' | bloomery build --key-form timestamptz -o g; ls g");
  EXPECT_EQ(built.out, "");
  EXPECT_TRUE(says(built.err, "standard input: line 2: key form timestamptz: expected")) << built.err;
  const Ran text = shell.run(
      "echo '2026-02-03 05:05:06+01' | bloomery build -o t; bloomery query t -e '2026-02-03 04:05:06+00'");
  EXPECT_EQ(text.status, 1) << "a filter of lines is one of lines";
}

TEST(QueryKeys, CarriageReturnsBelongToTheKeyUnlessToldOtherwise) {
  const Shell shell;
  EXPECT_EQ(
      shell
          .run(
              "echo a | bloomery build -o a.bloom -n 1 -p 1e-6; printf 'a\\r\\n' | bloomery query -c a.bloom")
          .out,
      "0\n");
  EXPECT_EQ(shell.run("printf 'a\\r\\n' | bloomery query --crlf --no-summary a.bloom").out, "a\r\n");
}

TEST_F(Query, KeyOptionsThatAgreeWithTheFilterMayBeNamed) {
  const Ran ran = shell.run("bloomery query -c --no-summary --key-form text keys.bloom keys");
  EXPECT_EQ(ran.out, "1000\n") << ran.err;
}

// What is no URL is said also where another system's filter is asked, once, however many filters there are.
TEST(QueryKeys, LinesThatAreNoUrlsAreCountedForFiltersOfOtherSystems) {
  const Shell shell;
  shell.run(
      "printf 'http://a/\\nno\\nhttp://b/\\nnone\\n' > lines; bloomery build --no-summary --dialect guava -n "
      "10 -p 0.01 --key-form url -o g lines");
  for (const std::string filters : {"g", "g -f g"}) {
    const Ran ran = shell.run("bloomery query -c --dialect guava --key-form url " + filters + " lines");
    EXPECT_EQ(ran.out, "4\n") << ran.err;
    EXPECT_NE(ran.err.find("2 keys are no URLs"), std::string::npos) << filters << ran.err;
  }
}

}  // namespace
}  // namespace bloomery
