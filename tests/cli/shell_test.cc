// bloomery shell: scripts of commands, with their complete output and exit status.
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// `shell COMMANDS` runs a script on `root` with timestamps as numbers; `masked` hides times of the clock and names of regions.
constexpr const char* kShellPrelude = R"sh(
export TZ=UTC
shell() { bloomery shell --create --epoch root -e "$1"; }
masked() { sed -E 's/timestamp=[0-9]{13}/timestamp=T/; s/[0-9a-f]{32}/HEX/g'; }
)sh";

class ShellScripts : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const {
    return commands.run("COMMAND='" BLOOMERY_COMMAND "'" + std::string(kShellPrelude) + line);
  }

  Shell commands;
};

TEST_F(ShellScripts, RowsAreWrittenAndRead) {
  const Ran ran = run(R"sh(
bloomery shell --create root <<'END'
create 't', 'f', {NAME => 'g', VERSIONS => 3}
put 't', 'r1', 'f:a', 'v', 1700000000000   # a comment
put 't', 'r1', 'g:b', "x\x00\\ y", 1700000000001
put 't', 'r1', 'g:b', 5, 1700000000120; put 't', 'r2', 'f:', true, 0
get 't', 'r1'
get('t', 'r1', 'f:a')
get 't', 'r1', {COLUMN => ['f:none', 'g'],
                VERSIONS => 2}
get 't', 'absent'
scan 't', {STARTROW => 'r2'}
scan 't', {COLUMNS => 'g', REVERSED => true, MAXLENGTH => 9}
scan 't', {FILTER => "ValueFilter(=, 'binary:v')", LIMIT => 1}
scan 't', ROWPREFIXFILTER => 'x'
END
echo $?
)sh");
  EXPECT_EQ(ran.out, R"(Created table t
COLUMN  CELL
 f:a timestamp=2023-11-14T22:13:20, value=v
 g:b timestamp=2023-11-14T22:13:20.120, value=5
1 row(s)
COLUMN  CELL
 f:a timestamp=2023-11-14T22:13:20, value=v
1 row(s)
COLUMN  CELL
 g:b timestamp=2023-11-14T22:13:20.120, value=5
 g:b timestamp=2023-11-14T22:13:20.001, value=x\x00\x5C y
1 row(s)
COLUMN  CELL
0 row(s)
ROW  COLUMN+CELL
 r2 column=f:, timestamp=1970-01-01T00:00, value=true
1 row(s)
ROW  COLUMN+CELL
 r1 column=g:b, timestamp
1 row(s)
ROW  COLUMN+CELL
 r1 column=f:a, timestamp=2023-11-14T22:13:20, value=v
1 row(s)
ROW  COLUMN+CELL
0 row(s)
0
)");
  EXPECT_EQ(ran.err, "");
}

TEST_F(ShellScripts, CountersAndAppendsPrintTheNewValue) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'
incr 't', 'r', 'f:n'
incr 't', 'r', 'f:n', -3
get_counter 't', 'r', 'f:n'
get_counter 't', 'r', 'f:none'
append 't', 'r', 'f:a', 'one'
append 't', 'r', 'f:a', \"\x00\"
get 't', 'r', 'f:n:toLong', 'f:a'" | masked
shell "get_counter 't', 'r', 'f:a'"; echo $?
shell "incr 't', 'r', 'f:a'"; echo $?
shell "incr 't', 'r', 'f'"; echo $?
)sh");
  EXPECT_EQ(ran.out, R"(Created table t
COUNTER VALUE = 1
COUNTER VALUE = -2
COUNTER VALUE = -2
No counter found at specified coordinates
CURRENT VALUE = one
CURRENT VALUE = one\x00
COLUMN  CELL
 f:a timestamp=T, value=one\x00
 f:n timestamp=T, value=-2
1 row(s)
2
2
2
)");
  EXPECT_TRUE(says(ran.err, "f:a: expected a value of 8 bytes, found 4")) << ran.err;
}

