// Wrong and missing verbs and options: what the command says was probably meant, and its help.
#include "cli/suggestion.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

using cli::edit_distance;
using cli::probably_meant;

TEST(Suggestion, CountsLettersPutInLeftOutReplacedAndSwapped) {
  EXPECT_EQ(edit_distance("build", "build"), 0);
  EXPECT_EQ(edit_distance("", "build"), 5);
  EXPECT_EQ(edit_distance("build", ""), 5);
  EXPECT_EQ(edit_distance("buld", "build"), 1);
  EXPECT_EQ(edit_distance("buildd", "build"), 1);
  EXPECT_EQ(edit_distance("built", "build"), 1);
  EXPECT_EQ(edit_distance("biuld", "build"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Suggestion, OnlyWhatIsNearIsMeant) {
  const std::vector<std::string> verbs = {"estimate", "build", "add", "fpp", "query"};
  EXPECT_EQ(probably_meant("biuld", verbs), "build");
  EXPECT_EQ(probably_meant("esimtate", verbs), "estimate");
  EXPECT_EQ(probably_meant("fp", verbs), "fpp");
  EXPECT_EQ(probably_meant("frobnicate", verbs), std::nullopt);
  EXPECT_EQ(probably_meant("", verbs), std::nullopt);
  EXPECT_EQ(probably_meant(std::string(100'000, 'q'), verbs), std::nullopt);
  EXPECT_EQ(probably_meant("x", std::vector<std::string>{}), std::nullopt);
}

TEST(Suggestion, ABeginningIsMeantWhereNoWholeWordIsNear) {
  const std::vector<std::string> options = {"--invert-match", "--index", "--line-number", "--no-filename"};
  EXPECT_EQ(probably_meant("--invrt", options), "--invert-match");
  EXPECT_EQ(probably_meant("--line", options), "--line-number");
  EXPECT_EQ(probably_meant("--no", options), std::nullopt);
  EXPECT_EQ(probably_meant("--frobnicate", options), std::nullopt);
}

TEST(Suggestion, VerbsAndOptionsAreMeant) {
  const Shell shell;
  for (const auto& [line, meant] : std::vector<std::pair<std::string, std::string>>{
           {"biuld -o f", "found 'biuld'; did you mean build?"},
           {"help qeury", "found 'qeury'; did you mean query?"},
           {"help nothing", "expected a verb, one of estimate build add"},
           {"help nothing", "found 'nothing'"},
           {"help --all nothing", "found 'nothing'"},
           {"help hfile inof", "did you mean info?"},
           {"unqi", "did you mean uniq?"},
           {"hfile inof x", "bloomery hfile: expected a verb, one of info"},
           {"hfile inof x", "did you mean info?"},
           {"--vresion", "did you mean --version?"},
           {"build --ouptut f", "--output is required; found --ouptut; did you mean --output?"},
           {"build -o f --bits-perkey=9", "; did you mean --bits-per-key?"},
           {"build -o f -fpp 0.1", "; did you mean --fpp?"}}) {
    const Ran ran = shell.run("bloomery " + line + " < /dev/null");
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_TRUE(says(ran.err, meant)) << line << ": " << ran.err;
  }
  EXPECT_FALSE(says(shell.run("bloomery frobnicate").err, "did you mean"));
  EXPECT_FALSE(says(shell.run("bloomery build -o f --frobnicate x < /dev/null").err, "did you mean"));
}

// A command without a verb is wrong, and its help is not output.
TEST(Suggestion, WithoutAVerbTheHelpIsOnStandardError) {
  const Shell shell;
  const Ran bare = shell.run("bloomery");
  EXPECT_EQ(bare.status, 2);
  EXPECT_EQ(bare.out, "");
  const Ran help = shell.run("bloomery --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(bare.err, help.out);
  const Ran hfile = shell.run("bloomery hfile");
  EXPECT_EQ(hfile.status, 2);
  EXPECT_EQ(hfile.err, shell.run("bloomery hfile --help").out);
}

TEST(Suggestion, HelpIsAVerbThatRunsNothing) {
  const Shell shell;
  for (const std::string verb : {"", "build", "query", "uniq", "hfile", "hfile get"}) {
    const Ran ran = shell.run("bloomery help " + verb);
    EXPECT_EQ(ran.status, 0) << verb << ran.err;
    EXPECT_EQ(ran.out, shell.run("bloomery " + verb + " --help").out) << verb;
  }
  const Ran more = shell.run("seq 3 > k; bloomery help build -o f k; ls f");
  EXPECT_TRUE(says(more.out, "Usage: bloomery build ")) << more.err;
  EXPECT_FALSE(says(more.out, "f\n\n")) << more.out;
  EXPECT_EQ(more.status, 2) << "ls finds no filter";
}

// A dialect that nobody knows is no dialect of the file.
TEST(Suggestion, AnUnknownDialectIsNamed) {
  const Shell shell;
  shell.run("seq 9 > k; bloomery build -o f k");
  for (const std::string line : {"query --dialect guave f k", "build --dialect guave -n 9 -o g k",
                                 "inspect --dialect guave:mitz64 f", "merge --dialect guave -o g f f"}) {
    const Ran ran = shell.run("bloomery " + line + "; s=$?; ls g; exit $s");
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_TRUE(says(ran.err, "found 'guave'; did you mean guava?")) << line << ran.err;
    EXPECT_TRUE(says(ran.err, "expected one of ")) << line << ran.err;
  }
}

// Help fits the terminal, in every verb but for its examples, and has no lists of what excludes what.
TEST(Suggestion, HelpFitsTheTerminal) {
  const Shell shell;
  for (const std::string verb :
       {"estimate", "build", "add", "remove", "query", "dedup", "except", "report", "merge", "inspect", "fpp",
        "copy", "hfile get", "hfile write", "table scan", "feed postgres"}) {
    for (const auto& [width, help] : std::vector<std::pair<int, std::string>>{
             {60, "--help"}, {100, "--help"}, {60, "--help-all"}, {100, "--help-all"}, {200, "--help-all"}}) {
      const Ran ran = shell.run("COLUMNS=" + std::to_string(width) + " bloomery " + verb + " " + help);
      EXPECT_EQ(ran.status, 0);
      EXPECT_FALSE(says(ran.out, "Excludes:")) << verb;
      EXPECT_FALSE(says(ran.out, "Needs:")) << verb;
      std::istringstream lines(ran.out.substr(std::min(ran.out.size(), ran.out.find("Positionals:"))));
      for (std::string line; std::getline(lines, line);) {
        const std::size_t words = line.find_first_not_of(' ');
        const bool one_word = words != std::string::npos && line.find(' ', words) == std::string::npos;
        EXPECT_TRUE(line.size() <= static_cast<std::size_t>(width) || one_word || line.starts_with("  -"))
            << verb << " " << width << ": " << line;
      }
    }
  }
  const Ran narrow = shell.run("COLUMNS=60 bloomery query --help");
  EXPECT_TRUE(says(narrow.out, "-v")) << narrow.out;
}

// What one needs every day on a page, and everything for those who ask for it.
TEST(Suggestion, HelpIsShortAndHelpAllIsLong) {
  const Shell shell;
  shell.run("export COLUMNS=100; declare -x COLUMNS >> env");
  for (const std::string verb : {"build", "add", "remove", "query", "dedup", "except", "report", "fpp"}) {
    const Ran brief = shell.run("bloomery " + verb + " --help | tee brief | wc -l; cat brief");
    EXPECT_LT(std::stoi(brief.out), 62) << verb;
    EXPECT_TRUE(says(brief.out, "More options, which `bloomery " + verb + " --help-all` explains:"))
        << brief.out;
    EXPECT_FALSE(says(brief.out, "  --skip-bad-lines   ")) << "it is named, not explained";
    const Ran all = shell.run("bloomery " + verb + " --help-all | tee all | wc -l; cat all");
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_GT(std::stoi(all.out), std::stoi(brief.out) + 15) << verb;
    EXPECT_TRUE(says(all.out, "What of a line is its key:\n")) << all.out;
    EXPECT_TRUE(says(all.out, "\n  --skip-bad-lines   ")) << all.out;
    EXPECT_FALSE(says(all.out, "More options")) << all.out;
    // Each option that the long one explains is named by the short one.
    const Ran unnamed = shell.run(
        "grep -oE '^  (-.,)?--?[a-z][a-z-]*' all | sed 's/.*[ ,]//' | while read -r o; do grep -qE -- "
        "\"$o([^a-z-]|$)\" "
        "brief || echo $o; done");
    EXPECT_EQ(unnamed.out, "") << verb;
  }
}

TEST(Suggestion, AVerbOfFewOptionsExplainsThemAll) {
  const Shell shell;
  for (const std::string verb : {"merge", "inspect", "copy", "hfile verify", "table list", "feed postgres"}) {
    const Ran brief = shell.run("bloomery " + verb + " --help");
    EXPECT_FALSE(says(brief.out, "More options")) << brief.out;
    EXPECT_EQ(shell.run("bloomery " + verb + " --help-all").out, brief.out) << verb;
  }
}

TEST(Suggestion, HelpAllIsAVerbToo) {
  const Shell shell;
  for (const std::string verb : {"", "query", "uniq", "hfile", "build"}) {
    const Ran all = shell.run("bloomery help --all " + verb);
    EXPECT_EQ(all.status, 0) << verb << all.err;
    EXPECT_EQ(all.out, shell.run("bloomery " + verb + " --help-all").out) << verb;
    EXPECT_EQ(all.out, shell.run("bloomery help " + verb + " --all").out) << verb;
    EXPECT_NE(all.out, shell.run("bloomery help " + verb).out) << verb;
  }
  const Ran whole = shell.run("bloomery --help-all");
  for (const std::string verb : {"bloomery query", "bloomery hfile verify", "bloomery feed postgres"}) {
    EXPECT_TRUE(says(whole.out, "\n--- " + verb + " ---\n")) << verb;
    EXPECT_TRUE(says(whole.out, "Usage: " + verb + " [OPTIONS]")) << verb;
  }
}

// The lists of verbs, too.
TEST(Suggestion, TheOverviewFitsTheTerminal) {
  const Shell shell;
  for (const std::string verb : {"", "hfile", "table"}) {
    const Ran ran = shell.run("COLUMNS=60 bloomery " + verb + " --help | sed -n '/^Subcommands:/,$p'");
    std::istringstream lines(ran.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(line.size(), 60u) << line;
    }
    EXPECT_GT(count, 8) << verb;
  }
}

TEST(Suggestion, TheVersionHasALetter) {
  const Shell shell;
  const Ran ran = shell.run("bloomery -V");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, shell.run("bloomery --version").out);
}

// One key is a key.
TEST(Suggestion, OneOfAThingIsSingular) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo a | bloomery build --summary -t quotient -n 10 -o f; echo b | bloomery add --summary f; echo b | "
      "bloomery "
      "remove --summary f; echo a | bloomery query --summary f; echo a | bloomery dedup --summary; bloomery "
      "merge "
      "--summary -o g f f");
  for (const std::string words :
       {"build: 1 key into ", "add: 1 key added to f", "remove: 1 key removed from f",
        "query: 1 key, 1 may be in", "dedup: 1 line, 1 kept", "merge: 2 keys in g"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << ": " << ran.err;
  }
  const Ran others = shell.run(
      "echo a > k; bloomery build -o c --exceptions k -- k;"
      "bloomery build -o u --summary --key-form url <<< not-one;"
      "bloomery build -o l --url-prefix <<< a.example/1/2/3/4/;"
      "printf '1000,a\\n970,b\\n' | bloomery dedup --window 100s -n 10 --time-field 1 --time-format epoch -d "
      ", -k 2 > /dev/null;"
      "printf 'r\\tf:q\\tv\\t5\\n' | bloomery hfile write --summary -o load; bloomery hfile verify load/f/*;"
      "bloomery table stats load/f/*; bloomery hfile advise load");
  for (const std::string words :
       {"1 key is a member and an exception at once; ", "with it as a member",
        "1 key is no URL and was taken as it is", "1 entry lies so deep that no longer URL asks for it: ",
        "1 line has a time before that of an earlier line, by up to 30 s; it counts at ",
        "hfile write: 1 cell of 1 row in 1 file, "}) {
    EXPECT_TRUE(says(others.err, words)) << words << ": " << others.err;
  }
  for (const std::string words :
       {": sound: 1 key of its 1 cell in 6 blocks asked, none denied\n",
        " f: 1 file, 1 cell, 0 of them deletes\n", ", 1 cell, 1 row, 1 column, 1.00 columns a row; "}) {
    EXPECT_TRUE(says(others.out, words)) << words << ": " << others.out;
  }
}

// Names that nobody typed are in no message: those of temporary files.
TEST(Suggestion, AFolderThatIsMissingIsNamedWithWhatWasTyped) {
  const Shell shell;
  const Ran ran = shell.run("seq 9 | bloomery build -o none/x.bloom");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "none/x.bloom: create a file beside it: No such file or directory")) << ran.err;
  EXPECT_FALSE(says(ran.err, ".tmp.")) << ran.err;
  const Ran spooled = shell.run("seq 3000000 | TMPDIR=$PWD/none bloomery build -o x.bloom");
  EXPECT_EQ(spooled.status, 2);
  EXPECT_TRUE(says(spooled.err, "--tmp names another folder")) << spooled.err;
  EXPECT_TRUE(says(spooled.err, "/none: create")) << spooled.err;
}

TEST(Suggestion, EstimateSaysWhatSizeLeavesToFind) {
  const Shell shell;
  const Ran ran = shell.run("bloomery estimate --size 1MB -n 1000 -p 0.01");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err,
                   "--size: expected with -n, which leaves the fpp to find, or with -p, which leaves the "
                   "number of keys; found both"))
      << ran.err;
}

