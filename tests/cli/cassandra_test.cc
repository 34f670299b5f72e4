// The command and Cassandra's filters: keys by CQL type, a folder of sstables, what is refused.
#include <gtest/gtest.h>

#include "bloomery/dialects/dialects.h"
#include "run_command.h"
#include "tests/codec/golden_archive.h"

namespace bloomery {
namespace {

// Writes one folder of an archive of golden files to the shell's folder.
void lay_out(const Shell& shell, const std::string& archive, const std::string& from, const std::string& to) {
  EXPECT_EQ(shell.run("mkdir -p " + to).status, 0);
  for (const auto& [name, bytes] : cassandra_archive(archive)) {
    if (name.starts_with(from + "/")) {
      shell.folder().write(to + "/" + name.substr(from.size() + 1), bytes);
    }
  }
}

TEST(CassandraCommand, TextIsAKeyOfTheRecordedType) {
  const Shell shell;
  lay_out(shell, "nb-5.0.6", "int", "ints");
  lay_out(shell, "me-3.11.19", "comp_text_int", "pairs");
  // Item 0 of the family int is 1; item 1 of comp_text_int is ('key-000001', 17).
  EXPECT_EQ(shell.run("printf '1\\n2\\n' | bloomery query ints").out, "1\n");
  EXPECT_EQ(shell.run("printf '1\\n2\\n' | bloomery query ints/nb-1-big-Filter.db").out, "1\n");
  EXPECT_EQ(shell.run("printf '00000001\\n' | bloomery query --key-form hex ints").out, "00000001\n");
  EXPECT_EQ(shell.run("printf 'key-000001\\t17\\n' | bloomery query -k 1,2 pairs").out, "key-000001\t17\n");
  EXPECT_EQ(shell.run("printf '17;key-000001\\n' | bloomery query -k 2,1 -d ';' pairs").status, 0);
  EXPECT_EQ(shell.run("echo '{\"id\": 1}' | bloomery query --json-field id ints").status, 0);
  const Ran refused = shell.run("printf '1\\n3000000000\\n' | bloomery query ints");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err,
                   "line 2: cassandra key int: expected a decimal integer of 32 bits, found '3000000000'"));
  const Ran skipped = shell.run("printf '1\\n3000000000\\n' | bloomery query --skip-bad-lines ints");
  EXPECT_EQ(skipped.out, "1\n");
  EXPECT_TRUE(says(skipped.err, "1 bad line was left out"));
  const Ran one_field = shell.run("echo 1 | bloomery query pairs");
  EXPECT_EQ(one_field.status, 2);
  EXPECT_TRUE(says(one_field.err,
                   "expected 2 fields, one for each column of the partition key (text, int), found 1"));
  EXPECT_TRUE(says(shell.run("echo a | bloomery query --cassandra-key text ints").err,
                   "expected int as Statistics.db"));
  EXPECT_TRUE(says(shell.run("echo 1 | bloomery query --key-form int32 ints").err, "expected hex or text"));
  EXPECT_TRUE(says(shell.run("echo 1 | bloomery query -i ints").err, "-i: expected without it"));
  EXPECT_EQ(shell.run("printf '2\\n3\\n' | bloomery fpp --absent - ints/nb-1-big-Filter.db").status, 0);
}

TEST(CassandraCommand, WithoutATypeNothingIsAnswered) {
  const Shell shell;
  EXPECT_EQ(
      shell.run("seq 20 | bloomery build --dialect cassandra:nb --cassandra-key int -p 0.01 -o f.db").status,
      0);
  const Ran untold = shell.run("echo 1 | bloomery query --dialect cassandra:nb f.db");
  EXPECT_EQ(untold.status, 2);
  EXPECT_TRUE(says(untold.err, "expected the types of the partition key"));
  EXPECT_EQ(shell.run("seq 19 21 | bloomery query --dialect cassandra:nb --cassandra-key int f.db").out,
            "19\n20\n");
  EXPECT_EQ(
      shell
          .run(
              "cp f.db nb-1-big-Filter.db; seq 20 | bloomery query -c --cassandra-key int nb-1-big-Filter.db")
          .out,
      "20\n");
  EXPECT_TRUE(says(shell.run("echo 1 | bloomery query --cassandra-key int f.db").err, "--dialect"));
  EXPECT_TRUE(says(
      shell.run("echo 1 | bloomery query --cassandra-key int --dialect cassandra:me nb-1-big-Filter.db").err,
      "version"));
  EXPECT_TRUE(
      says(shell.run("seq 5 | bloomery build --dialect cassandra:nb -o g.db").err, "expected the types"));
  EXPECT_TRUE(says(shell.run("seq 5 | bloomery build --dialect cassandra --cassandra-key int -o g.db").err,
                   "cassandra:nb"));
  EXPECT_TRUE(
      says(shell.run("echo 1 | bloomery query --dialect cassandra:nb --cassandra-key duration f.db").err,
           "duration"));
  EXPECT_EQ(shell.run("seq 21 22 | bloomery add --dialect cassandra:nb --cassandra-key int f.db").status, 0);
  EXPECT_EQ(shell.run("seq 22 | bloomery query -c --dialect cassandra:nb --cassandra-key int f.db").out,
            "22\n");
  EXPECT_EQ(
      shell.run("cp f.db h.db; bloomery merge --dialect cassandra:nb -o u.db f.db h.db && cmp u.db f.db")
          .status,
      0);
}

