// bloomery table: the verbs that make, write and change tables, and what of a write survives.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// `cells TABLE OPTION...` prints the cells of a table without their mvcc; `short` also without their times.
constexpr const char* kStorePrelude = R"sh(
cells() { local table=$1; shift; bloomery table scan --root root --table "$table" "$@" | cut -f1-6; }
short() { cells "$@" | cut -f1-3,5-6; }
table() { local verb=$1; shift; bloomery table "$verb" root "$@"; }
)sh";

class TableWrites : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kStorePrelude + line); }

  Shell shell;
};

TEST_F(TableWrites, APutIsRead) {
  const Ran ran = run(R"sh(
table create t f g,VERSIONS=3 && table put t r1 f:q 'a b\x00' && table put t r1 g:q old --timestamp 5 &&
  table put t r1 g:q new --timestamp 7 || echo failed
short t
cells t --column g --versions all
bloomery table get --root root --table t --row r1 --column f:q | cut -f6
)sh");
  EXPECT_EQ(ran.out,
            "r1\tf\tq\tPut\ta\\x20b\\x00\nr1\tg\tq\tPut\tnew\n"
            "r1\tg\tq\t7\tPut\tnew\nr1\tg\tq\t5\tPut\told\na\\x20b\\x00\n")
      << ran.err;
  EXPECT_EQ(ran.err, "");
}

// A put leaves its row in the log, and a flush, or many puts, in a file.
TEST_F(TableWrites, ARowIsInTheLogUntilAFlush) {
  const Ran ran = run(R"sh(
files() { find root/data/default/t -path '*/f/*' -type f ! -path '*/.filelist/*' | wc -l; }
table create t f && table put t r1 f:q v; files
table flush; files; short t
for i in $(seq 40); do table put t r$i f:q $i || echo failed; done
[ $(find root/WALs -type f | wc -l) -le 33 ] || echo "many logs"
short t | wc -l
table flush t; table flush none; echo $?
)sh");
  EXPECT_EQ(ran.out, "0\n1\nr1\tf\tq\tPut\tv\n40\n2\n");
  EXPECT_TRUE(says(ran.err, "bloomery table flush: root: none: expected")) << ran.err;
}

TEST_F(TableWrites, ACompactionLeavesOneFileWithoutDeletedCells) {
  const Ran ran = run(R"sh(
files() { find root/data/default/t -path '*/f/*' -type f ! -path '*/.filelist/*' | wc -l; }
table create t f && table put t r1 f:q v && table flush && table put t r2 f:q v && table flush && table delete t r1 || echo failed
files; cells t --raw --versions all | cut -f1,5
table compact t; files; cells t --raw --versions all | cut -f1,5
table compact && bloomery table verify root >verified && grep -c ", 0 damaged" verified
table compact none; echo $?
table put t r3 f:q v && table flush && table compact --minor t; files
table delete t r3 && table flush; files; table compact --minor t; files; cells t --raw --versions all | cut -f1,5
)sh");
  EXPECT_EQ(ran.out,
            "2\nr1\tDeleteFamily\nr1\tPut\nr2\tPut\n1\nr2\tPut\n1\n2\n"
            "2\n3\n1\nr2\tPut\nr3\tDeleteFamily\n");
  EXPECT_TRUE(says(ran.err, "bloomery table compact: root: none: expected")) << ran.err;
}

TEST_F(TableWrites, DeletesHideWhatHBasesDo) {
  const Ran ran = run(R"sh(
table create t f,VERSIONS=9 g
for row in row family column time newest one; do
  for time in 1 2 3; do table put t $row f:q $time --timestamp $time; done
  table put t $row g:q g --timestamp 3
done
table delete t row && table delete t family f && table delete t column f:q && table delete t time f:q --timestamp 2 &&
  table delete t newest f:q --one-version && table delete t one f:q --one-version --timestamp 2 || echo failed
cells t --versions all | cut -f1-4
table delete t one f --one-version; echo $?
table delete t absent || echo failed
)sh");
  EXPECT_EQ(ran.out,
            "column\tg\tq\t3\nfamily\tg\tq\t3\nnewest\tf\tq\t2\nnewest\tf\tq\t1\nnewest\tg\tq\t3\n"
            "one\tf\tq\t3\none\tf\tq\t1\none\tg\tq\t3\ntime\tf\tq\t3\ntime\tg\tq\t3\n2\n");
  EXPECT_EQ(ran.err,
            "bloomery table delete: timestamp: expected at least 0, found none (invalid argument)\n");
}

