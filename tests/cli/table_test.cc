// bloomery table: every verb, on the tables and snapshots that HBase left, and beside HBase's answers.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"
#include "tests/base/sanitized.h"

namespace bloomery {
namespace {

// `unpack MEMBER...` unpacks parts of the golden set: root/ and exported/. `table NAME` and `snapshot NAME`
// print the options of a place.
constexpr const char* kTablePrelude = R"sh(
goldens=')sh" BLOOMERY_SOURCE R"sh(/tests/golden/hbase-tables'
unpack() { zstd -dcq "$goldens/hbase.tar.zst" | tar -x -f - "$@"; }
flip() {  # FILE OFFSET: changes a bit of a byte
  byte=$(dd if="$1" bs=1 skip="$2" count=1 status=none | od -An -tu1)
  printf "\\x$(printf %x $((byte ^ 64)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
)sh";

// The status for what is well formed and not supported.
constexpr const char* kUnsupported = "5";

class TableVerbs : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kTablePrelude + line); }

  Shell shell;
};

// Questions without a filter become options of the command; row, column, time, type and value are compared.
TEST_F(TableVerbs, GetsAndScansAnswerAsHBaseDid) {
  const Ran ran = run(R"sh(
unpack root
zstd -dcq "$goldens/questions.tar.zst" | tar -x -f -
asked=0
for name in halves deletes wide; do
  : > asked; : > found
  while IFS=$'\t' read -r id kind rest; do
    options=()
    IFS=$'\t' read -r -a words <<< "$rest"
    for word in "${words[@]}"; do
      value=${word#*=}
      case $word in
        row=*|start=*|stop=*|versions=*|from=*|to=*|limit=*|batch=*|max-per-family=*|offset-per-family=*)
          options+=("--${word%%=*}=$value") ;;
        column=*|family=*) options+=(--column "$value") ;;
        family-time=*) options+=(--family-times "$value") ;;
        start-exclusive) options+=(--exclude-start) ;;
        stop-inclusive) options+=(--include-stop) ;;
        reversed) options+=(--reverse) ;;
        raw) options+=(--raw) ;;
        *) continue 2 ;;
      esac
    done
    asked=$((asked + 1))
    question="$id $kind $name ${rest//$'\t'/ }"  # stands above its answer
    echo "$question" >> asked
    echo "$question" >> found
    bloomery table "$kind" --root root --table $name "${options[@]}" >> found 2> err
    status=$?
    if [ $status -gt 1 ]; then echo "$name $id: status $status: $(cat err)"; fi
  done < questions/table-$name.queries
  awk -F'\t' 'FNR < NR { print; printf "%s", answer[substr($0, 1, index($0, " ") - 1)]; next }
    NF <= 3 { id = $1; next }
    { sub(/^[0-9]+\t/, ""); answer[id] = answer[id] $0 "\n" }' questions/table-$name.answers asked > wanted
  cut -f1-6 found | diff -U 1000 wanted - | head -n 50
done
[ $asked -gt 250 ] || echo "only $asked questions"
)sh");
  EXPECT_EQ(ran.out, "");
}

TEST_F(TableVerbs, ASnapshotIsReadAtItsPlaceExportedAndByItsDirectory) {
  const Ran ran = run(R"sh(
unpack root exported
bloomery table scan --root root --snapshot of-clone > here
bloomery table scan --root exported --snapshot of-clone | cmp - here
bloomery table scan exported/.hbase-snapshot/of-clone | cmp - here
bloomery table scan --json --root root --snapshot of-clone |
  jq -r '[.row, .family, .qualifier, .timestamp, .type, .value, "", .mvcc] | map(tostring) | join("\t")' |
  cmp - here
bloomery table count root/.hbase-snapshot/of-clone > counted
echo "rows   $(cut -f1 here | uniq | wc -l)" | cmp - <(head -1 counted)
echo "cells  $(wc -l < here)" | cmp - <(tail -1 counted)
bloomery table count --batch 3 --json --root root --snapshot of-clone
)sh");
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(says(ran.out, "{\"rows\":") && says(ran.out, "\"cells\":")) << ran.out;
}