// Whoever reads such a file later takes the version from its name, and would look for other bits.
TEST(CassandraCommand, AFilterGetsNoNameOfAnotherVersion) {
  const Shell shell;
  const std::string build = "seq 20 | bloomery build --dialect cassandra:nb --cassandra-key int -p 0.01 -o ";
  for (const char* const name : {"me-9-big-Filter.db", "./oa-1-big-Filter.db"}) {
    const Ran refused = shell.run(build + name);
    EXPECT_EQ(refused.status, 2) << name;
    EXPECT_TRUE(says(refused.err, "version: expected nb, as the filter has its bits, found ")) << refused.err;
    EXPECT_NE(shell.run(std::string("test -e ") + name).status, 0);
  }
  EXPECT_EQ(shell.run(build + "nb-1-big-Filter.db && cp nb-1-big-Filter.db nb-2-big-Filter.db").status, 0);
  const std::string merge = "bloomery merge nb-1-big-Filter.db nb-2-big-Filter.db -o ";
  EXPECT_EQ(shell.run(merge + "me-3-big-Filter.db").status, 2);
  EXPECT_EQ(shell.run(merge + "nb-3-big-Filter.db && cmp nb-1-big-Filter.db nb-3-big-Filter.db").status, 0);
  const auto filter = open_dialect(shell.folder().path("nb-1-big-Filter.db"));
  ASSERT_TRUE(filter);
  EXPECT_EQ((*filter)->save(shell.folder().path("da-1-bti-Filter.db")).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(CassandraCommand, ATypeThatIsNoneIsAWrongArgument) {
  const Shell shell;
  for (const char* const type : {"foo", "intt", "duration", "list<int"}) {
    const Ran refused = shell.run(
        std::string("echo 1 | bloomery build -o f.db --dialect cassandra:nb --cassandra-key '") + type + "'");
    EXPECT_EQ(refused.status, 2) << type;
    EXPECT_TRUE(says(refused.err, "--cassandra-key: ")) << refused.err;
  }
}

TEST(CassandraCommand, TheOptionIsRefusedWhereItMeansNothing) {
  const Shell shell;
  EXPECT_EQ(shell.run("seq 5 | bloomery build -o ours.bloom").status, 0);
  for (const char* line :
       {"query --cassandra-key int ours.bloom", "add --cassandra-key int ours.bloom",
        "build --cassandra-key int -o x.bloom", "build --dialect guava --cassandra-key int -o x.bf"}) {
    const Ran refused = shell.run(std::string("seq 5 | bloomery ") + line);
    EXPECT_EQ(refused.status, 2) << line;
    EXPECT_TRUE(says(refused.err, "--cassandra-key: expected with a filter of the dialect cassandra"))
        << refused.err;
  }
}

TEST(CassandraCommand, AFolderInTheMiddleOfACompactionIsAskedByItsLog) {
  const Shell shell;
  lay_out(shell, "transactions", "nb-5.0.6/committed", "table");
  const Ran asked = shell.run("printf 'x\\n' | bloomery query --summary --skip-bad-lines table");
  EXPECT_TRUE(says(asked.err, "nb-1-big is left out: it is not live by nb_txn_compaction_"));
  EXPECT_FALSE(says(asked.err, "nb-4-big is left out"));
  const Ran inspected = shell.run("bloomery inspect table");
  EXPECT_EQ(inspected.status, 0);
  EXPECT_TRUE(says(inspected.out, "live_sstables    1"));
  EXPECT_TRUE(says(inspected.out, "nb-4-big: cassandra:nb"));
  EXPECT_TRUE(says(shell.run("bloomery inspect --json table").out, "\"key_type\": \"uuid\""));
  const Ran damaged = shell.run("sed -i s/nb-1-big/nb-7-big/ table/*.log; echo x | bloomery query table");
  EXPECT_EQ(damaged.status, 3);
  EXPECT_TRUE(says(damaged.err, "expected a record with its checksum"));
}

TEST(CassandraCommand, ForcedMaybesAreCounted) {
  const Shell shell;
  lay_out(shell, "nb-5.0.6", "nofilter", "table");
  lay_out(shell, "nb-5.0.6", "text_three_flushes", "texts");
  const Ran asked = shell.run("seq 7 | bloomery query -c --summary table");
  EXPECT_EQ(asked.out, "7\n");
  EXPECT_TRUE(says(asked.err, "warning: table/nb-1-big may hold every key"));
  EXPECT_TRUE(says(asked.err, "7 may be in (7 of them forced)"));
  const Ran some = shell.run(
      "truncate -s -1 texts/nb-2-big-Filter.db; printf 'key-000000\\nno\\n' | bloomery query -c --summary "
      "texts");
  EXPECT_EQ(some.out, "2\n");
  EXPECT_TRUE(says(some.err, "2 may be in (1 of them forced)"));
  EXPECT_EQ(shell.run("echo 1 | bloomery query texts/nb-2-big-Filter.db").status, 3);
  EXPECT_EQ(shell.run("echo 1 | bloomery query --dialect cassandra:nb texts").status, 2);
  EXPECT_TRUE(says(shell.run("echo 1 | bloomery query --column-family x texts").err, "--column-family"));
  EXPECT_TRUE(says(shell.run("echo 1 | bloomery inspect --prefix-extractor noop texts").err, "--prefix-ext"));
  EXPECT_EQ(shell.run("bloomery query --which table -e 7").out, "table\t0\tforced\t7\n");
  EXPECT_EQ(shell.run("bloomery query --which texts -e no").out, "texts\t1\tforced\tno\n");
  EXPECT_EQ(shell.run("mkdir empty; echo 1 | bloomery query --dialect cassandra empty").status, 2);
}

}  // namespace
}  // namespace bloomery