TEST_F(TableWrites, IncrementAndAppendPrintWhatIsThereNow) {
  const Ran ran = run(R"sh(
table create t f
table increment t r f:n; table increment t r f:n 10; table increment t r f:n -- -4
table append t r f:a x; table append t r f:a ' y'
short t
table increment t r f:a; echo $?
table increment t r f:n many; echo $?
)sh");
  EXPECT_EQ(ran.out,
            "1\n11\n7\nx\nx\\x20y\nr\tf\ta\tPut\tx\\x20y\n"
            "r\tf\tn\tPut\t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\n2\n2\n");
  EXPECT_EQ(
      ran.err,
      "bloomery table increment: increment: expected a column of 8 bytes, found one of 3 (invalid argument)\n"
      "bloomery table increment: AMOUNT: expected a whole number, found 'many' (invalid argument)\n");
}

TEST_F(TableWrites, ATableHasTheAttributesAndRegionsThatWereAsked) {
  const Ran ran = run(R"sh(
table create && ls root | wc -l
table create ns:t f,VERSIONS=3,BLOOMFILTER=ROWCOL g --split t --split m --set MEMSTORE_FLUSHSIZE=64MB || echo failed
bloomery table list root
bloomery table info --json --root root --table ns:t | jq -c '[.regions | length] + [.families[] | .name]'
table alter ns:t g,TTL=100 h --remove f && bloomery table info --root root --table ns:t | grep -c -e 'TTL.*100'
table put ns:t r h:q v; table put ns:t r f:q v; echo $?
table split ns:t 'n\x00' zz && bloomery table info --json --root root --table ns:t | jq -c '[.regions[].start]'
bloomery table scan --root root --table ns:t | cut -f 1; table split ns:t t || echo $?
table truncate ns:t; short ns:t; bloomery table info --json --root root --table ns:t | jq '.regions | length'
table drop ns:t; bloomery table list root
)sh");
  EXPECT_EQ(
      ran.err,
      "bloomery table put: family: expected one of the table, found 'f' (invalid argument)\n"
      "bloomery table split: rows: expected rows at which no region begins, each once, found 't' (invalid "
      "argument)\n");
  EXPECT_EQ(ran.out,
            "2\ntable\tns:t\n[3,\"f\",\"g\"]\n1\n2\n"
            "[\"\",\"m\",\"n\\\\x00\",\"t\",\"zz\"]\nr\n2\n5\n");
}