// A store file that lost all its bytes is damage to a check, and a warning to a reader.
TEST_F(TableVerbs, AnEmptiedStoreFileIsDamageAndAWarning) {
  const Ran ran = run(R"sh(
unpack root/data/default/wide
f=$(find root/data/default/wide -type f -path '*/f/*' | sort | head -1); : > "$f"
bloomery table verify --root root --table wide > out 2> err; echo "verify $?"
grep -c "${f##*/}.*0 bytes" err
bloomery table count --root root --table wide > out 2> err; echo "count $?"
grep -c "${f##*/} has 0 bytes" err
mkdir -p root/data/hbase/meta
for verb in verify count info; do
  bloomery table $verb --root root --table hbase:meta > out 2> err; echo "$verb $?"
done
)sh");
  EXPECT_EQ(ran.out, std::string("verify 3\n1\ncount 0\n1\nverify ") + kUnsupported + "\ncount " +
                         kUnsupported + "\ninfo " + kUnsupported + "\n")
      << ran.err;
}

TEST_F(TableVerbs, RowsOfStandardInputAreAnsweredInTheirOrder) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
place='--root root --table halves'
bloomery table scan $place | cut -f1 | uniq > rows
{ tac rows; echo none; head -2 rows; } > wanted
bloomery table get $place --row - < wanted > together
while IFS= read -r row; do bloomery table get $place --row "$row"; done < wanted | cmp - together
bloomery table get $place --row - --explain < wanted 2> explained | cmp - together
grep -c '^row none: root/.*: skipped by its' explained
echo none | bloomery table get $place --row -; echo "status $?"
printf 'a\n\n' | bloomery table get $place --row -; echo "status $?"
)sh");
  EXPECT_EQ(ran.out.substr(ran.out.find('\n') + 1), "status 1\nstatus 2\n") << ran.out;
  EXPECT_TRUE(says(ran.err, "standard input: line 2: row: expected 1 to 32767 bytes, found 0") ||
              says(ran.err, "line 2: row: expected 1 to 32767 bytes, found 0"))
      << ran.err;
}

TEST_F(TableVerbs, ExplainNamesEachFileAndWhyItWasNotRead) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
bloomery table scan --root root --table halves --column f --explain --from 1 > /dev/null 2> all
grep -c ': read$' all
bloomery table scan --root root --table halves --explain --to 1000 2>&1 > /dev/null | grep -c 'skipped by its time range'
bloomery table get --root root --table halves --row 'row-0' --explain
bloomery table get --root root --table halves --row '\x00\x01C' --explain > /dev/null
bloomery table get root/data/default/halves --row row-0 --explain 2>&1 | grep -c 'half of it, as a7a7ad8bbb824c8a4bfe673a98b7d618/'
)sh");
  EXPECT_TRUE(says(ran.err, "skipped by its Bloom filter (ROW)")) << ran.err;
  EXPECT_TRUE(says(ran.err, "skipped by its key range: rows ")) << ran.err;
}

TEST_F(TableVerbs, WarningsReachTheUser) {
  const Ran ran = run(R"sh(
unpack root/data/default/unflushed root/WALs root/data/default/bulk
bloomery table count --root root --table unflushed > /dev/null; echo $?
bloomery table count --root root --table unflushed --no-log > /dev/null
bloomery table count $(ls -d root/data/default/bulk/*/*/* | grep '[0-9a-f]$\|SeqId' | head -2) > /dev/null
)sh");
  EXPECT_EQ(ran.out, "0\n");
  EXPECT_TRUE(says(ran.err, "left out: edits that only logs have are not in the answer")) << ran.err;
  EXPECT_TRUE(says(ran.err, "warning: there is no table descriptor")) << ran.err;
  EXPECT_EQ(ran.err.find("left out"), ran.err.rfind("left out")) << ran.err;
}

