// The fields of a line as a user asks for them: blanks, CSV, JSON, columns by name, and lines that lack the field.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class Fields : public ::testing::Test {
 protected:
  Shell shell;
};

TEST_F(Fields, BlanksInRunsSeparateAsForAwk) {
  const Ran ran = shell.run(
      "printf '  ann   10.0.0.1\\tx\\nbob 10.0.0.2\\n\\tann\\t10.0.0.1\\n' > log;"
      "bloomery dedup -w -k 2 log");
  EXPECT_EQ(ran.out, "  ann   10.0.0.1\tx\nbob 10.0.0.2\n") << ran.err;
  EXPECT_EQ(shell.run("bloomery dedup -w -k 2,1 --only-key log").out, "10.0.0.1 ann\n10.0.0.2 bob\n");
}

TEST_F(Fields, TheDelimiterMayBeWrittenAsAnEscape) {
  EXPECT_EQ(shell.run("printf '1\\001a\\n2\\001a\\n' | bloomery dedup -d '\\x01' -k 2").out, "1\001a\n");
  EXPECT_EQ(shell.run("printf '1\\ta\\n2\\ta\\n' | bloomery dedup -d '\\t' -k 2").out, "1\ta\n");
  EXPECT_EQ(shell.run("printf '1\\\\a\\n2\\\\a\\n' | bloomery dedup -d '\\\\' -k 2").out, "1\\a\n");
  for (const std::string wrong : {"ab", "'\\x1'", "'\\xgg'", "'\\n'"}) {
    EXPECT_EQ(shell.run("bloomery dedup -k 1 -d " + wrong + " < /dev/null").status, 2) << wrong;
  }
}

TEST_F(Fields, CsvFieldsMayHoldDelimitersAndQuotes) {
  const std::string table =
      "printf '1,\"Oslo, Norway\",x\\r\\n2,\"say \"\"yes\"\"\"\\r\\n3,Oslo\\r\\n4,\"Oslo, Norway\"\\r\\n' > "
      "t.csv;";
  const Ran ran = shell.run(table + "bloomery dedup --csv -k 2 t.csv | cut -d, -f1");
  EXPECT_EQ(ran.out, "1\n2\n3\n") << ran.err;
  EXPECT_EQ(shell.run("bloomery dedup --csv -k 2 --only-key t.csv").out, "Oslo, Norway\nsay \"yes\"\nOslo\n");
  EXPECT_EQ(shell.run("printf 'a;\"b;c\"\\n' | bloomery dedup --csv -d ';' -k 2 --only-key").out, "b;c\n");
}

// Lists of the NSRL have quotes in file names that are not doubled. The digest stands before them.
TEST_F(Fields, QuotesBehindTheWantedFieldLoseNoKey) {
  shell.run(
      "printf '\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\"\\n\"AA\",\"11\",\"0\",\"read.me\",1\\n"
      "\"BB\",\"22\",\"0\",\"5.25\" label.doc\",2\\n\"CC\",\"33\",\"0\",\"a\"b\"\\n\"DD\",\"44\",\"0\",\"c\" "
      "d, "
      "e\",5\\n' > nsrl");
  const Ran ran = shell.run(
      "bloomery build --key-form hex --csv --header SHA-1 -o f nsrl; bloomery query -c f <(printf "
      "'aa\\nbb\\ncc\\ndd\\n')");
  EXPECT_EQ(ran.out, "4\n") << ran.err;
  // The field itself, and one before the wanted one, must be whole; so must the record.
  for (const std::string header : {"FileName", "FileSize"}) {
    EXPECT_EQ(shell.run("bloomery dedup --csv --header " + header + " nsrl").status, 2) << header;
  }
  const Ran open = shell.run("printf '1,\"x\" y\\n2,\"x\" y,\"open\\n3\",z\\n' | bloomery dedup --csv -k 1");
  EXPECT_EQ(open.status, 2);
  EXPECT_TRUE(says(open.err, "line 1: CSV field 2: expected a closing quote")) << open.err;
}

