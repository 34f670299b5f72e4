// bloomery hfile write: lines become files to load, all of them or none.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"
#include "tests/base/sanitized.h"

namespace bloomery {
namespace {

// `cells N` prints N cells in order; `put NAME BLOOM ROW:QUALIFIER...` makes one file of a family cf; `sums
// DIR` the files' checksums, in an order of their own.
constexpr const char* kWritePrelude = R"sh(
goldens=')sh" BLOOMERY_SOURCE R"sh(/tests/golden/hbase'
golden() { echo "$goldens/$1.hfile"; }
cells() { seq "$1" | awk '{ printf "row-%08d\tcf:q\tvalue %d\t%d\n", $1, $1 * 7, $1 }'; }
put() {
  local name=$1 bloom=$2 cell
  shift 2
  for cell; do printf '%s\tcf:%s\tv\n' "${cell%:*}" "${cell#*:}"; done |
    bloomery hfile write --no-summary --bloom "$bloom" -o put.d && mv put.d/cf/* "$name" && rm -r put.d
}
sums() { for file in "$1"/*/*; do sha256sum < "$file"; done | sort; }
left() { find "$@" 2> /dev/null | sort; }
)sh";

class HFileWrite : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kWritePrelude + line); }
  // What is said of input that is refused with nothing left, not even the directory.
  std::string refusal(const std::string& input, const std::string& options = "") const {
    const Ran ran =
        run("printf '" + input + "' | bloomery hfile write -o load " + options + "; echo $?; left load");
    EXPECT_EQ(ran.out, "2\n") << input;
    const std::string front = "bloomery hfile write: standard input: ";
    return ran.err.starts_with(front) ? ran.err.substr(front.size()) : ran.err;
  }

  Shell shell;
};