// What supervisors expect: 128 and the signal.
TEST(StopSignals, TheExitStatusTellsTheSignal) {
  const Shell shell;
  const Ran ran = shell.run("set -m; mkfifo in; for signal in INT TERM HUP; do '" BLOOMERY_COMMAND
                            "' dedup < in > out & exec 3> in; seq 5 >&3; until_handled 3; kill -$signal %%; "
                            "wait %%; echo $?; exec 3>&-; "
                            "done");
  EXPECT_EQ(ran.out, "130\n143\n129\n") << ran.err;
}

// The limit that a build prints is the one that the filter has.
TEST(QuotientGrowth, ABuildSaysHowFarTheFilterGrows) {
  const Shell shell;
  const Ran ran = shell.run("seq 1000 | bloomery build --summary -t quotient -p 0.001 -o f");
  EXPECT_TRUE(says(ran.err, "build: grows by itself, and its fpp with it: 2,000 keys at fpp 0.00"))
      << ran.err;
  const Ran small = shell.run(
      "seq 1000 | bloomery build --summary -t quotient -n 1000 -p 0.1 -o g 2> said; "
      "grep -o 'about [0-9,]* keys' said | tr -d 'a-z, '; "
      "for i in $(seq 100); do seq $((i * 100000)) $((i * 100000 + 199)) | bloomery add g 2> /dev/null || "
      "break; done; "
      "bloomery inspect --json g | jq .inserted");
  const std::size_t line = small.out.find('\n');
  ASSERT_NE(line, std::string::npos) << small.err;
  const double printed = std::stod(small.out.substr(0, line));
  const double reached = std::stod(small.out.substr(line + 1));
  EXPECT_GT(reached, 0.8 * printed);
  EXPECT_LT(reached, 1.3 * printed);
}

