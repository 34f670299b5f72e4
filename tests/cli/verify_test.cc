// bloomery verify: one line a file, its exit status, and a list of keys that any filter can be proven by.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/verify/damaged_table.h"

namespace bloomery {
namespace {

class VerifyTest : public testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell_.run(line); }
  void write(const std::string& name, const std::string& bytes) const { shell_.folder().write(name, bytes); }

  Shell shell_;
};

TEST_F(VerifyTest, EachVerdictIsALineAndAStatus) {
  const std::string table = unpacked_golden("leveldb/db_none.ldb");
  write("sound.ldb", table);
  EXPECT_EQ(run("bloomery verify sound.ldb").out,
            "sound.ldb: sound: 5,000 keys of its data blocks asked, none denied\n");
  EXPECT_EQ(run("bloomery verify sound.ldb").status, 0);

  std::string lying = table;
  const FilterPlace filter = filter_of(table);
  lying.replace(filter.handle.offset, 5, 5, '\0');
  sign_block(lying, filter.handle);
  write("lying.ldb", lying);
  const Ran denies = run("bloomery verify lying.ldb");
  EXPECT_EQ(denies.status, 3);
  EXPECT_TRUE(says(denies.out, "lying.ldb: denies key0")) << denies.out;
  EXPECT_TRUE(says(denies.out, " of 5,000 keys\n")) << denies.out;

  write("cut.ldb", table.substr(0, 4000));
  const Ran damaged = run("bloomery verify cut.ldb");
  EXPECT_EQ(damaged.status, 3);
  EXPECT_TRUE(damaged.out.ends_with("cut.ldb: damaged: 1 finding\n")) << damaged.out;

  write("users.bf", golden_file("dcso/n1000_p0.01.bloom"));
  const Ran unproven = run("bloomery verify users.bf");
  EXPECT_EQ(unproven.status, 1);
  EXPECT_TRUE(says(unproven.out, "users.bf: cannot be proven: it has no data next to it")) << unproven.out;

  const Ran all = run("bloomery verify sound.ldb lying.ldb cut.ldb users.bf");
  EXPECT_EQ(all.status, 3);
  EXPECT_TRUE(all.out.ends_with("4 files: 1 sound, 1 damaged, 1 deny keys, 1 cannot be proven\n")) << all.out;

  const Ran json = run("bloomery verify --json lying.ldb users.bf | jq -r '[.file, .verdict, .keys] | @tsv'");
  EXPECT_EQ(json.out, "lying.ldb\tdenies\t5000\nusers.bf\tunproven\t0\n") << json.err;
}

TEST_F(VerifyTest, AFileThatIsMissingOrOfNoKindIsToldOnStandardError) {
  EXPECT_EQ(run("bloomery verify missing").status, 2);
  EXPECT_EQ(run("echo text > notes.txt; bloomery verify notes.txt").status, 3);
  const Ran empty = run("mkdir d; echo text > d/notes.txt; bloomery verify d");
  EXPECT_EQ(empty.status, 1);
  EXPECT_TRUE(says(empty.err, "1 file of no known kind passed over, such as d/notes.txt")) << empty.err;
  EXPECT_TRUE(says(empty.err, "nothing can be proven")) << empty.err;
}

TEST_F(VerifyTest, OurOwnFilesAreProvenByTheirChecksums) {
  const Ran sound = run("seq 1000 > keys; bloomery build --no-summary -o f keys; bloomery verify f");
  EXPECT_EQ(sound.status, 0) << sound.err;
  EXPECT_TRUE(says(sound.out, "f: sound: checksums of ")) << sound.out;
  EXPECT_TRUE(says(sound.out, " hold, no keys were asked")) << sound.out;
  const Ran damaged = run("printf x | dd of=f bs=1 seek=700 conv=notrunc status=none; bloomery verify f");
  EXPECT_EQ(damaged.status, 3);
}

TEST_F(VerifyTest, AListProvesAnyFilter) {
  const Ran ours =
      run("seq 1000 > keys; bloomery build --no-summary -o f keys; bloomery verify --keys keys f");
  EXPECT_EQ(ours.out, "f: sound: 1,000 keys of keys asked, none denied\n") << ours.err;
  EXPECT_EQ(ours.status, 0);
  const Ran more = run("(seq 1000; echo absent-1; echo absent-2) > more; bloomery verify --keys more f");
  EXPECT_EQ(more.status, 3);
  EXPECT_EQ(more.out,
            "f: denies absent-1\nf: denies absent-2\nf: note: it denies line 1001 of more\n"
            "f: note: it denies line 1002 of more\nf: denies 2 of 1,002 keys\n");
  const Ran guava =
      run("bloomery build --no-summary --dialect guava -o g.bf -n 1000 -p 0.01 keys; bloomery verify "
          "--dialect guava --keys - g.bf < keys");
  EXPECT_EQ(guava.out, "g.bf: sound: 1,000 keys of - asked, none denied\n") << guava.err;
  const Ran raw =
      run("bloomery build --no-summary --dialect leveldb:raw -o r --bits-per-key 10 keys; bloomery verify "
          "--dialect leveldb:raw "
          "--keys keys r");
  EXPECT_EQ(raw.out, "r: sound: 1,000 keys of keys asked, none denied\n") << raw.err;
  EXPECT_EQ(run(": > none; bloomery verify --keys none f").status, 1);
  EXPECT_EQ(run("bloomery verify --dialect guava g.bf").status, 2);
}

TEST_F(VerifyTest, ADatabaseIsProvenTableByTable) {
  const std::string golden = std::string(BLOOMERY_SOURCE) + "/tests/golden/";
  const Ran sound = run("cp -r '" + golden + "leveldb/db_logged' db; bloomery verify db");
  EXPECT_EQ(sound.status, 0) << sound.out;
  EXPECT_TRUE(says(sound.out, "4 files: 4 sound")) << sound.out;
  const Ran missing = run("rm db/000009.ldb; bloomery verify db");
  EXPECT_EQ(missing.status, 3);
  EXPECT_TRUE(says(missing.out, "expected the file 000009.ldb, which the database needs")) << missing.out;
}

}  // namespace
}  // namespace bloomery