TEST_F(HFileWrite, LinesBecomeOneFileOfEachFamily) {
  const Ran ran = run(R"sh(
printf 'r1\ta:q1\tx y\\x00\t5\nr1\tb:q1\tv\t5\nr1\ta:q2\tv\t6\nr1\ta:q2\tv\t5\nr2\ta:q1\t\t5\n' |
  bloomery hfile write --summary -o load 2> said || echo failed
sed 's/, [0-9.]* kB;/;/; s/[0-9]* MB/MB/' said
ls load; ls load/a load/b | grep -c -x '[0-9a-f]\{32\}'
bloomery hfile cat load/a/* load/b/* 2> /dev/null || for f in load/*/*; do bloomery hfile cat $f; done
bloomery hfile verify --bulk-load load/*/* | grep -c ready)sh");
  EXPECT_EQ(ran.out,
            "bloomery hfile write: 5 cells of 2 rows in 2 files; Bloom ROW, NONE, NONE; MB/s read\n"
            "a\nb\n2\n"
            "r1\ta\tq1\t5\tPut\tx\\x20y\\x00\t\t0\nr1\ta\tq2\t6\tPut\tv\t\t0\nr1\ta\tq2\t5\tPut\tv\t\t0\n"
            "r2\ta\tq1\t5\tPut\t\t\t0\nr1\tb\tq1\t5\tPut\tv\t\t0\n2\n")
      << ran.err;
}

TEST_F(HFileWrite, LinesWithoutTimestampGetOne) {
  const Ran ran = run(R"sh(
printf 'r\tf:q\tv\n' | bloomery hfile write --no-summary -o a --timestamp 123 && bloomery hfile cat a/f/* | cut -f4
before=$(date +%s%3N); printf 'r\tf:q\tv\n' | bloomery hfile write -o b --no-summary
now=$(bloomery hfile cat b/f/* | cut -f4); [ $before -le $now ] && [ $now -le $(date +%s%3N) ] && echo now)sh");
  EXPECT_EQ(ran.out, "123\nnow\n");
  EXPECT_EQ(ran.err, "");
}

// With the encoding, compression and filter that the file has, and with others.
TEST_F(HFileWrite, CellsOfEveryGoldenFileAreTheSameAgain) {
  const Ran ran = run(R"sh(
for file in $(ls "$goldens"/*.hfile | grep -v _lzo_); do bloomery hfile info --json $file; done > infos
settings='[.encoding, .compression, .bloom_type, .has_tags, .has_mvcc]'
jq -r '"--encoding \(.encoding) --compression \(.compression) --bloom \(.bloom_type // "NONE")" +
  (if .bloom.prefix_bytes then ":\(.bloom.prefix_bytes)" else "" end) +
  (if .has_mvcc then "" else " --no-mvcc" end) + (if .has_tags then " --tags" else "" end)' infos |
  sed s/_FIXED_LENGTH// > options
n=0
sums=
mkdir loads
while read -r file options <&3; do
  name=${file##*/}; name=${name%.hfile}
  bloomery hfile cat --json $file > json || echo "no cells of $name"
  [ -s json ] || continue
  [[ $name = *dictionary* ]] && options="$options --tags-dictionary"
  [[ $name = *hadoop* ]] && options="$options --codecs hadoop"
  load=loads/$name
  bloomery hfile write --no-summary --json --block-size 1K --bloom-chunk 256 $options -o $load json || echo "write $name"
  bloomery hfile cat --json $load/*/* | cmp - json || echo "cells of $name"
  bloomery hfile info --json $load/*/* >> written
  sum=$(md5sum < json)
  if [[ $sums != *"$sum"* ]]; then  # many files have the same cells
    sums+=$sum
    bloomery hfile cat $file > lines
    rm -rf load
    bloomery hfile write --no-summary --tags -o load lines && bloomery hfile cat load/*/* | cmp - lines || echo "lines of $name"
  fi
  n=$((n + 1))
done 3< <(paste -d' ' <(ls "$goldens"/*.hfile | grep -v _lzo_) options)
bloomery hfile verify --bulk-load loads/*/*/* > out || cat out
jq -c "$settings" written | cmp - <(jq -c "select(.cells > 0) | $settings" infos)
[ $n -ge 80 ])sh");
  EXPECT_EQ(ran.status, 0) << "fewer golden files than there were";
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(HFileWrite, BytesAreThoseOfHBasesOwnBulkLoads) {
  const Ran ran = run(R"sh(
write() {
  bloomery hfile cat --json $(golden $1) | bloomery hfile write --json -o $1 --no-summary --tags --block-size 1024 \
    --creation-time 1700000000000 --task attempt_202311142213_0001_r_000000_0 ${@:2}
  cmp $1/f/* $(golden $1) && echo same
}
write bulk
write bulk_mixed --bloom rowcol --encoding fast_diff --compression gz)sh");
  EXPECT_EQ(ran.out, "same\nsame\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFileWrite, ReadsSeveralFilesAlsoCompressed) {
  const Ran ran = run(R"sh(
cells 3000 > all; head -n 1000 all > a; sed -n 1001,2000p all | gzip > b; tail -n 1000 all | zstd -q > c
bloomery hfile write --no-summary --creation-time 1 -o parts a b c
bloomery hfile write --no-summary --creation-time 1 -o one - < all
cmp parts/cf/* one/cf/* && echo same)sh");
  EXPECT_EQ(ran.out, "same\n");
  EXPECT_EQ(ran.err, "");
}

// The two ways of docs/hfile-write.md to sort: as text, where no byte is escaped, and by the bytes' hex
// digits.
TEST_F(HFileWrite, SortedAsItsPageSays) {
  const Ran ran = run(R"sh(
page=$goldens/../../../docs/hfile-write.md
awk 'BEGIN { srand(5); split("\\x00 \\xff \\\\ A z 0 : ~", part, " ")
             for (i = 1; i <= 2000; ++i) {
               row = ""; for (n = 1 + int(rand() * 3); n > 0; --n) row = row part[1 + int(rand() * 8)]
               printf "%s\t%s:%s\tv%d\t%d\n", row, rand() < 0.5 ? "a" : "a0", part[1 + int(rand() * 8)], i, rand() * 1000
             } }' > cells.tsv
grep -c '^\\x' cells.tsv
grep -v '\\' cells.tsv > text.tsv
sed -n '/^LC_ALL=C sort/{s/cells.tsv > sorted.tsv/text.tsv/p}' $page > as_text; wc -l < as_text
. ./as_text | bloomery hfile write --no-summary -o text || echo "not in order: text"
sed -n '/^perl/,/sorted.tsv$/p' $page > as_bytes; wc -l < as_bytes
. ./as_bytes; bloomery hfile write --no-summary -o bytes sorted.tsv || echo "not in order: bytes"
for file in bytes/*/*; do bloomery hfile cat $file; done | wc -l)sh");
  EXPECT_TRUE(ran.out.ends_with("1\n2\n2000\n")) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFileWrite, RegionsHaveFilesOfTheirOwn) {
  const Ran ran = run(R"sh(
cells 20000 > all
printf 'row-\\x30\nrow-00005000\nrow-00005001\nrow-00012345\nrow-1\n' > splits
bloomery hfile write --no-summary --splits splits -o load all
for file in load/cf/*; do bloomery hfile cat $file | awk 'NR == 1 { first = $1 } END { print first, $1 }'; done | sort
for file in $(for f in load/cf/*; do echo "$(bloomery hfile cat $f | head -n 1 | cut -f1) $f"; done | sort | cut -d' ' -f2); do
  bloomery hfile cat $file
done | awk '{ print $1, $4 }' | cmp - <(awk -F'\t' '{ print $1, $4 }' all) && echo all)sh");
  EXPECT_EQ(ran.out,
            "row-00000001 row-00004999\nrow-00005000 row-00005000\nrow-00005001 row-00012344\n"
            "row-00012345 row-00020000\nall\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFileWrite, BytesDoNotDependOnThreadsNorOnHowTheInputComes) {
  const Ran ran = run(R"sh(
cells 30000 > all; split -n l/3 all part.; gzip < all > all.gz
sed 's/cf:q/b:q/; p; s/b:q/cf:q/' all > two
printf 'row-00005000\nrow-00020000\nrow-00020002\n' > splits
write() { bloomery hfile write --no-summary --creation-time 1 --compression GZ --block-size 4K "$@"; }
write -o want --splits splits --threads 1 all; sums want > want.sums; wc -l < want.sums
i=0
try() { i=$((i + 1)); write -o try$i "$@"; sums try$i | cmp - want.sums || echo "differs: $*"; }
try --splits splits --threads 2 all
try --splits splits --threads 7 part.*
try --splits splits --threads 2 all.gz
try --splits splits --threads 2 < all
write -o want1 --threads 1 two; sums want1 > want.sums; wc -l < want.sums
try --threads 2 two
write -o want2 --threads 1 --splits splits two; sums want2 > want.sums; wc -l < want.sums
try --threads 2 --splits splits two)sh");
  EXPECT_EQ(ran.out, "4\n2\n8\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFileWrite, ALargeFileEndsBeforeARow) {
  const Ran ran = run(R"sh(
seq 300 | awk '{ for (q = 1; q <= 3; ++q) printf "row-%08d\tcf:q%d\tvalue\t1\n", $1, q }' > all
bloomery hfile write --no-summary --max-file-size 9K -o load all
ls load/cf | wc -l
for file in load/cf/*; do bloomery hfile cat $file | cut -f1 | uniq; done | sort | uniq -d | wc -l
for file in load/cf/*; do bloomery hfile cat $file; done | wc -l)sh");
  // A cell is 8 + 12 + 12 + 2 + 2 + 5 bytes; 9 KiB are 224 of them, which ends in a row.
  EXPECT_EQ(ran.out, "4\n0\n900\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFileWrite, FilesThatAreThereStay) {
  const Ran ran = run(R"sh(
cells 5 | bloomery hfile write --no-summary -o load
left load > before; cp load/cf/* copy
cells 5 | bloomery hfile write --no-summary -o load; echo $?
left load | cmp - before
cells 5 | sed s/cf:/other:/ | bloomery hfile write --no-summary -o load; echo $?
cells 5 | bloomery hfile write --no-summary --add -o load; echo $?
ls load/cf | wc -l; cmp copy $(sed -n 3p before) && echo whole; left load -name '.?*')sh");
  EXPECT_EQ(ran.out, "2\n0\n0\n2\nwhole\n");
  EXPECT_TRUE(says(ran.err, "load/cf: expected no files of this family (--add adds to them), found '"))
      << ran.err;
}

TEST_F(HFileWrite, NoCellsAreNoFile) {
  for (const std::string more : {"", "--json", "--splits splits empty", "--threads 1"}) {
    const Ran ran = run("printf 'r\\n' > splits; : > empty; bloomery hfile write -o load " + more +
                        " < /dev/null; echo $?; left load");
    EXPECT_EQ(ran.out, "1\n") << more;
    EXPECT_EQ(ran.err, "bloomery hfile write: the input has no cells: no file is written\n");
  }
}

// A download that failed must not take the files of before along.
TEST_F(HFileWrite, NoCellsChangeNothingOfADirectoryThatHasFiles) {
  const Ran ran = run(R"sh(
cells 9 | bloomery hfile write -o load; sums load > before
for more in "" --add; do
  bloomery hfile write -o load $more < /dev/null 2>> said && echo done
  sums load | cmp - before
done; wc -l < before)sh");
  EXPECT_EQ(ran.out, "1\n") << ran.err;
}

// HBase's own markers of a family have no qualifier, but its clients may send one that has.
TEST_F(HFileWrite, MarkersOfAFamilyMayHaveAQualifier) {
  const Ran ran = run(R"sh(
printf 'a\tf\tq\t7\tDeleteFamily\t\t\t0\na\tf\tq\t5\tPut\tv\t\t0\n' > cells
printf 'b\tf\tq\t7\tDeleteFamilyVersion\t\t\t0\nc\tf\tq\t5\tPut\tv\t\t0\n' >> cells
for bloom in NONE ROW ROWCOL; do
  bloomery hfile write --bloom $bloom -o $bloom cells || echo $bloom
  bloomery hfile cat $bloom/f/* | diff cells -
  bloomery hfile verify $bloom/f/* > out || cat out
  bloomery hfile get $bloom/f/* --row b --column f:q | cut -f5
done)sh");
  EXPECT_EQ(ran.out, "DeleteFamilyVersion\nDeleteFamilyVersion\nDeleteFamilyVersion\n") << ran.err;
}

TEST_F(HFileWrite, BadLinesAreRefusedByPlaceAndLeaveNothing) {
  const std::string good = "r2\\tcf:q2\\tv\\t5\\n";
  EXPECT_EQ(refusal(good + "r1\\tcf:q2\\tv\\n"),
            "line 2: row: expected rows in order, found 'r1' behind 'r2' (invalid argument)\n");
  const std::string backwards =
      "line 2: key: expected one that is not before that of the cell before it, found its ";
  EXPECT_EQ(refusal(good + "r2\\tcf:q1\\tv\\n"),
            backwards + "qualifier going backwards (invalid argument)\n");
  EXPECT_EQ(refusal(good + "r2\\tcf:q2\\tv\\t6\\n"),
            backwards + "timestamp or type going backwards (invalid argument)\n");
  EXPECT_TRUE(refusal(good + "r2\\ta:q\\tv\\nr2\\tcf:q1\\tv\\n").starts_with("line 3: "));
  EXPECT_TRUE(refusal(good + "\\n").starts_with("line 2: line: expected ROW"));
  EXPECT_EQ(refusal("\\tcf:q\\tv\\n"),
            "line 1: row: expected at least one byte, found none (invalid argument)\n");
  EXPECT_EQ(refusal(good + "r3\\tcf:q2\\tv\\\\z\\n"),
            "line 2: value: expected \\xHH or \\\\, found '\\x5cz' (invalid argument)\n");
  EXPECT_TRUE(refusal(good + "{}\\n", "--json").starts_with("line 1: JSON: expected one object, fo"));
  EXPECT_EQ(refusal("r\\tcf\\tq\\t1\\tPut\\tv\\t1:a\\t0\\n"),
            "line 1: tags: expected none without --tags, found some (invalid argument)\n");
  EXPECT_EQ(refusal("r\\tcf\\tq\\t1\\tPut\\tv\\t\\t3\\n", "--no-mvcc"),
            "line 1: mvcc: expected 0 in a file without it, found 3 (invalid argument)\n");
  EXPECT_EQ(refusal("r\\tcf\\tq\\t1\\tPut\\tv\\t\\t-3\\n"),
            "line 1: mvcc: expected 0 or more, found -3 (invalid argument)\n");
  EXPECT_EQ(refusal("%032768d\\tcf:q\\tv\\n"),
            "line 1: row: expected at most 32767 bytes, found 32768 (invalid argument)\n");
}

TEST_F(HFileWrite, FamiliesThatHBaseRefusesAreRefused) {
  const auto family = [&](const std::string& name) { return refusal("r\\t" + name + ":q\\tv\\n"); };
  EXPECT_EQ(family(""), "line 1: family: expected a name of 1 to 127 bytes, found '' (invalid argument)\n");
  EXPECT_TRUE(says(family("%0128d"), "line 1: family: expected a name of 1 to 127 bytes, found '000"));
  EXPECT_TRUE(says(family(".a"), "line 1: family: expected no period in front of the name, found '.a'"));
  EXPECT_TRUE(says(family("recovered.edits"), "line 1: family: expected another name than HBase"));
  for (const std::string forbidden : {"a/b", "..", "a\\\\x00", "a\\\\x0a", "a\\\\x3a", "a\\\\\\\\"}) {
    EXPECT_TRUE(says(family(forbidden), "line 1: family: expected ")) << forbidden;
  }
  const Ran longest =
      run("printf 'r\\t%0127d:q\\tv\\n' 0 | bloomery hfile write --no-summary -o load && ls load | wc -c");
  EXPECT_EQ(longest.out, "128\n") << longest.err;
}

TEST_F(HFileWrite, OptionsThatNoFileCanHave) {
  const auto said = [&](const std::string& options) { return refusal("r\\tf:q\\tv\\n", options); };
  EXPECT_TRUE(
      says(said("--bloom TITLE"), "--bloom: expected NONE, ROW, ROWCOL or ROWPREFIX:N, found 'TITLE'"));
  EXPECT_TRUE(says(said("--bloom ROWPREFIX:0"), "bloom.prefix_bytes: expected 1 to 32767, found 0"));
  EXPECT_TRUE(
      says(said("--bloom ROW --purpose plain"), "bloom.type: expected NONE in a plain file, found ROW"));
  EXPECT_TRUE(says(said("--bloom-error 2"), "error"));
  EXPECT_TRUE(says(said("--compression LZO"), "--compression: "));
  EXPECT_TRUE(says(said("--encoding PREFIX_TREE"), "--encoding: "));
  EXPECT_TRUE(says(said("--checksum MD5"), "--checksum: "));
  EXPECT_TRUE(says(said("--block-size 0"), "block_bytes: expected 1 to "));
  EXPECT_TRUE(says(said("--block-size 5G"), "--block-size: expected less than 4G, found 5G"));
  EXPECT_TRUE(says(said("--timestamp x"), "--timestamp: expected milliseconds since 1970, found 'x'"));
  EXPECT_TRUE(says(said("--threads 0"), "--threads: expected 1 to 256, found 0"));
  EXPECT_TRUE(says(said("no_such_file"), "no_such_file: open: No such file or directory"));
}

TEST_F(HFileWrite, SplitKeysThatAreNone) {
  const auto said = [&](const std::string& keys) {
    return run("printf '" + keys +
               "' > splits; cells 3 | bloomery hfile write -o load --splits splits; left load");
  };
  EXPECT_EQ(said("a\\nb\\nb\\n").err,
            "bloomery hfile write: splits: line 3: split key: expected one behind 'b', found 'b' (invalid "
            "argument)\n");
  EXPECT_TRUE(says(said("b\\na\\n").err, "splits: line 2: split key: expected one behind 'b', found 'a'"));
  EXPECT_TRUE(says(said("a\\n\\n").err, "splits: line 2: split key: expected a row, found an empty line"));
  EXPECT_TRUE(
      says(said("a\\\\q\\n").err, "splits: line 1: split key: expected \\xHH or \\\\, found '\\x5cq'"));
  EXPECT_TRUE(says(said("%032768d\\n").err, "splits: line 1: split key: "));
  EXPECT_TRUE(says(said("").err, "splits: expected split keys, one a line, found none"));
  EXPECT_EQ(said("").out, "");
}

// Whoever reads the regions, the first bad line of the input is named, and no region stays.
TEST_F(HFileWrite, ABadLineInOneRegionLeavesNoneOfTheOthers) {
  const Ran ran = run(R"sh(
cells 30000 > all; printf 'row-00005000\nrow-00010000\nrow-00020000\n' > splits
(head -n 12000 all; echo bad; sed -n 12001,29999p all; echo worse) > bad
(cat all; head -n 1 all) > unsorted
for input in bad unsorted; do
  for threads in 1 2 4; do
    bloomery hfile write -o load --splits splits --threads $threads $input; echo $?; left load
  done
done)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n2\n2\n");
  std::size_t bad = 0;
  std::size_t unsorted = 0;
  for (std::size_t at = 0;
       (at = ran.err.find("bloomery hfile write: bad: line 12001: line: ", at)) != std::string::npos; ++at) {
    ++bad;
  }
  for (std::size_t at = 0;
       (at = ran.err.find("bloomery hfile write: unsorted: line 30001: row: expected rows in order, found "
                          "'row-00000001' ",
                          at)) != std::string::npos;
       ++at) {
    ++unsorted;
  }
  EXPECT_EQ(bad, 3u) << ran.err;
  EXPECT_EQ(unsorted, 3u) << ran.err;
}

// A file size limit stands for the full disk.
TEST_F(HFileWrite, AFullDiskLeavesNothing) {
  const Ran ran = run(R"sh(
cells 40000 > all; printf 'row-00030000\n' > splits; mkdir there; trap '' XFSZ; ulimit -f 400
bloomery hfile write -o load all; echo $?; left load
bloomery hfile write -o load --splits splits all; echo $?; left load
bloomery hfile write -o there all; echo $?; left there)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\nthere\n");
  EXPECT_TRUE(says(ran.err, "write: File too large (I/O error)\n")) << ran.err;
}

TEST_F(HFileWrite, ADirectoryThatCanNotBeWrittenIsNamed) {
  const Ran ran = run(R"sh(
echo > file
cells 3 | bloomery hfile write -o file; echo $?
cells 3 | bloomery hfile write -o no/such; echo $?
mkdir load; echo > load/cf; cells 3 | bloomery hfile write -o load; echo $?; left load)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\nload\nload/cf\n");
  EXPECT_TRUE(says(ran.err, "make directory: Not a directory")) << ran.err;
  EXPECT_TRUE(says(ran.err, "no/such: make directory: No such file or directory")) << ran.err;
  EXPECT_TRUE(says(ran.err, "load/cf: read directory: Not a directory")) << ran.err;
}

TEST_F(HFileWrite, CtrlCLeavesNothing) {
  const Ran ran = run(R"sh(
set -m; mkfifo in
for options in '' '--threads 1'; do
  bloomery hfile write $options -o load in & exec 3> in
  cells 50000 >&3; until ls -d load/.bloomery.*/cf >/dev/null 2>&1; do sleep 0.01; done; kill -INT %1; wait %1; echo $?; left load; exec 3>&-
done)sh");
  EXPECT_EQ(ran.out, "130\n130\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "bloomery hfile write: interrupted: no file is written\n")) << ran.err;
}

// What a kill leaves behind is in a folder that HBase skips, and does not hinder the next run.
TEST_F(HFileWrite, AKillLeavesNoFamily) {
  const Ran ran = run(R"sh(
set -m; mkfifo in; bloomery hfile write -o load in & exec 3> in
cells 50000 >&3; until ls -d load/.bloomery.*/cf >/dev/null 2>&1; do sleep 0.01; done; kill -KILL %1; wait %1; echo $?; ls load; ls -A load | grep -c '^\.bloomery\.'
cells 5 | bloomery hfile write -o load --no-summary; echo $?; ls load/cf | wc -l)sh");
  EXPECT_EQ(ran.out, "137\n1\n0\n1\n") << ran.err;
}

// The cases that everybody draws: what explain says of each file.
class TextbookCases : public HFileWrite {
 protected:
  std::string explained(const std::string& files, const std::string& get) const {
    const Ran ran = run(files + "; bloomery hfile get --explain hf1 hf2 " + get);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.err;
  }
};

TEST_F(TextbookCases, RowsThatInterleaveNeedTheFilter) {
  const auto files = [](const std::string& bloom) {
    return "put hf1 " + bloom + " r1:q1 r4:q1; put hf2 " + bloom + " r2:q1 r3:q1 r5:q1";
  };
  for (const std::string row : {"r2", "r3"}) {
    const std::string with = explained(files("ROW"), "--row " + row);
    EXPECT_TRUE(says(with, "hf1: skipped by its Bloom filter (ROW): " + row + " is not in chunk 0 ")) << with;
    EXPECT_TRUE(says(with, "hf2: read, cells found: 1; Bloom chunk ")) << with;
    const std::string without = explained(files("NONE"), "--row " + row);
    EXPECT_TRUE(says(without, "hf1: read, cells found: 0; data block ")) << without;
    EXPECT_TRUE(says(without, "hf2: read, cells found: 1; data block ")) << without;
  }
  const std::string with = explained(files("ROW"), "--row r4");
  EXPECT_TRUE(says(with, "hf1: read, cells found: 1; Bloom chunk ")) << with;
  EXPECT_TRUE(says(with, "hf2: skipped by its Bloom filter (ROW): r4 is not in chunk 0 ")) << with;
  const std::string without = explained(files("NONE"), "--row r4");
  EXPECT_TRUE(says(without, "hf1: read, cells found: 1; data block ")) << without;
  EXPECT_TRUE(says(without, "hf2: read, cells found: 0; data block ")) << without;
}

TEST_F(TextbookCases, RowsThatDoNotAreApartByTheirKeys) {
  const std::string files = "put hf1 ROW r1:q1 r2:q1; put hf2 ROW r3:q1 r4:q1";
  const std::string late = explained(files, "--row r3");
  EXPECT_TRUE(says(late, "hf1: skipped by its key range: rows r1 to r2\n")) << late;
  EXPECT_TRUE(says(late, "hf2: read, cells found: 1; ")) << late;
  const std::string early = explained(files, "--row r2");
  EXPECT_TRUE(says(early, "hf1: read, cells found: 1; ")) << early;
  EXPECT_TRUE(says(early, "hf2: skipped by its key range: rows r3 to r4\n")) << early;
}

TEST_F(TextbookCases, ColumnsInTwoFilesNeedAFilterOfColumns) {
  const auto files = [](const std::string& bloom) {
    return "put hf1 " + bloom + " r1:q1 r2:q1; put hf2 " + bloom + " r1:q2 r2:q2";
  };
  for (const std::string column : {"q1", "q2"}) {
    const std::string get = "--row r1 --column cf:" + column;
    const std::string has = column == "q1" ? "hf1" : "hf2";
    const std::string has_not = column == "q1" ? "hf2" : "hf1";
    const std::string rows = explained(files("ROW"), get);
    EXPECT_TRUE(says(rows, has + ": read, cells found: 1; Bloom chunk ")) << rows;
    EXPECT_TRUE(says(rows, has_not + ": read, cells found: 0; Bloom chunk ")) << rows;
    const std::string columns = explained(files("ROWCOL"), get);
    EXPECT_TRUE(says(columns, has + ": read, cells found: 1; Bloom chunk ")) << columns;
    EXPECT_TRUE(says(columns, has_not + ": skipped by its Bloom filter (ROWCOL): r1 with " + column + " is "))
        << columns;
  }
}

TEST_F(HFileWrite, AFieldOfJsonStandsOnce) {
  const std::string said =
      refusal(R"({"row":"a","row":"b","family":"f","qualifier":"q","value":"v"}\n)", "--json");
  EXPECT_TRUE(says(said, "expected each field once")) << said;
}

// The first has looked for files of the family before the second wrote them.
TEST_F(HFileWrite, OfTwoThatWriteAFamilyTheSecondIsRefused) {
  const Ran ran = run(R"sh(
mkdir load; mkfifo pipe
bloomery hfile write --no-summary -o load < pipe 2> said & first=$!
exec 3> pipe; printf 'a\tf:q\tv\n' >&3
until ls load/.bloomery*/f > /dev/null 2>&1; do sleep 0.05; done
printf 'b\tf:q\tv\n' | bloomery hfile write --no-summary -o load; echo $?
exec 3>&-; wait $first; echo $?
left load/f -type f | wc -l; left load -name '.bloomery*' | wc -l; grep -c 'expected no files of this family' said)sh");
  EXPECT_EQ(ran.out, "0\n2\n1\n0\n1\n") << ran.err;
}

// With threads as without: an error, and nothing stays.
TEST_F(HFileWrite, WantOfMemoryIsTroubleAndNothingStays) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take more address space than is left here";
  }
  const Ran ran = run(R"sh(
{ printf 'a\tf:q\t'; head -c 120000000 /dev/zero | tr '\0' v; printf '\n'; } > large; printf 'k\n' > splits
for options in '--threads 1' '--threads 2' '--threads 2 --splits splits'; do
  (ulimit -v 400000; bloomery hfile write --no-summary -o load $options large 2>&1 | cut -c1-200 >&2; exit ${PIPESTATUS[0]}); echo $?
done; left load)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\n") << ran.err;
}

// Files in an order that is not that of their rows are refused alike, however many threads read them.
TEST_F(HFileWrite, FilesOutOfOrderAreRefusedByAnyNumberOfThreads) {
  const Ran ran = run(R"sh(
cells 300 > all; split -n l/2 all part.
printf 'row-00000050\nrow-00000200\n' > splits
for threads in 1 2; do
  for order in 'part.ab part.aa' 'part.aa part.aa'; do
    bloomery hfile write --no-summary --threads $threads --splits splits -o load$threads $order 2> err; echo $?
    sed 's/load[12]/load/' err > err.$threads."${order// /-}"; ls -d load$threads 2> none
  done
done
cmp err.1.part.ab-part.aa err.2.part.ab-part.aa; cmp err.1.part.aa-part.aa err.2.part.aa-part.aa)sh");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