// Small tables have more room than their capacity says, and keys of equal fingerprints take more of it.
TEST(QuotientGrowth, ThePrintedLimitIsWhereTheFirstKeyIsRefused) {
  const Shell shell;
  for (const std::string plan : {"-n 100 -p 0.01", "-n 200 -p 0.01", "-n 1000 -p 0.01", "-n 10000 -p 0.05",
                                 "-n 50 -p 0.1", "-n 50 -p 0.01"}) {
    const Ran ran = shell.run("build='bloomery build -t quotient --force --allow-empty " + plan +
                              " -o f'; $build --summary < /dev/null 2> said; "
                              "most=$(grep -o 'about [0-9,]* keys' said | tr -d 'a-z, '); "
                              "$build --no-summary <(seq $((most * 95 / 100))) && echo fits; "
                              "$build --no-summary <(seq $((most * 105 / 100))); echo $?");
    EXPECT_EQ(ran.out, "fits\n2\n") << plan << '\n' << ran.err << shell.folder().read("said");
    EXPECT_TRUE(says(ran.err, "so many more than")) << plan << '\n' << ran.err;
  }
  EXPECT_TRUE(says(shell.folder().read("said"), "grows by itself")) << shell.folder().read("said");
  const Ran none =
      shell.run("bloomery build --allow-empty --summary -t quotient -n 50 -p 0.1 -o g < /dev/null");
  EXPECT_TRUE(says(none.err, "does not grow: its fingerprints are too short; about 1,")) << none.err;
}

}  // namespace
}  // namespace bloomery
