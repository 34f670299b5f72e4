// What a filter records of its keys, and what a command line says of them, in both directions and for every verb that reads
// keys:
//
//   the filter has it, the command line does not    the filter's counts
//   the command line has it, the filter does not    refused, and nothing is changed
//   both have it                                    taken
//   the command line says another form              refused
//   another number of parts, on either side         refused: what of a line is the key would be unclear
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// An option that a filter records, a key as it was built, and the same key as only that option makes it the same.
struct Recorded {
  std::string option;
  std::string built;
  std::string asked;
};

const std::vector<Recorded> kRecorded = {
    {"-i", "KEY", "key"},
    {"--trim", "key", " key "},
    {"--key-form hex", "DEADBEEF", "deadbeef"},
    {"--key-form int64", "7", "07"},
    {"--key-form timestamptz", "2026-02-03 05:05:06+01", "2026-02-03T04:05:06Z"},
    {"--key-form url", "HTTP://A.example", "http://a.example/"},
    {"--key-form url --sort-query", "http://a/?x=1&y=2", "http://a/?y=2&x=1"},
    {"--key-form url --drop-tracking", "http://a/?x=1&gclid=2", "http://a/?x=1"}};

// A verb that reads the key on standard input or as an argument, and has the options at %s; `shown` turns its output into 1
// if the key was known.
struct Verb {
  std::string name;
  std::string line;
  std::string shown;
};

const std::vector<Verb> kVerbs = {
    {"query", "asked | bloomery query -c %s f", ""},
    {"fpp", "asked | bloomery fpp %s f --absent -", " | sed -n 's/^false positives *//p'"},
    {"remove", "asked | bloomery remove %s --strict f", " && asked | bloomery query -cv f"},
    {"add", "asked | bloomery add %s f",
     "; bloomery inspect --json f | jq '.estimated_count == 1 or .distinct == 1' | sed s/true/1/"},
    {"except", "asked | bloomery except --summary %s f", " 2>&1 | grep -c '1 would have matched'"},
    {"report", "bloomery report --summary %s f \"$(asked)\"", " 2>&1 | grep -c '1 would have matched'"}};

std::string with(const std::string& line, const std::string& options) {
  std::string text = line;
  return text.replace(text.find("%s"), 2, options);
}

std::string built(const Recorded& recorded, const std::string& options) {
  return "rm -f f; asked() { printf '%s\\n' '" + recorded.asked + "'; }; printf '%s\\n' '" + recorded.built +
         "' | bloomery build --no-summary -t quotient -n 1000 -p 1e-6 -o f " + options + "; cp f before; ";
}

TEST(KeyAgreement, WhatTheFilterRecordsCountsIfTheCommandLineIsSilent) {
  const Shell shell;
  for (const Recorded& recorded : kRecorded) {
    for (const Verb& verb : kVerbs) {
      const Ran ran = shell.run(built(recorded, recorded.option) + with(verb.line, "") + verb.shown);
      EXPECT_TRUE(ran.out.starts_with("1\n"))
          << verb.name << " " << recorded.option << ": " << ran.out << ran.err;
    }
  }
}

TEST(KeyAgreement, TheSameOptionsAreTaken) {
  const Shell shell;
  for (const Recorded& recorded : kRecorded) {
    for (const Verb& verb : kVerbs) {
      const Ran ran =
          shell.run(built(recorded, recorded.option) + with(verb.line, recorded.option) + verb.shown);
      EXPECT_TRUE(ran.out.starts_with("1\n"))
          << verb.name << " " << recorded.option << ": " << ran.out << ran.err;
    }
  }
}

TEST(KeyAgreement, WhatTheFilterDoesNotRecordIsRefusedAndChangesNothing) {
  const Shell shell;
  for (const Recorded& recorded : kRecorded) {
    for (const Verb& verb : kVerbs) {
      const Ran ran =
          shell.run(built(recorded, "") + with(verb.line, recorded.option) + " 2> err; cmp f before");
      EXPECT_TRUE(says(shell.folder().read("err"), "contradicts the filter, whose keys are: text"))
          << verb.name << " " << recorded.option << ": " << ran.out << ran.err;
      EXPECT_EQ(ran.status, 0) << verb.name << " " << recorded.option << ran.err;
    }
  }
}

// A state of dedup is such a filter, too.
TEST(KeyAgreement, AStateIsAskedAsItWasMade) {
  const Shell shell;
  for (const Recorded& recorded : kRecorded) {
    const auto run = [&](const std::string& made, const std::string& asked) {
      return shell.run("rm -f s; printf '%s\\n' '" + recorded.built +
                       "' | bloomery dedup --no-summary --state s -n 1000 " + made +
                       " > first; cp s before; printf '%s\\n' '" + recorded.asked +
                       "' | bloomery dedup --no-summary --state s " + asked +
                       "; s=$?; cmp -s s before; echo $? > same; exit $s");
    };
    for (const std::string& same : {std::string(), recorded.option}) {
      const Ran again = run(recorded.option, same);
      EXPECT_EQ(again.status, 0) << recorded.option << again.err;
      EXPECT_EQ(again.out, "") << recorded.option << ": the line was seen";
    }
    const Ran other = run("", recorded.option);
    EXPECT_EQ(other.status, 2) << recorded.option;
    EXPECT_TRUE(says(other.err, "contradicts the filter")) << recorded.option << other.err;
    EXPECT_EQ(shell.run("cat same").out, "0\n") << recorded.option;
  }
}

// Another form, and another number of parts, are refused whatever the filter has.
TEST(KeyAgreement, AnotherFormAndOtherPartsAreRefusedInBothDirections) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("printf '1\\t2\\n' > in; b() { bloomery build --no-summary -t quotient -n 100 -p 0.01 "
                     "\"$@\" in; }; "
                     "b -o one -k 1; b -o two -k 1,2; b -o text; b -o int64 -k 1 --key-form int64")
                .status,
            0);
  for (const std::string verb : {"query", "add", "remove", "except", "fpp --absent in", "dedup --state"}) {
    for (const std::string wrong :
         {"two -k 1", "two", "one -k 1,2", "text -k 1,2", "int64 -k 1 --key-form text",
          "int64 -k 1 --key-form hex", "text --key-form url"}) {
      const std::string input = says(verb, "absent") ? "" : " < in";
      const Ran ran = shell.run("cp " + wrong.substr(0, wrong.find(' ')) + " f; cp f before; bloomery " +
                                verb + " f" + (says(wrong, " ") ? wrong.substr(wrong.find(' ')) : "") +
                                input + "; s=$?; cmp f before || s=9; exit $s");
      EXPECT_EQ(ran.status, 2) << verb << " " << wrong << ran.err;
    }
  }
}

// The number of a field, the delimiter and the ends of lines belong to the stream, so that they may differ.
TEST(KeyAgreement, WhereTheKeyStandsInALineIsNotRecorded) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf 'a,key\\r\\n' | bloomery build --no-summary -n 10 -p 1e-6 -k 2 -d , --crlf -o f; "
      "printf 'key\\tb\\0' | bloomery query -c -z -k 1 f; echo key | bloomery query -c f");
  EXPECT_EQ(ran.out, "1\n1\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
