// Canonical URLs as keys, as a user meets them: --key-form url through every verb.
#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

// Five spellings of two URLs, and one that is another.
constexpr const char* kPages =
    "printf '%s\\n' http://example.com/ 'https://example.com/a/c?b=2&a=1' > pages\n"
    "printf '%s\\n' HTTP://Example.COM:80 http://example.com:/#top 'https://EXAMPLE.com/%61/b/../c?b=2&a=1' "
    "'http://example.com./' > spellings\n";

TEST(Urls, AnySpellingIsFoundInEveryType) {
  for (const std::string type :
       {"bloom", "blocked:dense", "counting", "quotient", "scalable", "windowed --window 100", "ribbon",
        "bloom --exact-below 100", "bloom --keyed"}) {
    const Shell shell;
    const Ran ran =
        shell.run(std::string(kPages) + "bloomery build -t " + type +
                  " -o f -p 1e-6 --key-form url pages; bloomery query f spellings; bloomery inspect f | "
                  "grep key_form; bloomery inspect --verify f");
    EXPECT_EQ(ran.out,
              "HTTP://Example.COM:80\nhttp://example.com:/#top\nhttps://EXAMPLE.com/%61/b/../c?b=2&a=1\n"
              "key_form         url\nf: ok\n")
        << type << ran.err;
  }
}

TEST(Urls, OptionsAreRecordedAndApplied) {
  const Shell shell;
  shell.run(
      "echo 'http://a/?b=2&utm_source=x&a=1' | bloomery build -o f -n 100 -p 1e-6 --key-form url "
      "--sort-query "
      "--drop-tracking --no-summary");
  const Ran ran = shell.run(
      "printf '%s\\n' 'http://a?a=1&b=2' 'http://a/?gclid=5&b=2&a=1#x' 'http://a/?a=1' > q; bloomery query f "
      "q\n"
      "bloomery query -c --key-form url --sort-query --drop-tracking f q; bloomery inspect --json f | jq -r "
      ".key_form");
  EXPECT_EQ(ran.out, "http://a?a=1&b=2\nhttp://a/?gclid=5&b=2&a=1#x\n2\nurl,sort-query,drop-tracking\n")
      << ran.err;
}

// A filter as it was written when canonical URLs entered version 1: other spellings find their keys in it,
// and make the same bytes.
TEST(Urls, TheGoldenFileKnowsOtherSpellings) {
  const Shell shell;
  shell.folder().write("golden", golden_file("native/four_urls_v1.bloom"));
  shell.run(
      "printf '%s\\n' HTTP://EXAMPLE.com:80/?utm_source=a 'http://b\xc3\xbc"
      "cher.example/x/../\xc3\xbc' "
      "'https://[2001:DB8:0::1]:08443/%61%2fb?b=2&gclid=1&a=1#c' MAILTO:%4Aohn.Doe@example.com 'no url' > "
      "spellings");
  const Ran asked = shell.run(
      "bloomery query -c golden spellings; printf 'http://example.com/?\\nNo URL\\n' | "
      "bloomery query -c golden");
  EXPECT_EQ(asked.out, "5\n0\n") << asked.err;
  const Ran built = shell.run(
      "bloomery build -t bloom -o again -n 5 -p 1e-4 --key-form url --sort-query "
      "--drop-tracking --note 'four URLs and a text' spellings; cmp again golden");
  EXPECT_EQ(built.status, 0) << built.out << built.err;
}

TEST(Urls, KeysGoThroughEveryVerb) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo http://a/ | bloomery build -t counting -o f -n 100 -p 1e-6 --key-form url\n"
      "echo HTTP://B:80 | bloomery add f; echo http://b/#x | bloomery query f\n"
      "echo http://B | bloomery remove --strict f; echo http://b/ | bloomery query -c f\n"
      "bloomery query -c --allow <(echo HTTP://A) f <(echo http://a/)\n"
      "bloomery fpp f --absent <(echo http://A; echo http://C) | grep 'false positives'\n"
      "seq -f 'http://c/%g' 1 1000 | bloomery build -o g -n 1000 -p 0.5 --key-form url\n"
      "seq -f 'HTTP://D:80/./%g' 1 1000 | bloomery except g; seq -f 'http://d/%g' 1 1000 | bloomery query -c "
      "g\n"
      "first=$(seq -f 'http://e/%g' 1 1000 | bloomery query -m 1 g); bloomery report g "
      "\"HTTP://E:80/${first##*/}\"\n"
      "echo \"$first\" | bloomery query -c g; seq -f 'http://c/%g#' 1 1000 | bloomery query -c g");
  EXPECT_EQ(ran.out, "http://b/#x\n0\n0\nfalse positives  1\n0\n0\n1000\n") << ran.err;
}