// delete hides one version, deleteall all of them.
TEST_F(ShellScripts, DeletesAreThoseOfHBase) {
  const Ran ran = run(R"sh(
shell "create 't', {NAME => 'f', VERSIONS => 9}, 'g'
[]" 2>/dev/null
for row in newest time column family row old; do
  for time in 1 2 3; do echo "put 't', '$row', 'f:q', $time, $time"; done
  echo "put 't', '$row', 'g:q', 'g', 3"
done > puts
bloomery shell root puts
shell "delete 't', 'newest', 'f:q'
delete 't', 'time', 'f:q', 2
deleteall 't', 'column', 'f:q'
deleteall 't', 'family', 'f'
deleteall 't', 'row'
deleteall 't', 'old', nil, 2
scan 't', {VERSIONS => 9}
scan 't', {RAW => true, VERSIONS => 9, ROWPREFIXFILTER => 'col'}
deleteall 't', {ROWPREFIXFILTER => 'o'}
deleteall 't', {ROWPREFIXFILTER => 'absent'}
count 't'" | masked
)sh");
  EXPECT_EQ(ran.out, R"(Created table t
ROW  COLUMN+CELL
 column column=g:q, timestamp=3, value=g
 family column=g:q, timestamp=3, value=g
 newest column=f:q, timestamp=2, value=2
 newest column=f:q, timestamp=1, value=1
 newest column=g:q, timestamp=3, value=g
 old column=f:q, timestamp=3, value=3
 old column=g:q, timestamp=3, value=g
 time column=f:q, timestamp=3, value=3
 time column=f:q, timestamp=1, value=1
 time column=g:q, timestamp=3, value=g
5 row(s)
ROW  COLUMN+CELL
 column column=f:q, timestamp=T, type=DeleteColumn
 column column=f:q, timestamp=3, value=3
 column column=f:q, timestamp=2, value=2
 column column=f:q, timestamp=1, value=1
 column column=g:q, timestamp=3, value=g
1 row(s)
1 row(s)
0 row(s)
4 row(s)
)") << ran.err;
}

TEST_F(ShellScripts, TablesAreMadeAlteredAndRemoved) {
  const Ran ran = run(R"sh(
printf 'g\nn\\x00\n' > splits
shell "create 'ns:t', {NAME => 'f', VERSIONS => 5, TTL => 86400, CONFIGURATION => {'RowPrefixBloomFilter.prefix_length' => 2}, BLOOMFILTER => 'ROWPREFIX_FIXED_LENGTH'}, MAX_FILESIZE => '1GB', SPLITS_FILE => 'splits'
create 't', ['a', 'b']; create 'other', 'f'
list; list 'o.*|ns:t'
alter 't', {NAME => 'b', METHOD => 'delete'}, 'c', MEMSTORE_FLUSHSIZE => '64MB'
alter 't', NAME => 'a', COMPRESSION => 'ZSTD'
desc 't'
alter 't', 'delete' => 'c'
alter 't', METHOD => 'table_att_unset', NAME => 'MEMSTORE_FLUSHSIZE'
describe 't'
exists 't'; exists 'default:t'; exists 'x'
list_namespace
put 't', 'r', 'a:q', 'v'; truncate 't'; count 't'
drop 't'; list"
bloomery table info --root root --table ns:t | grep region | cut -d: -f2 | cut -d';' -f1
bloomery table info --root root --table ns:t | grep family
)sh");
  const auto family = [](const std::string& name, const std::string& compression) {
    return "{NAME => '" + name +
           "', BLOCKCACHE => 'true', BLOCKSIZE => '65536', BLOOMFILTER => 'ROW', COMPRESSION => '" +
           compression +
           "', DATA_BLOCK_ENCODING => 'NONE', INDEX_BLOCK_ENCODING => 'NONE', IN_MEMORY => 'false', "
           "KEEP_DELETED_CELLS => 'FALSE', MIN_VERSIONS => '0', REPLICATION_SCOPE => '0', TTL => 'FOREVER', "
           "VERSIONS => '1'}\n\n";
  };
  const std::string updated = "Updating all regions with the new schema...\n1/1 regions updated.\nDone.\n";
  const std::string described = "Table t is ENABLED\nt, {TABLE_ATTRIBUTES => {";
  const std::string tracker =
      "METADATA => {'hbase.store.file-tracker.impl' => 'FILE'}}}\nCOLUMN FAMILIES DESCRIPTION\n";
  EXPECT_EQ(ran.out,
            "Created table ns:t\nCreated table t\nCreated table other\n"
            "TABLE\nns:t\nother\nt\n3 row(s)\nTABLE\nns:t\nother\n2 row(s)\n" +
                updated + updated + described + "MEMSTORE_FLUSHSIZE => '67108864', " + tracker +
                family("a", "ZSTD") + family("c", "NONE") + "2 row(s)\n" + updated + updated + described +
                tracker + family("a", "ZSTD") +
                "1 row(s)\n"
                "Table t does exist\nTable default:t does exist\nTable x does not exist\n"
                "NAMESPACE\ndefault\nns\n2 row(s)\n"
                "Truncating 't' table (it may take a while):\nTruncating table...\n0 row(s)\n"
                "TABLE\nns:t\nother\n2 row(s)\n"
                " from the first row to before g\n from g to before n\\x00\n from n\\x00 on\n"
                "family   f: VERSIONS 5, TTL 86400 s, BLOOMFILTER ROWPREFIX_FIXED_LENGTH, file tracker "
                "FILE\n")
      << ran.err;
}

