// Block lists, as a user meets them: --cidr, --domain-suffix and --url-prefix through every verb.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

// All types that a block list can be of.
const std::vector<std::string> kListTypes = {"blocked:fast",
                                             "blocked:dense",
                                             "ribbon",
                                             "bloom",
                                             "counting",
                                             "quotient",
                                             "scalable",
                                             "bloom --exact-below 100",
                                             "bloom --keyed",
                                             "ribbon -n 10",
                                             "bloom -n 10 --questions 5"};

TEST(BlockLists, AnAddressIsInIfANetworkHoldsItInEveryType) {
  for (const std::string& type : kListTypes) {
    const Shell shell;
    const Ran ran = shell.run(
        "printf '%s\\n' 10.0.0.0/8 192.0.2.7 2001:db8::/32 > list\n"
        "bloomery build --cidr -t " +
        type +
        " -o f -p 1e-6 --no-summary list; printf '%s\\n' 10.1.2.3 11.1.2.3 192.0.2.7 192.0.2.8 2001:db8:1::1 "
        "2001:db9::1 ::ffff:10.9.9.9 10.7.0.0/16 10.0.0.0/7 > asked\n"
        "bloomery query f asked; bloomery inspect f | grep -E '^(key_form|levels|questions)'; "
        "bloomery inspect --verify f");
    const bool keyed = type.ends_with("--keyed");
    EXPECT_EQ(ran.out, std::string("10.1.2.3\n192.0.2.7\n2001:db8:1::1\n::ffff:10.9.9.9\n10.7.0.0/16\n"
                                   "key_form         cidr\n") +
                           (keyed ? "questions        null\n"
                                  : "levels           IPv4 /8 /32, IPv6 /32\nquestions        2\n") +
                           "f: ok\n")
        << type << ran.err;
    EXPECT_EQ(ran.err, "") << type;
  }
}

TEST(BlockLists, AHostNameIsInIfAParentDomainIs) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '%s\\n' Example.COM. ads.example.org b\xc3\xbc"
      "cher.example > list\n"
      "bloomery build --domain-suffix -o f -p 1e-6 --no-summary list\n"
      "printf '%s\\n' example.com a.b.EXAMPLE.com. org example.org x.ads.example.org notexample.com 1.2.3.4 "
      "www.xn--bcher-kva.example com > asked\n"
      "bloomery query f asked; bloomery query --answers f asked | tr '\\n' ' '; bloomery query -v -c f "
      "asked; "
      "bloomery query -e a.example.com -c f; bloomery inspect f | grep levels");
  EXPECT_EQ(ran.out,
            "example.com\na.b.EXAMPLE.com.\nx.ads.example.org\nwww.xn--bcher-kva.example\n"
            "1 1 0 0 1 0 0 1 0 5\n1\nlevels           2 and 3 labels\n")
      << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST(BlockLists, AUrlIsInIfAHostOrPathAboveItIs) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '%s\\n' evil.example http://www.shop.example/a/ 'https://x.example/p?q=1' 192.0.2.1/x > list\n"
      "bloomery build --url-prefix -o f -p 1e-6 --no-summary list\n"
      "printf '%s\\n' http://evil.example/ https://a.b.evil.example:8080/x/y http://shop.example/a/ "
      "http://www.shop.example/a/b/c?d http://www.shop.example/a http://x.example/p "
      "'http://y.x.example/p?q=1' "
      "http://192.0.2.1/x?z http://1.2.3.4/x > asked\n"
      "bloomery query f asked; bloomery inspect f | grep -E '^questions'");
  EXPECT_EQ(ran.out,
            "http://evil.example/\nhttps://a.b.evil.example:8080/x/y\nhttp://www.shop.example/a/b/c?d\n"
            "http://y.x.example/p?q=1\nhttp://192.0.2.1/x?z\nquestions        30\n")
      << ran.err;
}

