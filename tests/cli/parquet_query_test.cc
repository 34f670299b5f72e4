// `query`, `inspect` and `fpp` over .parquet files: keys by the column's type, several files and row groups at
// once, row groups without a filter, damage.
#include <map>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "run_command.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

class ParquetQuery : public testing::Test {
 protected:
  ParquetQuery() {
    for (const char* const name : {"arrow_types", "arrow_integers", "arrow_encrypted_columns",
                                   "arrow_encrypted_footer", "n100_p0.05", "n500_p0.001"}) {
      shell_.folder().write(std::string(name) + ".parquet",
                            golden_file("parquet/" + std::string(name) + ".parquet"));
    }
  }

  Ran run(const std::string& line) const { return shell_.run(line); }
  void write(const std::string& name, const std::string& bytes) const { shell_.folder().write(name, bytes); }

  void expect_refused(const std::string& line, int status, const std::string& words) const {
    const Ran ran = run(line);
    EXPECT_EQ(ran.status, status) << line << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_TRUE(says(ran.err, words)) << line << "\n" << ran.err;
  }

  Shell shell_;
};

TEST_F(ParquetQuery, LettersOfAColumnKeepTheirCase) {
  expect_refused("bloomery query -i --dialect parquet:string -e A arrow_types.parquet", 2,
                 "-i: expected without it");
}