// HFiles alone have no descriptor. With the settings of the table's they answer as the table does.
TEST_F(TableVerbs, FilesAloneAreReadByTheSettingsThatAreGiven) {
  const Ran ran = run(R"sh(
unpack root
settings=$(bloomery table info --json --root root --table versions |
  jq -r '.families[] | "\(.name):VERSIONS=\(.versions),KEEP_DELETED_CELLS=\(.keep_deleted_cells)"')
given=()
for family in $settings; do given+=(--family "$family"); done
bloomery table scan --root root --table versions --versions all --now 1 > wanted
for family in $(cut -f2 wanted | sort -u); do
  bloomery table scan "${given[@]}" --versions all --now 1 root/data/default/versions/*/$family/* > found
  awk -F'\t' -v f=$family '$2 == f' wanted | cmp - found || echo "$family differs"
done
bloomery table scan --versions all root/data/default/versions/*/$family/* 2>&1 >/dev/null | grep -c 'no table descriptor'
bloomery table scan --family f:COLOUR=red root/data/default/versions/*/$family/*; echo $?
bloomery table scan --family other root/data/default/versions/*/$family/*; echo $?
)sh");
  EXPECT_EQ(ran.out, "1\n2\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "--family: family: expected VERSIONS, ")) << ran.err;
}

TEST_F(TableVerbs, InfoShowsFamiliesRegionsAndFiles) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
bloomery table info --root root --table halves
bloomery table info --files root/data/default/halves | grep -c '^file     [fg]/.*half of /'
bloomery table info --json root/data/default/halves |
  jq -c '[.table, [.families[].name], [.regions[].files | length]]'
)sh");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(
      ran.out,
      "table    default:halves\n"
      "family   f: VERSIONS 3, TTL forever, BLOOMFILTER ROW\n"
      "family   g: VERSIONS 2, TTL forever, BLOOMFILTER ROWCOL\n"
      "region   a7a7ad8bbb824c8a4bfe673a98b7d618: from the first row to before row-025; 6 files, 41.43 kB\n"
      "region   6319f3a9d9e323324b35903d7d87da08: from row-025 on; 8 files, 53.80 kB\n"
      "4\n"
      "[\"default:halves\",[\"f\",\"g\"],[6,8]]\n");
}

TEST_F(TableVerbs, VerifyChecksEachFileOnceAndNamesTheDamagedOne) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
bloomery table verify --root root --table halves > whole; echo $?
tail -1 whole
sort whole | uniq -d
file=$(ls root/data/default/halves/fad3b82cb67a3742274c4a76b9ad1573/f/* | head -1)
flip "$file" 200
bloomery table verify --root root --table halves > damaged; echo $?
grep "$file" damaged | cut -c1-200
bloomery table verify --json --root root --table halves | grep -c '"integrity": "damaged"'
)sh");
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(says(ran.out, "0\n2 regions, 12 files, 0 damaged\n3\n")) << ran.out;
  EXPECT_TRUE(says(ran.out, ": data block: at byte ")) << ran.out;
  EXPECT_TRUE(says(ran.out, ": damaged: 1 finding\n")) << ran.out;
}

// Each fault is named, and the files that are there are checked all the same.
TEST_F(TableVerbs, VerifyListsWhatIsMissingAndWhatLiesInTheWrongPlace) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves root/data/default/wide
gone=$(ls root/data/default/halves/fad3b82cb67a3742274c4a76b9ad1573/f/* | head -1)
rm "$gone"
bloomery table verify --root root --table halves > out 2> err; echo $?
tail -1 out
grep -c "not found" err
bloomery table verify --json --root root --table halves 2> /dev/null | jq -c '[.integrity, (.faults | length)]'
bloomery table info --root root --table halves 2>&1 > /dev/null | grep -c "warning: .*$(basename "$gone")"
regions=($(ls -d root/data/default/wide/*/f))
cp "$(ls -d "${regions[0]}"/* | head -1)" "${regions[1]}/0123456789abcdef0123456789abcdef"
bloomery table verify --root root --table wide > out 2> err; echo $?
tail -1 out
cut -d: -f2- err | grep -o "0123456789abcdef0123456789abcdef: expected .* where its region"
)sh");
  EXPECT_TRUE(
      says(ran.out, "2\n2 regions, 11 files, 0 damaged, 1 fault of the table\n1\n[\"damaged\",1]\n1\n3\n"))
      << ran.out << ran.err;
  EXPECT_TRUE(says(ran.out, " 0 damaged, 1 fault of the table\n0123456789abcdef0123456789abcdef: expected "))
      << ran.out << ran.err;
}