// What describe prints can be typed again.
TEST_F(ShellScripts, ADescriptionIsAnArgumentOfCreate) {
  const Ran ran = run(R"sh(
shell "create 't', {NAME => 'f', VERSIONS => 3, TTL => '1 DAY', BLOOMFILTER => 'ROWPREFIX_FIXED_LENGTH', CONFIGURATION => {'RowPrefixBloomFilter.prefix_length' => 4}}, 'g'
describe 't'" | grep '^{' > families
(echo "create 'again'"; cat families) | sed '/^$/d' | paste -sd, > script
bloomery shell root script
shell "describe 'again'" | grep '^{' | cmp - families && echo same
)sh");
  EXPECT_EQ(ran.out, "Created table again\nsame\n") << ran.err;
}

TEST_F(ShellScripts, FilesAreFlushedCompactedAndExplained) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'
put 't', 'a', 'f:q', 'v'; flush 't'; put 't', 'b', 'f:q', 'v'; flush 't'
explain get 't', 'b'
explain scan 't', {STOPROW => 'b'}
explain count 't'
major_compact 't'
compact 't'
explain get 't', 'b'" 2>err | masked | sed -E 's/at byte [0-9]+, [0-9]+ bytes, from .*/at byte N/' | uniq
cat err
shell "explain put 't', 'a', 'f:q', 'v'"; echo $?
)sh");
  EXPECT_EQ(ran.out, R"(Created table t
root/data/default/t/HEX/f/HEX: skipped by its key range: rows a to a
root/data/default/t/HEX/f/HEX: read
  Bloom chunk at byte N
  data block at byte N
1 row(s)
root/data/default/t/HEX/f/HEX: read
  data block at byte N
root/data/default/t/HEX/f/HEX: read
  data block at byte N
1 row(s)
root/data/default/t/HEX/f/HEX: read
  data block at byte N
root/data/default/t/HEX/f/HEX: read
  data block at byte N
2 row(s)
root/data/default/t/HEX/f/HEX: read
  Bloom chunk at byte N
  data block at byte N
1 row(s)
2
)");
}

TEST_F(ShellScripts, SnapshotsAreTakenClonedAndDeleted) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'
put 't', 'a', 'f:q', 'old', 1; put 't', 'm', 'f:q', 'old', 1
snapshot 't', 'monday'; snapshot 't', 'sunday'
put 't', 'a', 'f:q', 'new', 2
split 't', 'm'
clone_snapshot 'monday', 'ns:copy'
scan 'ns:copy'
scan 't'
list_snapshots 'mon.*'
delete_snapshot 'monday'
list_snapshots" | sed -E 's/\([0-9]{13}\)/(T)/'
bloomery shell --read-only root -e list_snapshots
bloomery table info --root root --table t | grep -c region
shell "snapshot 't', 'sunday'"; echo $?
shell "clone_snapshot 'monday', 'other'"; echo $?
shell "delete_snapshot 'monday'"; echo $?
)sh");
  EXPECT_EQ(ran.out, R"(Created table t
ROW  COLUMN+CELL
 a column=f:q, timestamp=1, value=old
 m column=f:q, timestamp=1, value=old
2 row(s)
ROW  COLUMN+CELL
 a column=f:q, timestamp=2, value=new
 m column=f:q, timestamp=1, value=old
2 row(s)
SNAPSHOT  TABLE + CREATION TIME
 monday t (T)
1 row(s)
SNAPSHOT  TABLE + CREATION TIME
 sunday t (T)
1 row(s)
SNAPSHOT  TABLE + CREATION TIME
 sunday t
1 row(s)
2
2
2
2
)") << ran.err;
}