// Most of them were denied: the text's bytes were asked.
TEST_F(ParquetQuery, EveryValueIsFoundWithoutAKeyForm) {
  for (const char* const stem : {"arrow_types", "arrow_integers"}) {
    std::map<std::string, std::string> texts;
    std::istringstream lines(golden_file("parquet/" + std::string(stem) + ".keys"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t tab = line.find('\t');
      texts[line.substr(0, tab)] += line.substr(tab + 1) + "\n";
    }
    std::string script;
    for (const auto& [column, text] : texts) {
      write("keys." + column, text);
      script += "bloomery query -v --no-summary --dialect 'parquet:" + column + "' " + stem +
                ".parquet keys." + column + " || echo " + column + " $?\n";
    }
    std::string expected;
    for (const auto& [column, text] : texts) {
      expected += column + " 1\n";
    }
    const Ran ran = run(script);
    EXPECT_EQ(ran.out, expected) << stem << "\n" << ran.err;
  }
}

TEST_F(ParquetQuery, NumbersOfAnInt64ColumnAreNumbers) {
  const Ran ran =
      run("seq 0 7919 3951581 > numbers; bloomery query -c --dialect parquet:l n500_p0.001.parquet numbers; "
          "bloomery query -c --dialect parquet:l --key-form int64 n500_p0.001.parquet numbers; "
          "sed 's/.*/x,&/' numbers | bloomery query -c --csv -k 2 --dialect parquet:l n500_p0.001.parquet; "
          "bloomery query -c --dialect parquet:l --key-form hex n500_p0.001.parquet -e ef1e000000000000");
  EXPECT_EQ(ran.out, "500\n500\n500\n1\n") << ran.err;
}

TEST_F(ParquetQuery, AKeyThatTheTypeCannotHoldIsAnErrorWithItsLine) {
  expect_refused("printf '1\\n300\\n' | bloomery query --dialect parquet:int8 arrow_types.parquet", 2,
                 "line 2: INT(8, signed) of INT32: expected a whole number from -128 to 127, found '300'");
  expect_refused("bloomery query --dialect parquet:uuid arrow_types.parquet -e 17", 2, "expected a UUID");
  expect_refused("bloomery query --dialect parquet:date arrow_types.parquet -e 2024-02-30", 2,
                 "expected a date");
  expect_refused("bloomery query --dialect parquet:decimal7 arrow_types.parquet -e 0.001", 2,
                 "expected at most 2 digits behind the point that are not 0, found '0.001'");
  expect_refused("bloomery query --dialect parquet:int64 --key-form hex arrow_types.parquet -e 0011", 2,
                 "expected the 8 bytes of a value, found 2");
  expect_refused("bloomery query --dialect parquet:int64 --key-form int32 arrow_types.parquet -e 1", 2,
                 "--key-form: expected none, or hex for the bytes of values");
  expect_refused("bloomery query --dialect parquet:float32 --key-form int32 arrow_types.parquet -e 1", 2,
                 "FLOAT");
  expect_refused("bloomery query --dialect parquet:int64 --key-form text arrow_types.parquet -e 1", 2,
                 "INT64");
  const Ran skipped =
      run("printf '0\\nx\\n300\\n127\\n' | bloomery query --skip-bad-lines -n --dialect parquet:int8 "
          "arrow_types.parquet");
  EXPECT_TRUE(says(skipped.out, "4:127\n")) << skipped.out;
  EXPECT_TRUE(says(skipped.err, "2 bad lines were left out")) << skipped.err;
  EXPECT_FALSE(says(skipped.out, "x")) << skipped.out;
  EXPECT_FALSE(says(skipped.out, "300")) << skipped.out;
}

TEST_F(ParquetQuery, TrimmedAndFoldedKeysAreValues) {
  const Ran ran = run(
      "echo ' 127 ' | bloomery query -c --trim --dialect parquet:int8 arrow_types.parquet; "
      "echo 00000000-0000-0000-0000-00000000000 | sed 's/$/0/' | tr a-f A-F | "
      "bloomery query -c -i --dialect parquet:uuid arrow_types.parquet; "
      "printf '127\\r\\n' | bloomery query -c --crlf --dialect parquet:int8 arrow_types.parquet; "
      "echo '{\"id\": 127}' | bloomery query -c --json-field id --dialect parquet:int8 arrow_types.parquet");
  EXPECT_EQ(ran.out, "1\n1\n1\n1\n") << ran.err;
}

TEST_F(ParquetQuery, AllowedKeysAreComparedByValue) {
  const Ran ran =
      run("printf '%s\\n' -7000.00 -6363.63 > in; echo -7000.0 > known; "
          "bloomery query --allow known --dialect parquet:decimal7 arrow_integers.parquet in");
  EXPECT_EQ(ran.out, "-6363.63\n") << ran.err;
}

TEST_F(ParquetQuery, RowGroupsWithoutAFilterForceMaybesThatAreCounted) {
  const Ran ran = run("seq 1000 | bloomery query -c --summary --dialect parquet:bare arrow_types.parquet");
  EXPECT_EQ(ran.out, "1000\n");
  EXPECT_TRUE(says(ran.err, "warning: arrow_types.parquet: 2 of 2 row groups may hold every key")) << ran.err;
  EXPECT_TRUE(says(ran.err, "1,000 keys, 1,000 may be in (1,000 of them forced), 0 are not")) << ran.err;
  const Ran nan =
      run("printf 'nan\\n1e30\\n' | bloomery query --summary --dialect parquet:float64 arrow_types.parquet");
  EXPECT_EQ(nan.out, "nan\n");
  EXPECT_TRUE(says(nan.err, "2 keys, 1 may be in (")) << nan.err;
  const Ran usual = run("seq 9 | bloomery query -c --summary --dialect parquet:int64 arrow_types.parquet");
  EXPECT_FALSE(says(usual.err, "forced")) << usual.err;
  const Ran secret = run("bloomery query --dialect parquet:secret arrow_encrypted_columns.parquet -e 123456");
  EXPECT_EQ(secret.out, "123456\n");
  EXPECT_TRUE(says(secret.err, "1 of 1 row groups may hold every key")) << secret.err;
  expect_refused("bloomery query --dialect parquet:secret arrow_encrypted_footer.parquet -e 1", 5,
                 "encrypted");
  expect_refused("bloomery query --dialect parquet:bool arrow_types.parquet -e true", 2,
                 "BOOLEAN, which has no filters");
}

// Every key was a forced maybe of such a row group, whatever the footer said of its values.
TEST_F(ParquetQuery, LeastAndGreatestValuesDenyKeysWhereThereIsNoFilter) {
  const Ran which = run(
      "seq -3 30 | bloomery query --which --summary --dialect parquet:open arrow_encrypted_columns.parquet");
  std::string expected;
  for (int key = 0; key < 24; ++key) {
    expected += "arrow_encrypted_columns.parquet\t0\tforced\t" + std::to_string(key) + "\n";
  }
  EXPECT_EQ(which.out, expected) << which.err;
  EXPECT_TRUE(says(which.err, "34 keys asked of 1 file, 24 may be in (24 of them forced), 10 are not"))
      << which.err;
  const Ran query =
      run("seq -3 30 | bloomery query -c --summary --dialect parquet:open arrow_encrypted_columns.parquet");
  EXPECT_EQ(query.out, "24\n") << query.err;
  EXPECT_TRUE(
      says(query.err,
           "warning: arrow_encrypted_columns.parquet: 1 of 1 row groups have no filter for parquet:open, and "
           "deny only keys outside of their least and greatest values"))
      << query.err;
  EXPECT_TRUE(says(query.err, "34 keys, 24 may be in (24 of them forced), 10 are not")) << query.err;
  EXPECT_TRUE(says(query.err, "at most ")) << query.err;
  EXPECT_EQ(run("bloomery query -q --dialect parquet:open arrow_encrypted_columns.parquet -e 24").status, 1);
  const Ran inspected = run("bloomery inspect arrow_encrypted_columns.parquet");
  EXPECT_TRUE(says(inspected.out, "none; least and greatest value in 1 of 1 row groups\n")) << inspected.out;
  EXPECT_TRUE(says(inspected.out, "none, encrypted")) << inspected.out;
  const Ran json = run("bloomery inspect --json arrow_encrypted_columns.parquet");
  EXPECT_TRUE(says(json.out, "\"ranges\": 1")) << json.out;
  const Ran column = run("bloomery inspect --dialect parquet:open arrow_encrypted_columns.parquet");
  EXPECT_TRUE(says(column.out, "of these with a range of values 1")) << column.out;
}

TEST_F(ParquetQuery, WhichNamesFilesAndRowGroups) {
  const Ran ran =
      run("cp arrow_types.parquet other.parquet; "
          "printf '%s\\n' 0 12 23 | bloomery query --dialect parquet:group.x --which arrow_types.parquet "
          "other.parquet "
          "--summary");
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::string expected;
  for (const char* const key : {"0", "12", "23"}) {
    for (const char* const file : {"arrow_types", "other"}) {
      expected +=
          std::string(file) + ".parquet\t" + (std::string(key) == "0" ? "0" : "1") + "\tmaybe\t" + key + "\n";
    }
  }
  EXPECT_EQ(ran.out, expected) << ran.err;
  EXPECT_TRUE(says(ran.err, "3 keys asked of 2 files, 3 may be in, 0 are not")) << ran.err;

  const Ran forced =
      run("bloomery query --dialect parquet:bare --which arrow_types.parquet -e 99 -e 100 --summary");
  EXPECT_EQ(forced.out,
            "arrow_types.parquet\t0\tforced\t99\narrow_types.parquet\t1\tforced\t99\n"
            "arrow_types.parquet\t0\tforced\t100\narrow_types.parquet\t1\tforced\t100\n");
  EXPECT_TRUE(says(forced.err, "2 may be in (2 of them forced), 0 are not")) << forced.err;

  const Ran none = run("bloomery query --dialect parquet:group.x --which arrow_types.parquet -e 9999");
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.status, 1);
  const Ran one = run("bloomery query --dialect parquet:group.x,1 --which arrow_types.parquet -e 0 -e 23");
  EXPECT_EQ(one.out, "arrow_types.parquet\t1\tmaybe\t23\n") << one.err;
}