TEST(BlockLists, BadEntriesAreNamedWithTheirLine) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> kBad = {
      {"--cidr",
       {"10.0.0.0/33", "1.2.3", "::/129", "010.0.0.1", "10.1.2.3/8", "", "10.0.0.0 /8", "example.com",
        "10.0.0.0-10.0.0.9", "fe80::1%eth0"}},
      {"--domain-suffix",
       {"a..b", "*.example.com", ".example.com", std::string(64, 'a') + ".com", "1.2.3.4", "::1", "com",
        "co.uk", "github.io", "a b.com", "||example.com^", "http://example.com/", "b\xc3.example", ""}},
      {"--url-prefix", {"", "/x", "mailto:a@b", "http://", "co.uk", "http://com/", "http://a b/"}},
  };
  for (const auto& [form, entries] : kBad) {
    for (const std::string& bad : entries) {
      const Shell shell;
      const std::string good = form == "--cidr" ? "10.0.0.0/8" : "example.com";
      shell.folder().write("list", good + "\n" + bad + "\n" + good + "\n");
      const Ran ran = shell.run("bloomery build " + form + " -o f list");
      EXPECT_EQ(ran.status, 2) << form << " " << bad;
      EXPECT_TRUE(says(ran.err, "list: line 2: key form " + form.substr(2) + ": expected ") ||
                  says(ran.err, "list: line 2: key form " + form.substr(2)))
          << ran.err;
      EXPECT_TRUE(says(ran.err, "expected ")) << ran.err;
      EXPECT_FALSE(says(shell.run("ls").out, "f\n")) << "a filter was written";
      const Ran skipped = shell.run("bloomery build " + form +
                                    " --skip-bad-lines -o f list; bloomery query -c f <(echo " + good + ")");
      EXPECT_EQ(skipped.out, "1\n") << form << " " << bad << skipped.err;
      EXPECT_TRUE(says(skipped.err, "1 bad line was left out")) << skipped.err;
    }
  }
}

TEST(BlockLists, RulesForEntriesCanBeLifted) {
  const Shell shell;
  const Ran masked = shell.run(
      "echo 10.1.2.3/8 | bloomery build --cidr --mask-host-bits -o f --no-summary -p 1e-6; bloomery query f "
      "-e "
      "10.9.9.9 -e 11.0.0.0\n"
      "echo 12.1.1.1/8 | bloomery add f; echo 12.1.1.1/8 | bloomery add --mask-host-bits f --no-summary; "
      "bloomery "
      "query f -e 12.3.4.5");
  EXPECT_EQ(masked.out, "10.9.9.9\n12.3.4.5\n") << masked.err;
  EXPECT_TRUE(says(masked.err, "zeros behind the first 8 bits of the address (--mask-host-bits clears them)"))
      << masked.err;
  const Ran suffix = shell.run(
      "echo co.uk | bloomery build --domain-suffix --public-suffixes -o g --no-summary -p 1e-6; "
      "bloomery query g -e a.b.co.uk -e co.uk -e uk");
  EXPECT_EQ(suffix.out, "a.b.co.uk\nco.uk\n") << suffix.err;
  const Ran added = shell.run("echo com | bloomery add g; bloomery query g -e a.com");
  EXPECT_TRUE(says(added.err, "line 1: key form domain-suffix: expected a name that somebody registered"))
      << added.err;
  EXPECT_EQ(added.out, "");
}

// -p is of an address that asks all questions; the file records that of one.
TEST(BlockLists, TheJointFppIsPlannedAndShown) {
  const Shell shell;
  shell.run(
      "for i in $(seq 0 999); do echo 10.$((i / 250)).$((i % 250)).0/24; echo 172.16.$((i / 250)).$((i % "
      "250)); "
      "done > list; for i in 17 18 19 20 21 22 23 25; do echo 11.0.0.0/$i; done >> list");
  const Ran built = shell.run("bloomery build --summary --cidr -t bloom -o f -p 0.01 list");
  EXPECT_TRUE(says(built.err, "2,018 keys")) << built.err;  // and ten levels
  EXPECT_TRUE(says(built.err, " for an address (10 questions, ")) << built.err;
  EXPECT_TRUE(says(built.err, "; asked 0.01)")) << built.err;
  const Ran inspected = shell.run(
      "bloomery inspect --json f | jq -r '[.questions, (.joint_fpp > 0.008 and .joint_fpp < 0.012), "
      "(.joint_target > 0.00999 and .joint_target < 0.01001), (.target_fpp < 0.00101)] | map(tostring) | "
      "join(\" \")'");
  EXPECT_EQ(inspected.out, "10 true true true\n") << inspected.err;
  const Ran measured = shell.run(
      "awk 'BEGIN { srand(19); for (i = 0; i < 100000; ++i) printf \"%d.%d.%d.%d\\n\", 192 + rand() * 32, "
      "rand() * "
      "256, rand() * 256, rand() * 256 }' > absent; bloomery fpp --json f --absent absent | jq -r "
      "'[(.interval_999[0] <= .predicted_fpp and .predicted_fpp <= .interval_999[1]), .questions, "
      ".most_questions, (.measured_fpp < 0.013 and .measured_fpp > 0.007)] | map(tostring) | join(\" \")'; "
      "bloomery fpp f --absent absent | grep -E '^(questions|target|fpp of one)' | cut -c1-30");
  EXPECT_TRUE(
      measured.out.starts_with("true 10 10 true\ntarget fpp       0.01 (at 2,01\nquestions        10 a "
                               "line, at\nfpp of one       9.98"))
      << measured.out << measured.err;
  const Ran asked = shell.run("head -n 1000 absent | bloomery query --summary -c f");
  EXPECT_TRUE(says(asked.err, ", of one question 9.98")) << asked.err;
  EXPECT_TRUE(says(asked.err, "; 10 questions a line, at most 10)")) << asked.err;
}