TEST_F(ShellScripts, AScriptStopsAtItsFirstError) {
  const Ran ran = run(R"sh(
cat > script <<'END'
create 't', 'f'
put 't', 'r', 'f:q', 'v'

get 'none', 'r'
scan 't'
gett 't'
get 't', r
END
bloomery shell --create root script; echo "status $?"
bloomery shell root < script; echo "status $?"
sed -i 1d script
bloomery shell --epoch --go-on root script | masked; echo "status ${PIPESTATUS[0]}"
bloomery shell root -e "get 't', 'r" ; echo "status $?"
bloomery shell root none; echo "status $?"
printf 'list' | bloomery shell root -; echo "status $?"
printf 'exit\nget\n' | bloomery shell root; echo "status $?"
)sh");
  EXPECT_EQ(ran.out,
            "Created table t\nstatus 2\nstatus 2\n"
            "ROW  COLUMN+CELL\n r column=f:q, timestamp=T, value=v\n1 row(s)\nstatus 2\n"
            "status 2\nstatus 2\nTABLE\nt\n1 row(s)\nstatus 0\nstatus 0\n");
  EXPECT_EQ(
      ran.err,
      "bloomery shell: script: line 4: root: none: expected a table; there are t (not found)\n"
      "bloomery shell: standard input: line 1: t: expected a new table, found one (invalid argument)\n"
      "bloomery shell: script: line 3: root: none: expected a table; there are t (not found)\n"
      "bloomery shell: script: line 5: gett: expected a command, found another word; did you mean get?; "
      "`help` "
      "lists them (invalid argument)\n"
      "bloomery shell: script: line 6, column 10: expected a text in quotes, found r; Ruby's variables and "
      "methods are not supported\n  get 't', r\n           ^\n"
      "bloomery shell: -e: line 1, column 10: expected the end of this text, found none\n  get 't', 'r\n"
      "           ^\n"
      "bloomery shell: none: open: No such file or directory (not found)\n");
}

TEST_F(ShellScripts, WrongArgumentsAreNamed) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'" >/dev/null
for command in "create 't'" "create 't'" "create 'u', {NAME => 'f', VERSION => 3}" "create 'u', {NAME => 'f', VERSIONS => 0}" \
  "create 'u', MAX_FILESIZE => 1" "create 'u', 'f', 'f'" "alter 't'" "alter 't', {NAME => 'f', METHOD => 'x'}" \
  "alter 't', METHOD => 'table_att_unset', NAME => 'hbase.store.file-tracker.impl'" "put 't', 'r', 'f:q'" "put 't', 'r', 'x:q', 'v'" \
  "put 't', 'r', 'f:q', nil" "put 't', 'r', 'f:q', 'v', {TTL => 5}" "put 't', '', 'f:q', 'v'" "get 't', 'r', {LIMIT => 3}" \
  "scan 't', {COLUMN => 'x'}" "list '('" "drop" "deleteall 't', {}" "status 1, 2" "help 'x'"; do
  shell "$command" 2>&1; [ $? = 2 ] || echo "other status: $command"