TEST_F(Fields, AMalformedCsvLineIsNamedOrSkippedAndCounted) {
  shell.run("printf '1,a\\n2,\"open\\nstill\",3\\n4,d\\n5,\"x\"y\\n' > t.csv");
  const Ran named = shell.run("bloomery dedup --csv -k 1 t.csv");
  EXPECT_EQ(named.status, 2);
  EXPECT_EQ(named.out, "1,a\n");
  EXPECT_TRUE(says(named.err, "t.csv: line 2: CSV field 2: expected a closing quote")) << named.err;
  for (const std::string verb : {"dedup", "query f.bloom", "dedup --exact"}) {
    const Ran skipped =
        shell.run("seq 9 | bloomery build -o f.bloom -n 9 -p 1e-6 --force --no-summary; bloomery " + verb +
                  " --csv -k 1 --skip-bad-lines t.csv");
    EXPECT_EQ(skipped.status, 0) << skipped.err;
    EXPECT_EQ(skipped.out, "1,a\n4,d\n") << verb;
    EXPECT_TRUE(says(skipped.err, "3 bad lines were left out")) << skipped.err;
  }
}

// The recipe of docs/command.md: the error of such a file names it.
TEST_F(Fields, CsvFieldsOfSeveralLinesAreReadAsJsonLines) {
  shell.run(R"sh(
printf 'id,note,city\n1,"two\nlines",Rome\n2,one,Oslo\n3,"two\nmore",Rome\n4,"two\nlines",Bonn\n' > notes.csv
cat > json_lines.py <<'END'
import csv, json, sys
for record in csv.DictReader(open(sys.argv[1], newline="")):
    print(json.dumps(record))
END
)sh");
  for (const std::string options : {"--header city", "-k 1"}) {
    const Ran refused = shell.run("bloomery dedup --csv " + options + " notes.csv");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(says(refused.err, "make JSON lines, one a record, and take --json-field")) << refused.err;
  }
  const std::string lines = "python3 json_lines.py notes.csv | bloomery dedup --json-field ";
  EXPECT_EQ(shell.run(lines + "city --only-key").out, "Rome\nOslo\nBonn\n");
  EXPECT_EQ(shell.run(lines + "note | jq -r .id").out, "1\n2\n3\n") << "a key may have several lines";
}

TEST_F(Fields, AColumnIsFoundByItsNameInEachFile) {
  shell.run(
      "printf 'id,city\\n1,Oslo\\n2,Bonn\\n' > a.csv; printf 'city,id\\nRome,3\\nOslo,4\\n' > b.csv;"
      "printf '\"city\"\\nOslo\\n' > c.csv; bloomery build -o f.bloom -p 1e-6 --csv --header city c.csv");
  const Ran ran = shell.run("bloomery query --summary --csv --header city f.bloom a.csv b.csv");
  EXPECT_EQ(ran.out, "id,city\n1,Oslo\nOslo,4\n") << "the header of the first file is passed through";
  EXPECT_TRUE(says(ran.err, "4 keys, 2 may be in")) << ran.err;
  EXPECT_TRUE(says(ran.err, "different header lines")) << ran.err;
  EXPECT_EQ(shell.run("bloomery query -c --csv --header city f.bloom a.csv b.csv").out, "a.csv:1\nb.csv:1\n");
  EXPECT_EQ(shell.run("bloomery query --only-key --csv --header id -v f.bloom a.csv b.csv").out,
            "1\n2\n3\n4\n");
  EXPECT_EQ(shell.run("bloomery dedup --exact --csv --header city a.csv b.csv").out,
            "id,city\n1,Oslo\n2,Bonn\nRome,3\n");
  EXPECT_EQ(shell.run("bloomery dedup --csv --header city a.csv b.csv").out,
            "id,city\n1,Oslo\n2,Bonn\nRome,3\n");
  EXPECT_EQ(shell.run("printf 'a\\tid\\n1\\t2\\n' | bloomery dedup --header id --only-key").out, "2\n");
}