TEST(BlockLists, TheNumberOfQuestionsMayBeSaid) {
  const Shell shell;
  const Ran built = shell.run(
      "echo 10.0.0.0/8 | bloomery build --summary --cidr -t bloom -o f -n 1000 -p 0.01 --questions 10");
  EXPECT_EQ(shell.run("bloomery inspect --json f | jq '.target_fpp < 0.00101 and .target_fpp > 0.001'").out,
            "true\n");
  EXPECT_TRUE(says(built.err, "(1 question, ")) << built.err;
  const Ran estimated = shell.run("bloomery estimate -n 1000 -p 0.01 --questions 10 -t bloom");
  EXPECT_TRUE(says(estimated.out, "a text that asks 10 questions: fpp 0.0")) << estimated.out;
  EXPECT_EQ(shell
                .run("bloomery estimate -n 1000 -p 0.01 --questions 10 -t bloom --json | jq '.questions, "
                     "(.joint_fpp < "
                     "0.0101)'")
                .out,
            "10\ntrue\n");
  for (const char* const bad : {"0", "1001", "x"}) {
    const Ran ran = shell.run(std::string("echo ::/0 | bloomery build --cidr -o g --questions ") + bad);
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(says(ran.err, "--questions")) << ran.err;
  }
  EXPECT_TRUE(says(shell.run("echo a | bloomery build -o g --questions 2").err,
                   "--questions: expected with --cidr, --domain-suffix or --url-prefix"));
}

TEST(BlockLists, LevelsThatAreAddedLaterAreAsked) {
  for (const std::string type : {"bloom", "counting", "quotient", "scalable", "bloom --exact-below 100"}) {
    const Shell shell;
    const Ran ran =
        shell.run("echo 10.0.0.0/8 | bloomery build --cidr -t " + std::string(type) +
                  " -o f -n 100 -p 1e-6 --no-summary; echo 172.16.0.0/12 | bloomery add f --no-summary; "
                  "bloomery query f -e 172.31.1.1 -e 10.1.1.1 -e 172.32.0.0; bloomery inspect f | grep "
                  "levels");
    EXPECT_EQ(ran.out, "172.31.1.1\n10.1.1.1\nlevels           IPv4 /8 /12\n") << type << ran.err;
  }
}

// Removing the last network of a length leaves the length, and other networks of it, alone.
TEST(BlockLists, RemovingAnEntryLeavesTheOthers) {
  for (const std::string type : {"counting", "quotient"}) {
    const Shell shell;
    const Ran ran = shell.run("printf '%s\\n' 10.0.0.0/8 11.0.0.0/8 1.2.3.4 | bloomery build --cidr -t " +
                              std::string(type) +
                              " -o f -n 100 -p 1e-6 --no-summary\n"
                              "printf '%s\\n' 10.0.0.0/8 1.2.3.4 | bloomery remove --strict f --no-summary; "
                              "bloomery query f -e 10.1.1.1 -e "
                              "11.1.1.1 -e 1.2.3.4; bloomery inspect f | grep levels");
    EXPECT_EQ(ran.out, "11.1.1.1\nlevels           IPv4 /8 /32\n") << type << ran.err;
  }
}