done | sed 's/^bloomery shell: -e: line 1: //' | cut -c 1-110
)sh");
  EXPECT_EQ(ran.out, R"sh(create: expected a table and its families, found fewer (invalid argument)
create: expected a table and its families, found fewer (invalid argument)
bloomery shell: -e: line 1, column 27: expected a word of this shell such as VERSIONS, found VERSION; did you 
  create 'u', {NAME => 'f', VERSION => 3}
                            ^
VERSIONS: expected 1 to 2147483647, found '0' (invalid argument)
MAX_FILESIZE: expected at least 2097152 bytes, such as 65536 or 64KB, found '1' (invalid argument)
family: expected each family once, found 'f' twice (invalid argument)
alter: expected 2 to 1000 arguments, found 1; help 'alter' has examples (invalid argument)
METHOD: expected delete, table_att, table_att_unset or table_conf_unset, found 'x' (invalid argument)
NAME: expected an attribute that a table can lack, found hbase.store.file-tracker.impl (invalid argument)
put: expected 4 to 5 arguments, found 3; help 'put' has examples (invalid argument)
family: expected one of the table, found 'x' (invalid argument)
value: expected a text, found nil (invalid argument)
put: expected no TTL, VISIBILITY and ATTRIBUTES of a write, found a hash (invalid argument)
row: expected 1 to 32767 bytes, found 0 (invalid argument)
get: expected COLUMN, COLUMNS, VERSIONS, TIMESTAMP, TIMERANGE, FILTER or MAXLENGTH, found LIMIT (invalid argum
ROW  COLUMN+CELL
family: expected one of the table (f), found 'x' (invalid argument)
list: expected a regular expression, found '(' (invalid argument)
drop: expected 1 argument, found 0; help 'drop' has examples (invalid argument)
ROWPREFIXFILTER: expected a prefix of rows, found none (invalid argument)
status: expected 0 to 1 arguments, found 2; help 'status' has examples (invalid argument)
help: expected a command, found x (invalid argument)
)sh") << ran.err;
}

TEST_F(ShellScripts, ARootThatIsReadOnly) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'
put 't', 'r', 'f:q', 'v', 5" >/dev/null
bloomery shell --read-only --epoch root -e "get 't', 'r'; list; count 't'; status; put 't', 'r', 'f:q', 'v'"; echo $?
rm -r root/.bloomery
bloomery shell --epoch root -e "scan 't'; list_snapshots" | grep -v hbase; echo ${PIPESTATUS[0]}
bloomery shell root -e "put 't', 'r', 'f:q', 'v'"; echo $?
bloomery shell none -e list; echo $?
mkdir empty; bloomery shell empty -e list; echo $?
cd root; bloomery shell -e "exists 't'" 2>/dev/null
)sh");
  EXPECT_EQ(ran.out,
            "COLUMN  CELL\n f:q timestamp=5, value=v\n1 row(s)\nTABLE\nt\n1 row(s)\n1 row(s)\n"
            "root: open for reading, 1 table\n2\n"
            "ROW  COLUMN+CELL\n r column=f:q, timestamp=5, value=v\n1 row(s)\nSNAPSHOT  TABLE + CREATION "
            "TIME\n0 row(s)\n0\n2\n2\n2\n"
            "Table t does exist\n")
      << ran.err;
  EXPECT_TRUE(says(ran.err, "root: expected a root that is open for writing, found one that is only read"))
      << ran.err;
  EXPECT_TRUE(says(ran.err, "root: no root of a store, so it is only read")) << ran.err;
}

TEST_F(ShellScripts, ASecondShellIsToldWhoHasTheRoot) {
  const Ran ran = run(R"sh(
shell "create 't', 'f'" >/dev/null
mkfifo in out
"$COMMAND" shell root < in > out & first=$!
exec 3> in 4< out
echo list >&3
read -r line <&4; echo "$line"
(bloomery shell root -e list; echo $?; bloomery table put root t r f:q v; echo $?) 2>&1 | sed "s/process $first /process FIRST /"
bloomery shell root --read-only -e list
exec 3>&-; wait $first; echo $?
)sh");
  EXPECT_EQ(ran.out,
            "TABLE\n"
            "bloomery shell: root: in use: process FIRST has it open; --read-only reads it meanwhile (I/O "
            "error)\n2\n"
            "bloomery table put: root: in use: process FIRST has it open (I/O error)\n2\n"
            "TABLE\nt\n1 row(s)\n0\n");
  EXPECT_EQ(ran.err, "") << ran.err;
}

// docs/shell.md: the first block of commands prints the block that follows.
TEST_F(ShellScripts, ThePagePrintsWhatTheShellPrints) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/docs/shell.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const auto block = [&page](const std::string& fence) {
    const std::size_t begin = page.find("```" + fence + "\n") + fence.size() + 4;
    return page.substr(begin, page.find("```", begin) - begin);
  };
  const Ran ran = run(block("sh"));
  EXPECT_EQ(ran.out, block("text"));
  EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace bloomery