TEST_F(ParquetQuery, WhichAsksFiltersOfEveryKindAndTakesKeysAsQueryDoes) {
  const Ran ran =
      run("seq 100 | bloomery build --no-summary -o a.bloom -p 1e-9; seq 50 200 | bloomery build "
          "--no-summary -o b.bloom -p "
          "1e-9; printf 'id,n\\n7,x\\n60,y\\n300,z\\n' > in.csv; "
          "bloomery query --which --csv --header id --only-key a.bloom -f b.bloom < in.csv; "
          "bloomery query --which a.bloom b.bloom < in.csv --csv --header id; "
          "seq 200 | bloomery query --which a.bloom b.bloom | wc -l");
  EXPECT_EQ(ran.out,
            "a.bloom\t0\tmaybe\t7\na.bloom\t0\tmaybe\t60\nb.bloom\t0\tmaybe\t60\n"
            "a.bloom\t0\tmaybe\t7,x\na.bloom\t0\tmaybe\t60,y\nb.bloom\t0\tmaybe\t60,y\n251\n")
      << ran.err;
  EXPECT_EQ(run("bloomery query --which -c a.bloom").status, 2);
  expect_refused("bloomery query --dialect parquet:int8 --which arrow_types.parquet n100_p0.05.parquet -e 1",
                 2, "n100_p0.05.parquet");
}

// They look like one filter and files of lines.
TEST_F(ParquetQuery, AParquetFileIsNoFileOfLines) {
  expect_refused("bloomery query --dialect parquet:string arrow_types.parquet n100_p0.05.parquet", 2,
                 "n100_p0.05.parquet: expected lines of keys, found a Parquet file: with --which");
}

