// What `query` prints about lines with fields: their numbers, headers and answers, where lines may be left out.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class QueryFields : public ::testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = shell.run(
        "printf 'Oslo\\nRome\\n' | bloomery build -o f.bloom -n 2 -p 1e-6;"
        "printf 'id,city\\n1,Oslo\\nalone\\n2,Bonn\\n3,Rome\\n' > a.csv; printf 'city\\nRome\\n' > b.csv");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

TEST_F(QueryFields, LineNumbersCountTheHeaderAndLinesThatAreLeftOut) {
  const std::string skipping = "bloomery query -n --csv --header city --missing skip f.bloom ";
  EXPECT_EQ(shell.run(skipping + "a.csv").out, "1:id,city\n2:1,Oslo\n5:3,Rome\n");
  EXPECT_EQ(shell.run(skipping + "-v a.csv").out, "1:id,city\n4:2,Bonn\n");
  EXPECT_EQ(shell.run(skipping + "-H a.csv b.csv").out,
            "a.csv:1:id,city\na.csv:2:1,Oslo\na.csv:5:3,Rome\nb.csv:2:Rome\n");
  EXPECT_EQ(shell.run("bloomery query -n --csv --header city --only-key f.bloom a.csv").out,
            "2:Oslo\n5:Rome\n");
  EXPECT_EQ(shell.run("bloomery query -c --csv --header city f.bloom a.csv b.csv").out, "a.csv:2\nb.csv:1\n");
}

TEST_F(QueryFields, TheAbsentLinesGetTheHeaderToo) {
  const std::string both =
      "bloomery query --csv --header city --missing skip --force --absent-to rest f.bloom a.csv ";
  EXPECT_EQ(shell.run(both).out, "id,city\n1,Oslo\n3,Rome\n");
  EXPECT_EQ(shell.folder().read("rest"), "id,city\n2,Bonn\n") << "what was left out is in neither";
  EXPECT_EQ(shell.run(both + "--only-key").out, "Oslo\nRome\n");
  EXPECT_EQ(shell.folder().read("rest"), "Bonn\n");
}

TEST_F(QueryFields, EveryLineHasAnAnswer) {
  const std::string asking =
      "printf '1,Oslo\\nalone\\n2,Bonn\\n' | bloomery query -d , -k 2 f.bloom --answers ";
  EXPECT_EQ(shell.run(asking).out, "1\n0\n0\n");
  EXPECT_EQ(shell.run(asking + "--with-line").out, "1,Oslo\t1\nalone\t0\n2,Bonn\t0\n");
  EXPECT_EQ(shell.run(asking + "--with-line --only-key").out, "Oslo\t1\n\t0\nBonn\t0\n");
  for (const std::string option : {"--missing skip", "--skip-bad-lines"}) {
    const Ran refused = shell.run(asking + option);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(says(refused.err, "--answers: expected without --missing skip and --skip-bad-lines"))
        << refused.err;
  }
  EXPECT_EQ(shell.run("bloomery query --answers --csv --header city f.bloom a.csv").out, "1\n0\n0\n1\n")
      << "the header has none";
}

TEST_F(QueryFields, GivenKeysAreLinesWithoutAHeader) {
  EXPECT_EQ(shell.run("bloomery query --csv -k 2 f.bloom -e '1,\"Oslo\"' -e 2,Bonn").out, "1,\"Oslo\"\n");
  EXPECT_EQ(shell.run("bloomery query --json-field c f.bloom -e '{\"c\": \"Rome\"}' --only-key").out,
            "Rome\n");
  const Ran refused = shell.run("bloomery query --csv --header city f.bloom -e Oslo a.csv");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err, "-e: expected without --header")) << refused.err;
}

TEST_F(QueryFields, WhatFilesAreLikeIsSaidOnce) {
  shell.run("printf '\\357\\273\\277Oslo\\r\\nRome\\r\\n' > marked");
  const Ran ran = shell.run("bloomery query -c f.bloom marked marked");
  EXPECT_EQ(ran.out, "marked:0\nmarked:0\n");
  for (const std::string words : {"byte-order mark", "warning: lines end in CR LF", "nothing matched"}) {
    EXPECT_TRUE(says(ran.err, words)) << ran.err;
    EXPECT_EQ(ran.err.find(words), ran.err.rfind(words)) << ran.err;
  }
  EXPECT_EQ(shell.run("bloomery query -q --allow marked f.bloom marked").err, "");
  EXPECT_FALSE(says(shell.run("bloomery query --no-summary f.bloom marked").err, "nothing matched"));
}

TEST_F(QueryFields, TheDigestIsOfTheField) {
  const std::string asked =
      "printf %s letmein | md5sum | cut -c1-32 | bloomery build --key-form hex -o md5.bloom -n 1 -p 1e-6;"
      "printf '{\"p\":\"x\"}\\n{\"p\":\"letmein\"}\\n{}\\n' | bloomery query --hash md5 --json-field p "
      "md5.bloom "
      "--missing skip ";
  EXPECT_EQ(shell.run(asked).out, "{\"p\":\"letmein\"}\n");
  EXPECT_EQ(shell.run(asked + "--only-key").out, "letmein\n");
}

}  // namespace
}  // namespace bloomery