TEST_F(TableWrites, AWrongTableIsRefusedBeforeAnythingIsMade) {
  const Ran ran = run(R"sh(
table create t f,VERSIONS=0; echo $?; table create t f,NONE=1; echo $?; table create t f,VERSIONS; echo $?
table create t; echo $?; table create t f f; echo $?; table create t f --split a --split a; echo $?
ls
mkdir root && touch root/file && table create t f; echo $?
rm -r root && table create t f && table create t f; echo $?; table create; echo $?
table alter t; echo $?
)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\nenv\nline\n2\n2\n2\n2\n");
  for (const char* const words :
       {"table create: f,VERSIONS=0: VERSIONS: expected",
        "f,VERSIONS: expected ATTRIBUTE=VALUE, found 'VERSIONS'",
        "--split: ", "root: expected an empty or a new directory, found file in it",
        "t: expected a new table, found one", "expected a family, --remove or --set, found none"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << '\n' << ran.err;
  }
}

// The lines of `hfile write`, of `table scan` and of `table scan --json`, unsorted.
TEST_F(TableWrites, AnImportTakesTheLinesThatTheOtherVerbsPrint) {
  const Ran ran = run(R"sh(
table create t f,VERSIONS=9 g; table create u f,VERSIONS=9 g; table create v f,VERSIONS=9 g
printf 'r2\tf:q\tx y\\x00\nr1\tg:a:b\tv\t5\nr1\tf:q\tfirst\t5\nr1\tf:q\tlast\t5\nr2\tf:q\t2\t9\n' |
  table import --summary t 2> said || echo failed
sed 's/[0-9]* MB/MB/' said
short t
bloomery table scan --raw --versions all --root root --table t > cells
shuf cells | table import u && bloomery table scan --json --root root --table t --versions all | table import v --json
cells t --versions all | md5sum > t; cells u --versions all | md5sum | cmp - t; cells v --versions all | md5sum | cmp - t
printf 'r1\tf\tq\t5\tDelete\t\t\t0\n' | table import t - && cells t --column f:q | grep -c r1
table import t < /dev/null; echo $?
)sh");
  EXPECT_EQ(ran.out,
            "bloomery table import: 5 cells of 5 lines; MB/s read\n"
            "r1\tf\tq\tPut\tlast\nr1\tg\ta:b\tPut\tv\nr2\tf\tq\tPut\tx\\x20y\\x00\n0\n1\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(TableWrites, CsvIsImportedByItsMapping) {
  const Ran ran = run(R"sh(
table create t f
printf 'id,when,note,price\r\n7,5,"a, ""b""",1\\x00\r\n' > a.csv
printf 'id,when,note,price\n8,6,,2\n' | gzip > b.csv.gz
table import t --csv --columns row,timestamp,f:note,f:price --header a.csv b.csv.gz || echo failed
cells t
printf '9,x,y\n' | table import t --csv --columns row,-,f:q && short t | grep ^9
printf '9,x\n' | table import t --csv --columns row,-,f:q; echo $?
for columns in f:q row row,row,f:q row,q; do table import t --csv --columns $columns < /dev/null; echo $?; done
)sh");
  EXPECT_EQ(ran.out,
            "7\tf\tnote\t5\tPut\ta,\\x20\"b\"\n7\tf\tprice\t5\tPut\t1\\x5cx00\n8\tf\tnote\t6\tPut\t\n"
            "8\tf\tprice\t6\tPut\t2\n9\tf\tq\tPut\ty\n2\n2\n2\n2\n2\n");
  for (const char* const words :
       {"standard input: line 1: fields: expected 3, found 2", "not finished; written: 0 cells of 0 lines",
        "--columns: expected row once and a column, found row 0 times and 1 column",
        "expected row, timestamp, - or FAMILY:QUALIFIER, found 'q'"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << '\n' << ran.err;
  }
}

TEST_F(TableWrites, AWrongLineIsNamedAndTheLinesBeforeItAreWritten) {
  const Ran ran = run(R"sh(
table create t f
printf 'a\tf:q\t1\nb\tf:q\t2\nc\tg:q\t3\nd\tf:q\t4\n' > lines
table import t lines; echo $?
printf 'e\tf:q\t5\nno cell\n' | table import t; echo $?
printf 'f\tf\tq\t1\tPut\tv\t3:x\t0\n' | table import t; echo $?
short t | cut -f1
)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\na\nb\ne\n");
  for (const char* const words : {"lines: line 3: family: expected one of the table, found 'g'",
                                  "not finished; written: 2 cells of 2 lines",
                                  "standard input: line 2: line: expected ROW, FAMILY:QUALIFIER, VALUE",
                                  "tags: expected none, found some"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << '\n' << ran.err;
  }
}

TEST_F(TableWrites, AnInterruptedImportKeepsWhatWasRead) {
  const Ran ran = run(R"sh(
table create t f; mkfifo in out
( exec ')sh" BLOOMERY_COMMAND R"sh(' table import --echo root t < in > out ) & importer=$!
exec 3> in 4< out
printf 'a\tf:q\t1\n' >&3; read -r line <&4; echo "$line"
kill -INT $importer; wait $importer; echo $?
short t
)sh");
  EXPECT_EQ(ran.out, "a\tf:q\t1\n130\na\tf\tq\tPut\t1\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "bloomery table import: interrupted; written: 1 cell of 1 line\n")) << ran.err;
}

// As in the README: a line that was echoed is on the disk, whatever becomes of the process.
TEST_F(TableWrites, AnEchoedLineSurvivesAKilledProcess) {
  for (const std::string durability : {"FSYNC_WAL", "sync_wal"}) {
    const Ran ran = run(R"sh(
rm -rf root; table create t f
coproc exec ')sh" BLOOMERY_COMMAND "' table import --echo --durability " +
                        durability + R"sh( root t
printf 'a\tf:q\t1\nb\tf:q\t2\n' >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; read -r line <&"${COPROC[0]}"
table put t c f:q 3; echo "status $?"
kill -9 $COPROC_PID; wait $COPROC_PID 2> /dev/null
short t
table put t c f:q 3 && short t | wc -l
)sh");
    EXPECT_EQ(ran.out, "status 2\na\tf\tq\tPut\t1\nb\tf\tq\tPut\t2\n3\n") << ran.err;
    EXPECT_TRUE(says(ran.err, "bloomery table put: root: ")) << ran.err;
  }
}

// SKIP_WAL has no log to leave the row in, so that the verb flushes it.
TEST_F(TableWrites, EveryDurabilityIsOnTheDiskWhenTheVerbEnds) {
  const Ran ran = run(R"sh(
table create t f
for d in SKIP_WAL ASYNC_WAL SYNC_WAL FSYNC_WAL; do table put t $d f:q v --durability $d || echo failed; done
short t | cut -f1
table put t r f:q v --durability NONE; echo $?
)sh");
  EXPECT_EQ(ran.out, "ASYNC_WAL\nFSYNC_WAL\nSKIP_WAL\nSYNC_WAL\n2\n") << ran.err;
}

TEST_F(TableWrites, BadInputIsRefused) {
  const Ran ran = run(R"sh(
table put t r f:q v; echo $?
table create t f
table put none r f:q v; echo $?
table put t '' f:q v; echo $?
table put t $(head -c 32768 /dev/zero | tr '\0' r) f:q v; echo $?
table put t r f v; echo $?
table put t r f:q v --timestamp -1; echo $?
table put t r f:q v --timestamp now; echo $?
short t | wc -l
)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\n2\n0\n");
  for (const char* const words : {"root: expected a root that this store made", "none: expected",
                                  "row: expected 1 to 32767 bytes, found 0", "found 32768",
                                  "column: expected FAMILY:QUALIFIER, found 'f'", "--timestamp"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << '\n' << ran.err;
  }
}

// What HBase's layout has no checksum for, and the store has.
TEST_F(TableWrites, RepairSavesWhatIsWholeAndNamesTheRest) {
  const Ran ran = run(R"sh(
table create t f,BLOCKSIZE=1024
seq -f 'row%03g' 500 | sed 's/$/\tf:q\tvalue/' | table import t - >/dev/null 2>&1
bloomery table repair root
file=$(ls root/data/default/t/*/f/*); printf XX | dd of="$file" bs=1 seek=9000 conv=notrunc status=none
bloomery table repair root | sed -n '2,$p'
bloomery table repair root --json | jq -c '[.integrity, .damages[0].repaired, (.damages[0].losses | length)]'
bloomery table repair root --write >/dev/null; echo $?
bloomery table repair root; bloomery table verify root >/dev/null && bloomery table count --root root --table t | head -1
ls root/.bloomery/damaged/"${file#root/}" | wc -l
bloomery table repair . || echo $?
)sh");
  EXPECT_EQ(
      ran.err,
      "bloomery table repair: .: expected a root that this store made (`bloomery table create`), found none; "
      "a table of HBase is read without a store, or cloned into one (invalid argument)\n");
  EXPECT_EQ(ran.out,
            "nothing is damaged\n  cells of the rows from row249 to before row28 may be lost; what was "
            "deleted there may be seen again\n  --write "
            "repairs it\n"
            "1 damaged\n[\"damaged\",false,1]\n3\nnothing is damaged\nrows   469\n1\n2\n");
}

TEST_F(TableWrites, VerifyFindsWhatTheStoreLost) {
  const Ran ran = run(R"sh(
table create t f && table put t r f:q v && table flush && table put t s f:q v && table put t u f:q v
bloomery table verify root | tail -1
verify() { bloomery table verify root > out 2>> err; echo "$1 $?"; rm -r root; cp -r kept root; }
cp -r root kept
for list in root/data/default/t/*/f/.filelist/f*; do truncate -s -1 $list; done; verify list
rm -r root/data/default/t/*/f/.filelist; verify lists
sed -i 's/VERSIONS/VERSIONZ/' root/data/default/t/.tabledesc/.tableinfo*; verify descriptor
rm "$(ls -d root/WALs/*/* | tail -1)"; verify log
truncate -s -100 "$(ls -d root/WALs/*/* | head -1)"; verify "older log"
sed -i 's/created 1/created 2/' root/.bloomery/STORE; verify STORE
verify kept
)sh");
  EXPECT_EQ(ran.out,
            "1 descriptor, 1 list of files, 2 logs with 2 entries; 1 region, 1 file, 0 damaged\n"
            "list 3\nlists 3\ndescriptor 3\nlog 3\nolder log 3\nSTORE 3\nkept 0\n")
      << ran.err;
}

TEST_F(TableWrites, ASnapshotACloneAndAnExportHaveWhatTheTableHad) {
  const Ran ran = run(R"sh(
table create t f,VERSIONS=3 --split m && table put t a f:q old && table put t z f:q old && table snapshot t monday || echo failed
table put t a f:q new && table delete t z && table clone from-snapshot --snapshot monday && table clone from-table --table t || echo failed
bloomery table clone other copied --from root --table t --copy || echo failed
for name in from-snapshot from-table; do echo "$name"; short $name; done
echo copied; bloomery table scan --root other --table copied | cut -f1-3,5-6
table export 2>/dev/null; printf 'm\n' > borders
for place in '--table t' '--snapshot monday'; do rm -rf load; bloomery table export -o load --splits borders --root root $place | cut -d, -f1; done
bloomery table export -o away --as-snapshot --root root --snapshot monday && table drop t || echo failed
bloomery table scan --root away --snapshot monday | cut -f1,6; bloomery table scan --root root --snapshot monday | cut -f1,6
table drop-snapshot monday && find root/archive -type f && bloomery table verify root | tail -1 | cut -d';' -f1
)sh");
  EXPECT_EQ(ran.out,
            "from-snapshot\na\tf\tq\tPut\told\nz\tf\tq\tPut\told\nfrom-table\na\tf\tq\tPut\tnew\n"
            "copied\na\tf\tq\tPut\tnew\nload: 2 cells in 1 files\nload: 2 cells in 2 files\n"
            "a\told\nz\told\na\told\nz\told\n2 descriptors, 4 lists of files, 1 log with 0 entries\n")
      << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(TableWrites, WrongSnapshotsClonesAndExportsChangeNothing) {
  const Ran ran = run(R"sh(
table create t f && table put t a f:q v && table snapshot t s || echo failed
try() { bloomery table "$@" >> out; echo $?; }
try snapshot root t s
try snapshot root t 'a b'
try snapshot root none x
try drop-snapshot root none
try clone root t --snapshot s
try clone root new --snapshot none
try clone root new --table t --snapshot s
try clone root new --from nowhere --table t
try export -o away --as-snapshot --root root --table t
try export -o away --as-snapshot --root root --snapshot none
try export -o load --splits nowhere --root root --table t
bloomery table export -o load --root root --table t >> out; try export -o load --root root --table t
bloomery table export -o away --as-snapshot --root root --snapshot s; try export -o away --as-snapshot --root root --snapshot s
cp -r root damaged; truncate -s -10 "$(find damaged/archive -type f)"; rm -r damaged/data/default/t/*/f
try clone root new --from damaged --snapshot s
rm "$(find damaged/archive -type f)"; try clone root new --from damaged --snapshot s
truncate -s -3 damaged/.hbase-snapshot/s/data.manifest; try clone root new --from damaged --snapshot s
bloomery table list root; find root/.tmp -mindepth 3; short t
)sh");
  EXPECT_EQ(ran.out,
            "2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n3\n2\n3\ntable\tt\nsnapshot\ts\na\tf\tq\tPut\tv\n")
      << ran.err;
  for (const char* const words :
       {"s: expected a new snapshot", "snapshot: expected letters", "none: expected a table",
        "none: expected a snapshot", "t: expected a new table", "--table: expected --table or --snapshot",
        "nowhere", "--as-snapshot: expected", "here or below archive, .tmp or mobdir, found none",
        "data.manifest"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << '\n' << ran.err;
  }
}

}  // namespace
}  // namespace bloomery