// A file of no bytes is none of it, as for every dialect.
TEST_F(ParquetQuery, DamageIsDamageWhateverColumnIsNamed) {
  const Ran ran =
      run("f=arrow_types.parquet; head -c 5000 $f > cut; (cat $f; echo) > longer; tail -c +9 $f > behead; : "
          "> empty; "
          "(head -c 3000 $f; tail -c +4001 $f) > gap; "
          "for file in cut longer behead empty gap; do for column in :int8 :bare :nothing :arrow ''; do "
          "bloomery query --dialect parquet$column $file -e 1; echo -n \"$? \"; done; "
          "bloomery inspect --dialect parquet $file > /dev/null; echo $?; done");
  EXPECT_EQ(ran.out, "3 3 3 3 3 3\n3 3 3 3 3 3\n3 3 3 3 3 3\n2 2 2 2 2 2\n3 3 3 3 3 3\n") << ran.err;
}

TEST_F(ParquetQuery, InspectListsColumnsWithTypesRowGroupsAndFilters) {
  const Ran ran = run("bloomery inspect arrow_types.parquet");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* const line :
       {"type             parquet file\n", "row_groups       2\n", "rows             24\n",
        "columns          39\n", "\nuint8 ", "\nbare ", "  none\n", "INT(8, unsigned) of INT32",
        "DECIMAL(38, 10) of FIXED_LEN_BYTE_ARRAY(16)", "TIMESTAMP(MICROS, UTC) of INT64",
        "\nlist.list.element ", "\ngroup.y.z ", "in 2 of 2 row groups, "}) {
    EXPECT_TRUE(says(ran.out, line)) << line << ran.out;
  }
  const Ran json = run("bloomery inspect --json n100_p0.05.parquet");
  for (const char* const part : {"\"columns\": [", "\"column\": \"s\"", "\"physical_type\": \"BYTE_ARRAY\"",
                                 "\"logical_type\": \"STRING\"", "\"filters\": 1", "\"filter_bytes\": 144"}) {
    EXPECT_TRUE(says(json.out, part)) << part << json.out;
  }
  EXPECT_TRUE(says(run("bloomery inspect arrow_encrypted_columns.parquet").out, "none, encrypted"));
  expect_refused("bloomery inspect arrow_encrypted_footer.parquet", 5, "encrypted");
  const Ran column = run("bloomery inspect --dialect parquet:uint16 arrow_types.parquet");
  EXPECT_TRUE(says(column.out, "physical type    INT32\n")) << column.out;
  EXPECT_TRUE(says(column.out, "logical type     INT(16, unsigned)\n")) << column.out;
  EXPECT_TRUE(says(run("bloomery inspect --dialect parquet:bare arrow_types.parquet").out,
                   "row groups without a filter 2"));
}

// Old releases of parquet-rs wrote 0 for the number of rows. The row groups tell it.
TEST_F(ParquetQuery, InspectShowsTheRowsOfAFooterThatSaysZero) {
  using namespace std::string_literals;
  std::string file = golden_file("parquet/n100_p0.05.parquet");
  const std::string rows =
      "\x16\xd0\x0f\x19\x1c";  // num_rows of 1,000, in front of the list of one row group
  const std::size_t at = file.rfind(rows);
  ASSERT_NE(at, std::string::npos);
  file.replace(at, rows.size(), "\x16\x00\x19\x1c"s);
  auto* const footer_bytes = reinterpret_cast<std::byte*>(file.data() + file.size() - 8);
  store_little(footer_bytes, load_little32(footer_bytes) - 1);
  write("zero.parquet", file);
  const std::string true_ones = run("bloomery inspect n100_p0.05.parquet | grep -v '^file'").out;
  EXPECT_TRUE(says(true_ones, "\nrows             1000\n")) << true_ones;
  const Ran ran = run("bloomery inspect zero.parquet > out; echo $?; grep -v '^file' out");
  EXPECT_EQ(ran.out, "0\n" + true_ones) << ran.err;
}

TEST_F(ParquetQuery, FppAsksByValue) {
  const Ran ran = run(
      "seq 1000000 1009999 > absent; bloomery fpp --dialect parquet:l n500_p0.001.parquet --absent absent");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(says(ran.out, "false positives")) << ran.out;
  EXPECT_FALSE(says(ran.out, "false positives  10,000")) << ran.out;
}

}  // namespace
}  // namespace bloomery