// All of them are told, not only the first.
TEST_F(TableVerbs, VerifyListsEveryRegionWithoutItsInfo) {
  const Ran ran = run(R"sh(
unpack root/data/default/wide
regions=($(ls -d root/data/default/wide/*/))
rm "${regions[0]}.regioninfo"
for region in "${regions[@]:1}"; do : > "${region}.regioninfo"; done
bloomery table verify --root root --table wide > out 2> err; echo $?
echo $(($(grep -c '/\.regioninfo: ' err) - ${#regions[@]}))
grep -c "${regions[0]}.regioninfo: .*No such file" err
grep -c " fault.* of the table$" out
bloomery table count --root root --table wide 2>> err; echo $?
)sh");
  EXPECT_EQ(ran.out, "3\n0\n1\n1\n2\n") << ran.err << shell.folder().read("err");
}

TEST_F(TableVerbs, StatsShowSizesAndTheLargestRow) {
  const Ran ran = run(R"sh(
bloomery table stats "$goldens/../hbase/bloom_delete_family.hfile" 2> /dev/null | grep -v largest
bloomery table stats --json "$goldens/../hbase/bloom_delete_family.hfile" 2> /dev/null |
  jq -r '.families[] | [.name, .cells, .row_bytes.most, .row_cells.mean, .largest_row] | join(" ")'
unpack root/data/default/halves
bloomery table stats --root root --table halves | grep -c '^largest row'
flip "$(ls root/data/default/halves/fad3b82cb67a3742274c4a76b9ad1573/f/* | head -1)" 200
bloomery table stats --root root --table halves > /dev/null 2>&1; echo $?
)sh");
  EXPECT_EQ(ran.out, R"(family          f: 1 file, 486 cells, 61 of them deletes
timestamps      0 to 1700000000005
                     count    least        most        mean   deviation    median      75 %      95 %      98 %      99 %    99.9 %
key_bytes              486       14          72       28.66       20.62        19        23        71        72        72        72
last_key_bytes          80       17          72       30.55       20.91        20        24        72        72        72        72
value_bytes            486        0         275       11.46       34.38        10        10        10        10       275       275
row_bytes               80      127         693      292.32      149.02       250       337       615       691       693       693
row_cells               80        4           9        6.08        1.39         6         7         8         9         9         9
f 486 693 6.075 a\x20row\x20with\x20a\x20long\x20beginning,\x20the\x20same\x20in\x20all\x20of\x20them:\x2038
2
3
)") << ran.err;
}

// The rows that are suggested are what `hfile write --splits` takes.
TEST_F(TableVerbs, SplitsAreSuggestedInTheFormOfHfileWrite) {
  const Ran ran = run(R"sh(
seq -w 1 20000 | awk '{ print $1 "\tf:q\tv" $1 "\t1" }' > cells.tsv
bloomery hfile write --block-size 1K -o one cells.tsv > /dev/null 2>&1
bloomery table splits --regions 4 one > splits.txt 2> /dev/null; echo $?
wc -l < splits.txt
bloomery hfile write --splits splits.txt -o four cells.tsv > /dev/null 2>&1; echo $?
ls four/f | wc -l
for file in four/f/*; do bloomery hfile info --json "$file" | jq .cells; done | sort -n | awk 'NR == 1 { least = $1 } { most = $1 } END { print (most < least * 1.1) }'
bloomery table splits --regions 1 one 2> /dev/null; echo $?
bloomery table splits --json --region-bytes 100K one 2> /dev/null | jq '(.keys | length) + 1 == (.region_bytes | length)'
bloomery table splits one 2> /dev/null; echo $?
bloomery table splits --regions 0 one 2> /dev/null; echo $?
bloomery table splits --regions 100000 one 2> /dev/null; echo $?
)sh");
  EXPECT_EQ(ran.out, "0\n3\n0\n4\n1\n1\ntrue\n2\n2\n2\n") << ran.err;
}

// The file has one block, with rows to the end of the table.
TEST_F(TableVerbs, AScanEndsAtDamageOrGoesOnBehindIt) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
scan() { bloomery table scan --root root --table halves "$@"; }
scan > whole
file=root/data/default/halves/6319f3a9d9e323324b35903d7d87da08/f
file=$(ls $file/* | grep '/[0-9a-f]*$' | head -1)
flip "$file" 200
scan > ended 2> end_error; echo "status $?"
cmp <(head -$(wc -l < ended) whole) ended
scan --skip-damaged > skipping 2> skip_error; echo "status $?"
comm -13 <(sort whole) <(sort skipping)
cut -f1 whole | uniq | sort > rows
cut -f1 skipping | uniq | sort | comm -23 rows - > lost
sed -n 's/.*not in the answer: rows from \(.*\) to \([^ ]*\): .*/\1 \2/p' skip_error > range
read -r first last < range
first=$first last=$last awk '$0 < ENVIRON["first"] || $0 > ENVIRON["last"] { print "not listed: " $0 }' lost
[ -s lost ] || echo 'nothing was lost'
[ "$(tail -1 whole)" = "$(tail -1 skipping)" ] || [ "$last" = "$(tail -1 rows)" ] || echo 'the end is missing'
bloomery table count --skip-damaged --root root --table halves > /dev/null 2> count_error; echo "status $?"
cat end_error skip_error >&2
)sh");
  EXPECT_EQ(ran.out, "status 3\nstatus 3\nstatus 3\n");
  EXPECT_TRUE(says(ran.err, ": data block: at byte 0: ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "bloomery table scan: not in the answer: rows from ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "damaged: a range of rows is not in the answer, and listed above")) << ran.err;
}

// Each bad input is an error that names the file or the option, and the place.
struct BadInput {
  const char* line;
  int status;
  const char* message;
};

TEST_F(TableVerbs, BadInputIsRefusedByNameAndPlace) {
  ASSERT_EQ(run("unpack root exported").status, 0);
  const BadInput kBad[] = {
      {"rm -r exported/archive/data/default/origin; bloomery table scan --root exported --snapshot of-clone",
       2, "data/default/origin/"},
      {"rm root/data/default/halves/fad3b82cb67a3742274c4a76b9ad1573/f/de80bf8222ee4d02b96a123a39c727ca; "
       "bloomery table count --root root --table halves",
       2, "de80bf8222ee4d02b96a123a39c727ca"},
      {"flip root/data/default/wide/.tabledesc/.tableinfo.* 0; bloomery table info --root root --table wide",
       3, "table descriptor: at byte 0: expected PBUF, found '"},
      {"for r in root/data/default/bulk/*/.regioninfo; do last=$r; done; rm -r ${last%/.regioninfo}; "
       "ls -d root/data/default/splits/*/.regioninfo > regions; n=$(wc -l < regions); "
       "rm -r $(sed -n 1,$((n - 1))p regions | sed 's,/.regioninfo,,'); bloomery table scan --root root "
       "--table splits",
       3, "expected regions that meet without holes and overlaps, found a fault: "},
      {"sed -i s/FILE/FIRE/ root/data/default/tracked/.tabledesc/.tableinfo.*; "
       "bloomery table scan --root root --table tracked",
       std::stoi(kUnsupported), "FIRE"},
      {"bloomery table scan --root root --table versions --filter \"PrefixFilter('a'\"", 2,
       "--filter: filter: at byte 16: expected "},
      {"bloomery table scan --root root --table versions --filter \"NoFilter('a')\"", 2, "NoFilter"},
      {"bloomery table scan --root root --table versions --filter \"RowFilter(=, 'regexstring:a\\p{L}')\"", 2,
       "--filter: regexstring comparator: at byte 1: expected "},
      {"bloomery table scan --root root --table versions --column nothing", 2,
       "family: expected one of the table ("},
      {"bloomery table scan --root root --table none", 2, "root/data/default/none"},
      {"bloomery table scan --root root", 2, "--root: expected --table or --snapshot too, found neither"},
      {"bloomery table scan --table versions", 2,
       "--table: expected --root with the HBase root directory, found none"},
      {"bloomery table scan", 2, "PLACE: expected a directory, HFiles, or --root with --table or --snapshot"},
      {"bloomery table scan root root", 2, "expected one directory alone"},
      {"bloomery table scan --root root --table versions --raw --column f:q", 2,
       "raw scan cannot name a column"},
      {"bloomery table scan --root root --table versions --versions 0", 2, "--versions: expected 1 to"},
      {"bloomery table scan --root root --table versions --family-times f", 2,
       "--family-times: expected FAMILY:FROM:TO, found 'f'"},
      {"bloomery table scan --root root --table versions --prefix a --start b", 2,
       "--prefix: expected no --start"},
      {"bloomery table get --root root --table versions --row ''", 2,
       "--row: row: expected 1 to 32767 bytes, found 0"},
      {"bloomery table scan ../../etc/none.hfile", 2, "none.hfile"},
      {"echo text > text; bloomery table scan text", 2, "text: expected an HFile"},
  };
  for (const BadInput& bad : kBad) {
    const Ran ran = run(bad.line);
    EXPECT_EQ(ran.status, bad.status) << bad.line << "\n" << ran.out << ran.err;
    EXPECT_TRUE(says(ran.err, "bloomery table ")) << bad.line << "\n" << ran.err;
    EXPECT_TRUE(says(ran.err, bad.message)) << bad.line << "\n" << ran.err;
  }
}

// Names alone are read. A name that is none is answered with those that are.
TEST_F(TableVerbs, ListShowsTheTablesAndSnapshotsOfARoot) {
  const Ran ran = run(R"sh(
unpack root exported
bloomery table list root > listed
for table in root/data/*/*; do name=${table#root/data/}; name=${name/\//:}; echo "table	${name#default:}"; done | sort > wanted
for name in $(cd root/.hbase-snapshot; ls); do echo "snapshot	$name"; done >> wanted
diff listed wanted
bloomery table list --json --root exported
bloomery table list root/data; echo "status $?"
bloomery table info --root root --table nothing; echo "status $?"
bloomery table info --root exported --snapshot nothing; echo "status $?"
bloomery table info --root none --table nothing; echo "status $?"
)sh");
  EXPECT_EQ(ran.out, "{\"tables\":[],\"snapshots\":[\"of-clone\"]}\nstatus 2\nstatus 2\nstatus 2\nstatus 2\n")
      << ran.err;
  for (const char* const words : {"bloomery table list: root/data: expected an HBase root directory",
                                  "root/data/default/nothing: expected a table; there are bulk, clone, ",
                                  "exported/.hbase-snapshot/nothing: expected a snapshot; there are of-clone",
                                  "none: expected an HBase root directory"}) {
    EXPECT_TRUE(says(ran.err, words)) << words << "\n" << ran.err;
  }
}

// With holes accepted, the warning says where they are.
TEST_F(TableVerbs, AcceptedHolesAreWarnedOf) {
  const Ran ran = run(R"sh(
unpack root/data/default/wide
ls -d root/data/default/wide/*/.regioninfo | sed -n 2p | sed 's,/.regioninfo,,' | xargs rm -r
bloomery table count --root root --table wide > /dev/null 2> refused; echo $?
bloomery table count --root root --table wide --accept-region-faults > counted 2> warned; echo $?
grep -c 'bloomery table count: warning: ' warned
bloomery table info --root root --table wide 2> warned > /dev/null; echo $?
grep -c 'bloomery table info: warning: ' warned
)sh");
  EXPECT_EQ(ran.out, "3\n0\n1\n0\n1\n");
}

// A trailer of an HFile has 4096 bytes: a magic of 8, the length of a message as a varint, the message, zeros, and the version.
// Returns the file with the field of an encryption key in the message.
std::string with_encryption_key(const std::string& file) {
  constexpr std::size_t kTrailerBytes = 4096;
  const std::string trailer = file.substr(file.size() - kTrailerBytes);
  std::size_t length = 0;
  std::size_t begin = 8;
  for (unsigned shift = 0; shift < 21; shift += 7) {
    const auto byte = static_cast<unsigned char>(trailer[begin++]);
    length |= (byte & 127U) << shift;
    if (byte < 128) {
      break;
    }
  }
  const std::string message = trailer.substr(begin, length) + "j\x03" + "key";
  std::string changed = trailer.substr(0, 8);
  for (std::size_t rest = message.size(); rest > 0; rest >>= 7) {
    changed += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
  }
  changed += message;
  changed.resize(kTrailerBytes - 4);
  return file.substr(0, file.size() - kTrailerBytes) + changed + trailer.substr(kTrailerBytes - 4);
}

TEST_F(TableVerbs, AnEncryptedFileIsRefusedByName) {
  const Ran written = run(R"sh(
printf 'r1\tf:q\tv\t7\n' | bloomery hfile write -o load 2> /dev/null
echo -n load/f/*)sh");
  shell.folder().write(written.out, with_encryption_key(shell.folder().read(written.out)));
  const Ran ran = run(R"sh(
bloomery table scan load; echo "status $?"
bloomery table scan --skip-damaged load; echo "status $?"
)sh");
  EXPECT_TRUE(says(ran.out, "status " + std::string(kUnsupported) + "\nstatus 3\n")) << ran.out << ran.err;
  EXPECT_TRUE(says(ran.err, "bloomery table scan: load/f/")) << ran.err;
  EXPECT_TRUE(says(ran.err, "ncrypt")) << ran.err;
  EXPECT_TRUE(says(ran.err, "not in the answer: rows from the first row on: load/f/")) << ran.err;
}

// A reader that goes ends the scan without a word; Ctrl-C ends it after whole lines.
TEST_F(TableVerbs, AScanEndsQuietlyWithItsReaderAndWithWholeLinesAtAnInterrupt) {
  const Ran ran = run(R"sh(
for i in $(seq -w 60000); do printf 'row%s\tf:q\tvalue of some length %s\t7\n' $i $i; done > cells
bloomery hfile write -o load --no-summary cells 2> /dev/null || bloomery hfile write -o load cells 2> /dev/null
bloomery table scan load 2> /dev/null | head -1 | cut -f1,4-6
mkfifo lines
set -m
bloomery table scan load > lines 2> err &
exec 5< lines
IFS= read -r first <&5
kill -INT %1
cat <&5 > rest
wait %1; echo "status $?"
n=$(wc -l < rest)
[ $n -lt 59999 ] && [ -z "$(tail -c 1 rest | tr -d '\n')" ] && echo 'whole lines, not all'
grep -v 'warning' err
)sh");
  EXPECT_EQ(ran.out,
            "row00001\t7\tPut\tvalue\\x20of\\x20some\\x20length\\x2000001\n"
            "status 130\nwhole lines, not all\n"
            "bloomery table scan: interrupted: the answer ends here\n")
      << ran.err;
}

TEST_F(TableVerbs, AFileThatIsCutWhileItIsReadIsNamedWithThePlace) {
  const Ran ran = run(R"sh(
for i in $(seq -w 60000); do printf 'row%s\tf:q\tvalue of some length %s\t7\n' $i $i; done > cells
for option in --limit=60000 --skip-damaged; do
  rm -rf load lines && mkfifo lines
  bloomery hfile write -o load cells 2> /dev/null
  file=$(ls load/f/*)
  bloomery table scan load $option > lines 2> err &
  verb=$!
  exec 5< lines
  IFS= read -r first <&5
  truncate -s 2000000 "$file"
  cat <&5 > rest
  wait $verb; echo "status $?"
  diff <(cut -f1 rest) <(seq -w 60000 | sed 's/^/row/' | sed 1d | head -$(wc -l < rest)) > /dev/null || echo 'other rows'
  grep -q "$file: at byte [0-9]*: expected [0-9]* more bytes, found the end" err || cat err
done
grep -q 'not in the answer: rows from row[0-9]* to row60000: ' err || cat err
)sh");
  EXPECT_EQ(ran.out, "status 3\nstatus 3\n") << ran.err;
}

TEST_F(TableVerbs, BytesInRowsAndFiltersAreWrittenAsTheyArePrinted) {
  const Ran ran = run(R"sh(
unpack root/data/default/halves
place='--root root --table halves'
bloomery table get $place --row '\x00\x01C' > by_get
bloomery table scan $place --prefix '\x00\x01C' --limit 1 | cmp - by_get
bloomery table scan $place --filter "RowFilter(=, 'binary:\x00\x01C')" | cmp - by_get
bloomery table scan $place --filter "RowFilter(=, 'regexstring:^\x00\x01C\$')" | cmp - by_get
bloomery table scan $place --filter "RowFilter(=, 'regexstring:^row-0\d4\$')" | cut -f1 | uniq | head -2
bloomery table scan $place --filter "RowFilter(=, 'regexstring:^row\x2e0')" | head -1
)sh");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, "row-004\nrow-014\n");
}

// A table of 350 MB goes through a process whose memory, libraries included, is at most 70 MB.
TEST_F(TableVerbs, ATableOfFiveTimesTheMemoryIsScannedWhole) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take more address space than is left here";
  }
  const Ran ran = run(R"sh(
awk 'BEGIN {
  for (i = 0; i < 1000; ++i) value = value "0123456789"
  for (i = 0; i < 35000; ++i) printf "row%07d\tf:q\t%s\t1\n", i, value
}' > cells
bloomery hfile write --no-summary --max-file-size 100M -o load cells
[ "$(du -sm load | cut -f1)" -ge 330 ] || echo "only $(du -sm load)"
cut -f1 cells > rows
ulimit -v 70000
bloomery table scan load 2> err | cut -f1 | cmp - rows
bloomery table count load 2>> err
)sh");
  EXPECT_EQ(ran.out, "rows   35000\ncells  35000\n") << ran.err;
}

// Of a file that is skipped no data block is read: the system calls are watched. The 33 bytes at the beginning of a file
// are read to tell what kind of file it is.
TEST_F(TableVerbs, NoDataBlockOfASkippedFileIsRead) {
  const Ran ran = run(R"sh(
strace -V > /dev/null 2>&1 && strace -o trace true 2> /dev/null || { echo untraced; exit; }
for file in 1 2 3; do
  awk -v file=$file 'BEGIN { for (i = 0; i < 20000; ++i) printf "row%06d\tf:q\tvalue%d\t%d\n", i * 3 + file, i, file }' |
    bloomery hfile write --no-summary --add -o load
done
strace -f -y -e trace=pread64,preadv,read,readv,mmap -o trace env ASAN_OPTIONS=detect_leaks=0 \
  ')sh" BLOOMERY_COMMAND R"sh(' table get load --row row000301 > cells 2> err
# The data is in front of the Bloom filter, and that begins behind byte 829,000.
awk '/pread64/ && match($0, /load\/f\/[0-9a-f]+/) {
  file = substr($0, RSTART, RLENGTH)
  seen[file]
  count = split($0, parts, ", "); offset = parts[count]; sub(/\).*/, "", offset)
  bytes = $NF
  if (bytes > 33 && offset + 0 < 829000) ++blocks[file]
}
/mmap|preadv|readv/ && /load\/f\// { print "another call: " $0 }
END { for (file in seen) { ++files; read += blocks[file] > 0; all += blocks[file] } print files, read, all }' trace
cut -f1 cells
)sh");
  if (ran.out == "untraced\n") {
    GTEST_SKIP() << "needs strace, and the right to trace";
  }
  EXPECT_EQ(ran.out, "3 1 1\nrow000301\n") << ran.err;
}

}  // namespace
}  // namespace bloomery
