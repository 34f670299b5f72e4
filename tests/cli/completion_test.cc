// bloomery completion: the scripts that complete verbs and options in a shell.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// Returns what bash offers for the last of these words.
std::string offered(const std::string& words) {
  const Ran ran = Shell().run(
      "source <(bloomery completion bash)\n"
      "COMP_WORDS=(bloomery " +
      words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bloomery; echo \"${COMPREPLY[*]}\"");
  EXPECT_EQ(ran.status, 0) << ran.err;
  return ran.out;
}

TEST(Completion, OffersVerbsAndOptionsOfTheVerbSoFar) {
  EXPECT_EQ(offered("bui"), "build\n");
  EXPECT_EQ(offered("table scan --lim"), "--limit\n");
  EXPECT_EQ(offered("build -o x --forc"), "--force\n");
  EXPECT_EQ(offered("hfile i"), "info\n");
  EXPECT_EQ(offered("--ver"), "--version\n");
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_EQ(offered("build buil"), "\n");
  EXPECT_EQ(offered("query known.bloom bui"), "\n");
}

// Every verb of the help is in each script.
TEST(Completion, HasEveryVerb) {
  const Ran ran = Shell().run(
      "for shell in bash zsh fish; do bloomery completion $shell > $shell; done\n"
      "bloomery --help | sed -n '/^Subcommands:/,/^Exit/s/^  \\([a-z]\\+\\) .*/\\1/p' > verbs; wc -l < "
      "verbs\n"
      "while read verb; do for shell in bash zsh fish; do grep -q \"'\\? \\?$verb\" $shell || echo $verb; "
      "done; "
      "done < verbs");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "21\n");
}

// zsh and fish are not among the packages of the tests: their scripts are parsed where they are installed.
TEST(Completion, IsParsedByItsShell) {
  const Ran ran = Shell().run(
      "bloomery completion bash | bash -n || echo bash\n"
      "if command -v zsh > /dev/null; then bloomery completion zsh > _z; zsh -n _z || echo zsh; fi\n"
      "if command -v fish > /dev/null; then bloomery completion fish | fish -n || echo fish; fi");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Completion, RefusesAnotherShell) {
  const Ran ran = Shell().run("bloomery completion tcsh");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "tcsh")) << ran.err;
}

}  // namespace
}  // namespace bloomery