TEST_F(Fields, AColumnThatIsNotThereIsNamedWithThoseThatAre) {
  const Ran ran = shell.run("printf 'id,city\\n1,Oslo\\n' | bloomery dedup --csv --header town");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(
      says(ran.err, "line 1: header: expected one column 'town', found none: the columns are id,city"))
      << ran.err;
  EXPECT_EQ(shell.run("printf 'a,a\\n' | bloomery dedup --csv --header a").status, 2);
  EXPECT_EQ(
      shell.run("printf '1' > f; bloomery build -o f.bloom -p 0.1 f; bloomery report --header id f.bloom 5")
          .status,
      2);
}

TEST_F(Fields, AJsonFieldIsItsText) {
  const Ran ran = shell.run(
      "cat > log.json <<'END'\n"
      "{\"user\": {\"id\": \"caf\\u00e9\", \"tags\": [\"x\", 1.0]}}\n"
      "{\"user\": {\"id\": \"b\", \"tags\": [\"x\", 1]}, \"more\": [1, 2]}\n"
      "{\"more\": {}, \"user\": {\"id\": \"caf\xc3\xa9\", \"tags\": [true, 1.0]}}\n"
      "END\n"
      "bloomery dedup --json-field user.id --only-key log.json");
  EXPECT_EQ(ran.out, "caf\xc3\xa9\nb\n") << ran.err;
  EXPECT_EQ(shell.run("bloomery dedup --json-field user.tags.1 --only-key log.json").out, "1.0\n1\n");
  EXPECT_EQ(shell.run("bloomery dedup --json-field /user/tags/0 --only-key log.json").out, "x\ntrue\n");
  EXPECT_EQ(shell
                .run("echo b | bloomery build -o f.bloom -n 1 -p 1e-6; "
                     "bloomery query --json-field user.id f.bloom log.json")
                .out,
            "{\"user\": {\"id\": \"b\", \"tags\": [\"x\", 1]}, \"more\": [1, 2]}\n");
}

TEST_F(Fields, AMalformedJsonLineIsNamedOrSkippedAndCounted) {
  shell.run("printf '{\"a\":1}\\n{\"a\":2\\n{\"a\":3} {\"a\":4}\\n{\"a\":5}\\n' > log");
  const Ran named = shell.run("bloomery dedup --json-field a log");
  EXPECT_EQ(named.status, 2);
  EXPECT_TRUE(says(named.err, "log: line 2: JSON: expected one object or array")) << named.err;
  const Ran skipped = shell.run("bloomery dedup --json-field a --only-key --skip-bad-lines log");
  EXPECT_EQ(skipped.out, "1\n5\n");
  EXPECT_TRUE(says(skipped.err, "2 bad lines were left out")) << skipped.err;
}

// A line that ends the run is not said to have been taken.
TEST_F(Fields, ALineThatIsRefusedIsNotSaidToBeTaken) {
  shell.run(
      "printf '{\"u\":{\"id\":1}}\\n{\"u\":{\"id\":2}}\\n{\"u\":{}}\\n' > log;"
      "echo 1 | bloomery build -o f.bloom");
  for (const std::string verb : {"dedup", "dedup --exact", "query --missing error f.bloom"}) {
    const Ran ran = shell.run("bloomery " + verb + " --json-field u.id log");
    EXPECT_EQ(ran.status, 2) << verb;
    EXPECT_TRUE(says(ran.err, "log: line 3: JSON field 'u.id': expected in every line")) << verb << ran.err;
    EXPECT_FALSE(says(ran.err, "lack")) << verb << ran.err;
  }
}

// A delimiter that does not fit gives all lines one key. That must not cost the lines.
TEST_F(Fields, DedupDoesNotThrowAwayLinesThatLackTheField) {
  const Ran refused = shell.run("seq 2000 | bloomery dedup -d , -k 2");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err, "standard input: line 1: field 2: expected in every line")) << refused.err;
  EXPECT_FALSE(says(refused.err, "with an empty field")) << refused.err;
  const Ran kept = shell.run("seq 2000 | bloomery dedup -d , -k 2 --missing keep --no-summary");
  EXPECT_EQ(kept.out, "1\n");
  EXPECT_TRUE(says(kept.err,
                   "warning: 2,000 of 2,000 lines lack field 2 and were taken with an empty field: does "
                   "the delimiter fit"))
      << kept.err;
  EXPECT_TRUE(says(kept.err, "warning: all 2,000 keys are equal")) << kept.err;
}