TEST(BlockLists, MergedListsHaveTheLevelsOfBoth) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo 10.0.0.0/8 | bloomery build --cidr -o a -n 100 -p 1e-6 --questions 4 --no-summary\n"
      "echo 172.16.0.0/12 | bloomery build --cidr -o b -n 100 -p 1e-6 --questions 4 --no-summary\n"
      "bloomery merge --summary -o c a b; bloomery query c -e 10.1.1.1 -e 172.31.1.1 -e 172.32.0.0; bloomery "
      "inspect c "
      "| grep "
      "levels");
  EXPECT_EQ(ran.out, "10.1.1.1\n172.31.1.1\nlevels           IPv4 /8 /12\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "for an address (2 questions, ")) << ran.err;
}

TEST(BlockLists, APartOfALineIsAsked) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo 10.0.0.0/8 | bloomery build --cidr -o f --no-summary -p 1e-6\n"
      "printf '%s\\n' 'GET 10.1.1.1 /' 'GET 11.1.1.1 /' 'bad' | bloomery query -k 2 -d ' ' --missing skip f\n"
      "printf '{\"ip\":\"10.1.1.1\"}\\n{\"ip\":\"no\"}\\n' | bloomery query --json-field ip --skip-bad-lines "
      "f\n"
      "printf ' 10.1.1.1\\n' | bloomery query -c f; bloomery query --cidr -c f -e 10.1.1.1");
  EXPECT_EQ(ran.out, "GET 10.1.1.1 /\n{\"ip\":\"10.1.1.1\"}\n1\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "found ' 10.1.1.1'")) << ran.err;
}

TEST(BlockLists, TwoListsAreAskedAtOnce) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo 10.0.0.0/8 | bloomery build --cidr -o a --no-summary -p 1e-6\n"
      "echo 192.0.2.0/24 | bloomery build --cidr -o b --no-summary -p 1e-6\n"
      "printf '%s\\n' 10.1.1.1 192.0.2.9 192.0.3.9 x | bloomery query --skip-bad-lines -f b a");
  EXPECT_EQ(ran.out, "10.1.1.1\n192.0.2.9\n") << ran.err;
}

TEST(BlockLists, WhatTheyCannotDoIsRefusedByName) {
  const Shell shell;
  shell.run(
      "echo 10.0.0.0/8 | bloomery build --cidr -o f --no-summary; echo a > text; bloomery build -o t text");
  const std::vector<std::pair<std::string, std::string>> kRefused = {
      {"bloomery dedup --cidr text", "expected no block list, found the key form cidr"},
      {"bloomery dedup --key-form url-prefix text", "expected no block list, found the key form url-prefix"},
      {"bloomery dedup --state f text", "f: expected no block list, found the key form cidr"},
      {"bloomery except f text", "expected no block list, found the key form cidr"},
      {"bloomery build --cidr --exceptions text -o g -- text", "--exceptions: expected no block list"},
      {"bloomery build --domain-suffix -t windowed --window 10 -o g text",
       "-t windowed: expected no block list"},
      {"bloomery build --cidr -t ribbon --partition 2 -o g text", "--partition: expected no block list"},
      {"bloomery build --domain-suffix -t ribbon --resume r -n 10 -o g text",
       "--resume: expected no block list"},
      {"bloomery build --cidr --dialect guava -n 10 -p 0.1 -o g text", "--cidr: expected no block list"},
      {"bloomery build --cidr -k 1,2 -o g text", "-k: expected one field for a block list, found 1,2"},
      {"bloomery build --cidr --domain-suffix -o g text",
       "--domain-suffix: expected one form of keys, found cidr"},
      {"bloomery build --cidr --key-form hex -o g text", "--cidr: expected one form of keys, found hex too"},
      {"bloomery build --cidr --hash md5 -o g text",
       "--hash: expected with --key-form hex or without, found 'cidr'"},
      {"bloomery build --mask-host-bits -o g text",
       "--mask-host-bits: expected keys of the form cidr, found text"},
      {"bloomery build --public-suffixes --cidr -o g text", "--public-suffixes: expected keys of the form"},
      {"bloomery build --url-prefix --sort-query -o g text", "--sort-query: expected with --key-form url"},
      {"bloomery query --domain-suffix f text",
       "--domain-suffix: contradicts the filter, whose keys are: cidr"},
      {"bloomery query --cidr t text", "--cidr: contradicts the filter, whose keys are: text"},
      {"bloomery query --allow text f text", "--allow: expected a filter with one key for a line"},
      {"bloomery add f text", "text: line 1: key form cidr: expected an address of IPv4 or IPv6 at byte 0"},
      {"bloomery query f text", "text: line 1: key form cidr: expected an address of IPv4 or IPv6 at byte 0"},
  };
  for (const auto& [command, message] : kRefused) {
    const Ran ran = shell.run(command);
    EXPECT_EQ(ran.status, 2) << command << ran.err;
    EXPECT_TRUE(says(ran.err, message)) << command << "\n" << ran.err;
  }
}