TEST(Urls, WhatIsNoneIsTakenAsItIsAndCountedOnce) {
  const Shell shell;
  shell.run("printf '%s\\n' http://a/ not-one HTTP://%zz/ '' 'http://\xff/' > lines; mkfifo empty");
  const std::string said = "4 keys are no URLs and were taken as they are";
  for (const std::string build : {"", "-t ribbon ", "--exact-below 10 ", "--dialect guava "}) {
    const Ran built =
        shell.run("bloomery build --force -o f -n 100 -p 1e-6 --key-form url " + build + "lines");
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_TRUE(says(built.err, "bloomery build: " + said + "\n")) << build << built.err;
  }
  shell.run("bloomery build --force -t counting -o f -n 100 -p 1e-6 --key-form url lines");
  for (const std::string verb :
       {"query f lines", "query -f f f lines", "query --allow lines f lines", "add f lines",
        "add --strict f lines", "remove f lines", "except f lines", "fpp f --absent lines"}) {
    const Ran ran = shell.run("bloomery " + verb);
    const std::size_t at = ran.err.find(said);
    EXPECT_NE(at, std::string::npos) << verb << ran.err;
    EXPECT_EQ(ran.err.find(said, at + 1), std::string::npos) << verb << ran.err;
    if (!verb.starts_with("fpp")) {
      EXPECT_EQ(shell.run("bloomery " + verb + " --no-summary").err.find("no URLs"), std::string::npos)
          << verb;
    }
  }
  EXPECT_TRUE(says(shell.run("bloomery report f not-two http://x HTTP").err, "2 keys are no URLs"));
  EXPECT_FALSE(says(shell.run("bloomery query -q f lines").err, "no URLs"));
  EXPECT_FALSE(says(shell.run("echo http://x | bloomery query --allow lines f").err, "no URLs"));
  const Ran asked =
      shell.run("bloomery build --force -o f -n 100 -p 1e-6 --key-form url lines; bloomery query f lines");
  EXPECT_EQ(asked.out, "http://a/\nnot-one\nHTTP://%zz/\n\nhttp://\xff/\n");
}

TEST(Urls, ContradictionsAreErrors) {
  const Shell shell;
  shell.run(
      "echo http://a/ > k; for o in '' --sort-query --drop-tracking; do bloomery build -o url$o -n 100 -p "
      "0.01 "
      "--key-form url $o k; done; bloomery build -o text -n 100 -p 0.01 k");
  const std::pair<const char*, const char*> requests[] = {
      {"query --key-form url text k", "--key-form: contradicts the filter, whose keys are: text"},
      {"query --key-form text url k", "--key-form: contradicts the filter, whose keys are: url"},
      {"query --key-form url --sort-query url k",
       "--sort-query: contradicts the filter, whose keys are: url"},
      {"query --key-form url --drop-tracking url--sort-query k",
       "--drop-tracking: contradicts the filter, whose keys are: url,sort-query"},
      {"query -i url k", "-i: contradicts"},
      {"add --key-form url text k", "--key-form: contradicts"},
      {"build -o new -n 9 -p 0.1 --sort-query k", "--sort-query: expected with --key-form url"},
      {"build -o new -n 9 -p 0.1 --key-form hex --drop-tracking k",
       "--drop-tracking: expected with --key-form url"},
      {"build -o new -n 9 -p 0.1 --key-form URL k",
       "expected text, hex, int32, int64, utf16, url, timestamptz, cidr, domain-suffix or url-prefix, found "
       "'URL'"},
      {"merge -o new url url--sort-query", "different"},
      {"merge -o new url--drop-tracking url--sort-query", "different"},
      {"merge -o new url text", "different"}};
  for (const auto& [request, message] : requests) {
    const Ran ran = shell.run(std::string("bloomery ") + request);
    EXPECT_EQ(ran.status, 2) << request;
    EXPECT_TRUE(says(ran.err, message)) << request << ": " << ran.err;
  }
  EXPECT_EQ(shell
                .run("bloomery merge -o same url--sort-query url--sort-query; bloomery inspect same | grep "
                     "key_form; ls new 2>&1 | grep -c No")
                .out,
            "key_form         url,sort-query\n1\n");
}

TEST(Urls, InFieldsAndWithOtherTreatments) {
  const Shell shell;
  const Ran ran = shell.run(
      "printf '200 HTTP://A:80/B?Y&x me\\r\\n' | bloomery build -o f -n 10 -p 1e-6 -k 2 -d ' ' -i --trim "
      "--crlf "
      "--key-form url --sort-query; echo ' http://a/b?x&y#z ' | bloomery query -k 1 -d , f\n"
      "printf 'HTTP://A\\0http://b\\0' | bloomery build -o z -n 10 -p 1e-6 -z --key-form url\n"
      "printf 'http://a/\\nhttp://B\\n' | bloomery query -c z\n"
      "printf 'HTTP://A,x\\n' | bloomery build -o c -n 10 -p 1e-6 -k 1,2 -d , --key-form url; printf "
      "'http://a/,x\\n' "
      "| bloomery query -c -k 1,2 -d , c; bloomery inspect c | grep key_form\n"
      "echo HTTP://A | zstd | bloomery query -c z");
  EXPECT_EQ(ran.out, " http://a/b?x&y#z \n2\n1\nkey_form         url,parts=2\n1\n") << ran.err;
}

// A dialect's key is the text of the canonical URL, which its own system can ask for.
TEST(Urls, OfDialectsTheTextIsTheKey) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo HTTP://A:80/./b | bloomery build --dialect dcso -o f -n 10 -p 1e-6 --key-form url\n"
      "echo http://a/b | bloomery query --dialect dcso -c f; echo HTTP://A:80/./b | bloomery query --dialect "
      "dcso -c f\n"
      "echo HTTP://A:80/./b | bloomery query --dialect dcso --key-form url -c f\n"
      "echo HTTP://C | bloomery add --dialect dcso --key-form url f; echo http://c/ | bloomery query "
      "--dialect dcso -c f");
  EXPECT_EQ(ran.out, "1\n0\n1\n1\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