TEST_F(Fields, LinesWithoutTheFieldAreCountedKeptOrSkipped) {
  shell.run("(seq 999 | sed 's/.*/&,a&/'; echo alone; echo 1000,a1000) > lines");
  const Ran kept = shell.run("bloomery build -o f.bloom -p 1e-6 -d , -k 2 lines");
  EXPECT_EQ(kept.status, 0);
  EXPECT_TRUE(says(kept.err, "1 of 1,001 lines lack field 2 and were taken with an empty field")) << kept.err;
  EXPECT_FALSE(says(kept.err, "warning")) << kept.err;
  const Ran skipped =
      shell.run("bloomery build --summary --force -o f.bloom -p 1e-6 -d , -k 2 --missing skip lines");
  EXPECT_TRUE(says(skipped.err, "1,000 keys into")) << skipped.err;
  EXPECT_TRUE(says(skipped.err, "1 of 1,001 lines lack field 2 and were left out")) << skipped.err;
  EXPECT_EQ(shell.run("bloomery query --missing skip -vc -d , -k 2 f.bloom lines").out, "0\n");
  EXPECT_EQ(shell.run("bloomery query -v -d , -k 2 f.bloom lines").out, "alone\n");
  EXPECT_EQ(shell.run("bloomery query --missing skip -d , -k 2 f.bloom lines | wc -l").out, "1000\n");
  EXPECT_EQ(shell.run("bloomery query --missing error -d , -k 2 f.bloom lines").status, 2);
  EXPECT_EQ(shell.run("bloomery dedup --missing skip -d , -k 2 lines | wc -l").out, "1000\n");
  EXPECT_TRUE(says(shell.run("bloomery query -q -d , -k 3 --missing skip f.bloom lines; echo $?").out, "1"));
}

// Lines are dropped for all filters that are asked at once, and conflicts keep the numbers of their lines.
TEST_F(Fields, LeftOutLinesDisturbNoOthers) {
  const Ran both = shell.run(
      "printf '1\\nx\\n2\\n3\\n' > keys; seq 2 | bloomery build -o int.bloom -n 2 -p 1e-6 --key-form int64;"
      "echo 3 | bloomery build -o text.bloom -n 1 -p 1e-6;"
      "bloomery query --skip-bad-lines int.bloom -f text.bloom keys");
  EXPECT_EQ(both.out, "1\n2\n3\n") << both.err;
  const Ran conflict = shell.run(
      "printf 'k,v\\nbad\\na,1\\nb,2\\n' > m; printf 'k,v\\nz,9\\nbad\\nbad\\nb,2\\n' > e;"
      "bloomery build -o f.bloom -p 1e-6 --csv --header v --missing skip --exceptions e -- m");
  EXPECT_EQ(conflict.status, 2);
  EXPECT_TRUE(says(conflict.err, "conflict: exception e: line 5 is member m: line 4") ||
              says(conflict.err, "exception e:5 is member m:4"))
      << conflict.err;
}

TEST_F(Fields, BadKeysOfAFormAreSkippedAndCounted) {
  for (const std::string form : {"int32", "int64", "hex"}) {
    const Ran ran = shell.run(
        "printf '10\\nxyz\\n20\\n10\\n' > keys; bloomery build --summary --force -o f.bloom -p 1e-6 "
        "--skip-bad-lines --key-form " +
        form + " keys");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(says(ran.err, "3 keys into")) << ran.err;
    EXPECT_TRUE(says(ran.err, "1 bad line was left out")) << ran.err;
    EXPECT_EQ(shell.run("bloomery query --skip-bad-lines f.bloom keys").out, "10\n20\n10\n");
    EXPECT_EQ(shell.run("bloomery query -v --skip-bad-lines f.bloom keys").out, "");
    EXPECT_EQ(shell.run("bloomery query f.bloom keys").status, 2);
    EXPECT_EQ(shell.run("bloomery dedup --skip-bad-lines --key-form " + form + " keys").out, "10\n20\n");
    EXPECT_EQ(shell.run("bloomery dedup --exact --skip-bad-lines --key-form " + form + " keys").out,
              "10\n20\n");
    const Ran added = shell.run("bloomery add --summary --skip-bad-lines f.bloom keys");
    EXPECT_TRUE(says(added.err, "3 keys added")) << added.err;
    EXPECT_TRUE(says(added.err, "1 bad line was")) << added.err;
  }
}