TEST(BlockLists, EntriesThatLieTooDeepAreCounted) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '%s\\n' a.example/1/2/3/4/ b.c.d.e.f.g.example c.example/1/2/3/ | bloomery build --url-prefix "
      "-o f "
      "--no-summary");
  EXPECT_TRUE(says(ran.err, "warning: 2 entries lie so deep that no longer URL asks for them")) << ran.err;
}

// Ten levels of a tiny list do not make it overfull.
TEST(BlockLists, LevelsHaveRoomBesideTheEntries) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '%s\\n' 10.0.0.0/8 1.2.3.4 ::/0 > list; bloomery build --cidr -o f -n 3 list; bloomery build "
      "--strict "
      "--cidr -o g -n 3 list; bloomery build --strict -t ribbon --cidr -o h -n 3 list; ls f g h");
  EXPECT_EQ(ran.out, "f\ng\nh\n") << ran.err;
  EXPECT_FALSE(says(ran.err, "over capacity")) << ran.err;
}

// Filters as they were written when block lists entered version 1: other texts find their entries, and other spellings
// make the same bytes.
TEST(BlockLists, TheGoldenFilesAnswerAndAreMadeAgain) {
  struct Golden {
    std::string file;
    std::string option;
    std::string note;
    std::string entries;
    std::string held;
    std::string other;
  };
  const std::vector<Golden> kGolden = {
      {"three_networks_v1.bloom", "--cidr", "three networks",
       "192.0.2.7/32\n::ffff:10.0.0.0/104\n2001:DB8:0::/32\n", "10.9.9.9\n2001:db8:9::1\n192.0.2.7\n",
       "192.0.2.8\n2001:db9::1\n11.0.0.0\n"},
      {"three_domains_v1.bloom", "--domain-suffix", "three domains",
       "example.com\nADS.example.org.\nxn--bcher-kva.example\n", "a.example.com\nx.y.ads.example.org\n",
       "example.org\nbcher.example\n"},
      {"three_url_prefixes_v1.bloom", "--url-prefix", "three prefixes",
       "http://EVIL.example.:80\nshop.example/./free/#top\nftp://192.0.2.1/x?y\n",
       "http://a.evil.example/b\nhttp://shop.example/free/a/b\n",
       "http://shop.example/\nhttp://192.0.2.1/x\n"}};
  for (const Golden& golden : kGolden) {
    const Shell shell;
    shell.folder().write("golden", golden_file("native/" + golden.file));
    shell.folder().write("entries", golden.entries);
    shell.folder().write("asked", golden.entries + golden.held + golden.other);
    const Ran asked = shell.run("bloomery query golden asked");
    EXPECT_EQ(asked.out, golden.entries + golden.held) << golden.file << asked.err;
    const Ran built = shell.run("bloomery build " + golden.option + " -t bloom -o again -p 1e-4 --note '" +
                                golden.note + "' entries; cmp again golden");
    EXPECT_EQ(built.status, 0) << golden.file << built.out << built.err;
  }
}

TEST(BlockLists, AnEmptyListHoldsNothing) {
  const Shell shell;
  const Ran ran = shell.run(
      "bloomery build --allow-empty --cidr -o f < /dev/null; bloomery query -c f -e 10.0.0.0 -e ::1; "
      "bloomery inspect f | "
      "grep -E "
      "'^(questions|joint_fpp)'");
  EXPECT_EQ(ran.out, "0\nquestions        0\njoint_fpp        0.0\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