TEST_F(Fields, DialectsLeaveOutLinesToo) {
  const Ran ran = shell.run(
      "printf '1\\nx\\n2\\n' > keys; bloomery build --summary --dialect guava -o f.bf -n 3 -p 1e-6 "
      "--key-form int64 "
      "--skip-bad-lines keys; bloomery query --dialect guava --key-form int64 --skip-bad-lines f.bf keys");
  EXPECT_EQ(ran.out, "1\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "2 keys into")) << ran.err;
}

// The keys of a stream wait until they are counted. A line that is left out is none of them.
TEST_F(Fields, LinesLeftOutOfAStreamAreNotCounted) {
  shell.run("printf '1\\nx\\n2\\ny\\n' > keys");
  for (const std::string kind : {"", "--dialect guava", "-t ribbon"}) {
    const Ran ran =
        shell.run("cat keys | bloomery build --force --summary --skip-bad-lines --key-form int64 " + kind +
                  " -o f.bloom");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(says(ran.err, "build: 2 ")) << ran.err;
    EXPECT_TRUE(says(ran.err, "2 bad lines were left out")) << ran.err;
  }
  for (const std::string kind : {"--dialect guava", "-t ribbon"}) {
    const std::string strict = "bloomery build --force --strict --skip-bad-lines --key-form int64 -p 0.01 " +
                               kind + " -o f.bloom keys -n ";
    EXPECT_EQ(shell.run(strict + "2").status, 0) << kind;
    EXPECT_EQ(shell.run(strict + "1").status, 4) << kind;
  }
  const Ran removed = shell.run(
      "bloomery build --skip-bad-lines --key-form int64 -t quotient -o f.quotient keys;"
      "bloomery remove --summary --skip-bad-lines f.quotient keys");
  EXPECT_TRUE(says(removed.err, "2 keys removed")) << removed.err;
}

TEST_F(Fields, OnlyKeyPrintsTheKeysText) {
  EXPECT_EQ(shell.run("printf 'a,1\\nb,1\\na,2\\n' | bloomery dedup -d , -k 1 --only-key").out, "a\nb\n");
  EXPECT_EQ(shell.run("printf 'a,1\\nb,1\\na,2\\n' | bloomery dedup -d , -k 1 --only-key --repeated").out,
            "a\n");
  EXPECT_EQ(shell.run("printf 'a,1\\nb,1\\na,2\\n' | bloomery dedup -d , -k 1 --only-key --count").out,
            "      2 a\n      1 b\n");
  EXPECT_EQ(shell.run("printf 'a,1,x\\n' | bloomery dedup -d , -k 3,1 --only-key").out, "x,a\n");
  EXPECT_EQ(shell.run("printf 'a\\r\\n' | bloomery dedup --crlf --only-key").out, "a\n");
  EXPECT_EQ(shell.run("bloomery dedup --csv --header a --count --only-key < /dev/null").status, 2);
}

TEST_F(Fields, OptionsThatExcludeEachOtherAreRefused) {
  for (const std::string options :
       {"-w -k 1 -d ,", "-w --csv -k 1", "--csv", "-w", "--json-field a -k 1", "--json-field a -d ,",
        "--json-field a --csv", "--header a -k 1", "--missing skip", "-k 1 --missing often",
        "--json-field a..b", "--json-field /a~2", "--csv -k 1 -d '\"'"}) {
    EXPECT_EQ(shell.run("bloomery dedup " + options + " < /dev/null").status, 2) << options;
  }
}

}  // namespace
}  // namespace bloomery
