// bloomery hfile: every verb that reads, on the files that HBase wrote and beside HBase's own listings of
// them.
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"
#include "tests/hfile/protobuf_bytes.h"
#include "tests/hfile/seal.h"

namespace bloomery {
namespace {

// `golden NAME` is a file of HBase, `listing NAME` HBase's own list of its cells, with types as numbers;
// `numbered` makes them of names. `readable` are all files but the one of a codec that is refused.
constexpr const char* kGoldenPrelude = R"sh(
goldens=')sh" BLOOMERY_SOURCE R"sh(/tests/golden/hbase'
golden() { echo "$goldens/$1.hfile"; }
listing() { if [ -e "$goldens/$1.cells" ]; then cat "$goldens/$1.cells"; else zcat "$goldens/$1.cells.gz"; fi; }
readable() { ls "$goldens"/*.hfile | grep -v _lzo_; }
numbered() {
  awk 'BEGIN { FS = OFS = "\t"
               type["Put"] = 4; type["Delete"] = 8; type["DeleteFamilyVersion"] = 10
               type["DeleteColumn"] = 12; type["DeleteFamily"] = 14 }
       { $5 = type[$5]; print }'
}
flip() {  # FILE OFFSET: changes the lowest bit of a byte
  byte=$(dd if="$1" bs=1 skip="$2" count=1 status=none | od -An -tu1)
  printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
)sh";

class HFile : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kGoldenPrelude + line); }

  Shell shell;
};

TEST_F(HFile, CatPrintsTheCellsAsHBaseListsThem) {
  const Ran ran = run(R"sh(
n=0
for file in $(readable); do
  name=$(basename "$file" .hfile)
  bloomery hfile cat "$file" > cells || echo "status of $name"
  listing "$name" | cmp - <(numbered < cells) || echo "cells of $name"
  n=$((n + 1))
done
[ $n -gt 80 ])sh");
  EXPECT_EQ(ran.status, 0) << "fewer golden files than there were";
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(HFile, VerifyFindsNothingInFilesOfHBase) {
  const Ran ran =
      run("bloomery hfile verify $(readable) | grep -v ': sound: \\|: note: \\|: cannot be proven: it has no "
          "filter' | grep -v ': bulk load: '");
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(run("bloomery hfile verify $(readable) > /dev/null").status, 0);
  EXPECT_EQ(run("bloomery hfile verify $(readable) | grep -c ': sound: \\|: cannot be proven: '").out,
            run("readable | wc -l").out);
}

// All HFiles in a directory and below it, each by its path. What is no HFile is passed over, with a word.
TEST_F(HFile, VerifyAndInfoTakeDirectories) {
  const char* const kTree = R"sh(
mkdir -p d/cf/deep; cp $(golden bulk) d/cf/b.hfile; cp $(golden bloom_row) d/cf/deep/a.hfile; echo x > d/.regioninfo
)sh";
  const Ran whole =
      run(std::string(kTree) +
          "bloomery hfile verify d | grep ': sound: ' | cut -d: -f1; bloomery hfile verify d > said");
  EXPECT_EQ(whole.out, "d/cf/b.hfile\nd/cf/deep/a.hfile\n");
  EXPECT_EQ(whole.status, 0);
  EXPECT_TRUE(says(whole.err, "bloomery hfile verify: d/.regioninfo is no HFile and was passed over"))
      << whole.err;

  Ran ran = run("bloomery hfile info d | grep -E '^(file|cells) ' | tr -s ' '");
  EXPECT_EQ(ran.out, run("for f in d/cf/b.hfile d/cf/deep/a.hfile; do echo file $f; bloomery hfile info $f | "
                         "grep '^cells ' | "
                         "tr -s ' '; done")
                         .out);
  EXPECT_EQ(run("bloomery hfile info --json d | jq -r .file").out, "d/cf/b.hfile\nd/cf/deep/a.hfile\n");
  EXPECT_EQ(run("bloomery hfile info d/cf/b.hfile | grep -c '^file '").out, "0\n")
      << "a single file needs no name";
  EXPECT_EQ(run("bloomery hfile info d/cf/b.hfile d/cf/deep/a.hfile | grep -c '^file '").out, "2\n");

  ran = run("flip d/cf/b.hfile 521; bloomery hfile verify d");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(says(ran.out, "d/cf/b.hfile: damaged: ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "d/cf/deep/a.hfile: sound: ")) << ran.out;
}

// The name alone says that it was an HFile.
TEST_F(HFile, AnEmptiedStoreFileInADirectoryIsDamaged) {
  for (const std::string name :
       {"0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef_SeqId_7_",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}) {
    for (const std::string verb : {"verify", "info"}) {
      const Ran ran = run("rm -rf e; mkdir -p e/cf; cp $(golden bulk) e/cf/b.hfile; : > e/cf/" + name +
                          "; bloomery hfile " + verb + " e");
      EXPECT_EQ(ran.status, 3) << verb << name;
      EXPECT_TRUE(says(ran.err, "e/cf/" + name + ": at byte 0: expected an HFile, as its name says"))
          << ran.err;
      EXPECT_TRUE(says(ran.out, "b.hfile")) << "the other one is shown: " << ran.out;
    }
  }
  // Half of another file, a link, and names of other programs.
  for (const std::string other :
       {"0123456789abcdef0123456789abcdef.0123456789abcdef", "t=0f-0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef_SeqId__",
        "0123456789abcdef0123456789abcdef_SeqId_7", "0123456789abcdef0123456789abcdef_del",
        "0123456789ABCDEF0123456789ABCDEF"}) {
    const Ran ran = run("rm -f e/cf/[0t]*; : > e/cf/" + other + "; bloomery hfile verify e");
    EXPECT_EQ(ran.status, 0) << other << ran.err;
    EXPECT_TRUE(says(ran.err, other + " is no HFile and was passed over")) << ran.err;
  }
}

TEST_F(HFile, ADirectoryWithoutHFilesIsNoWholeOne) {
  for (const std::string verb : {"verify", "info"}) {
    const Ran ran =
        run("mkdir -p none/a; echo x > none/a/y; ln -sf .. none/a/up; bloomery hfile " + verb + " none");
    EXPECT_EQ(ran.status, 2) << verb;
    EXPECT_TRUE(says(ran.err, "none: expected HFiles in the directory or below it, found none among 1 file"))
        << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(HFile, VerifyCountsCellsAndProbesAndKnowsWhoIsReadyToBeLoaded) {
  Ran ran = run("cd \"$goldens\"; bloomery hfile verify bloom_row_default.hfile");
  EXPECT_EQ(ran.out,
            "bloom_row_default.hfile: sound: 10 keys of its 10 cells in 6 blocks asked, none denied\n"
            "bloom_row_default.hfile: bulk load: not ready: its directory is named hbase, which HBase takes "
            "for the "
            "family, and its cells are of f\n");
  EXPECT_EQ(run("bloomery hfile verify --bulk-load $(golden bloom_row_default)").status, 1);
  run("mkdir f g; cp $(golden bulk) $(golden empty) f");
  ran = run("bloomery hfile verify --bulk-load f/bulk.hfile");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(says(ran.out, "bulk load: ready, in a directory named f\n")) << ran.out;
  EXPECT_EQ(run("bloomery hfile verify --json f/bulk.hfile | jq -c '[.integrity, .bulk_load_ready]'").out,
            "[\"ok\",true]\n");
  EXPECT_EQ(run("cd f; bloomery hfile verify --bulk-load bulk.hfile").status, 0) << "of the directory itself";
  EXPECT_EQ(run("bloomery hfile verify --bulk-load g/../f/bulk.hfile").status, 0);
  ran = run("bloomery hfile verify --bulk-load f/empty.hfile");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.out, "bulk load: not ready: it has no cells\n")) << ran.out;
}

// HBase takes the family from the directory, and gets of these cells end with an exception.
TEST_F(HFile, VerifyRefusesAFileInAnotherFamilysDirectory) {
  const Ran ran = run("mkdir g; cp $(golden bulk) g; bloomery hfile verify --bulk-load g/bulk.hfile");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.out,
                   "g/bulk.hfile: bulk load: not ready: its directory is named g, which HBase takes for the "
                   "family, and its cells are of f\n"))
      << ran.out;
  EXPECT_EQ(run("bloomery hfile verify g/bulk.hfile").status, 0) << "the file itself is whole";
}

// A cluster of HBase 2.6.4 loaded files of each of these kinds (docs/formats/hfile-evidence.md).
TEST_F(HFile, VerifyAsksOfABulkLoadNoMoreThanHBase) {
  const Ran ran = run(R"sh(
mkdir f
for name in bloom_row_default plain no_mvcc mixed_compaction bulk; do
  cp $(golden $name) f/$name
  bloomery hfile info f/$name | grep -cE '^file_info +(KEY_VALUE_VERSION|BULKLOAD_TIMESTAMP|TIMERANGE|MAX_SEQ_ID_KEY):' >> kinds
  bloomery hfile verify --bulk-load f/$name > out || { echo $name; cat out; }
done
sort -u kinds | wc -l)sh");
  EXPECT_EQ(ran.out, "3\n") << ran.err;
}

// A byte in the middle of each block of a file, one at a time: which block it was must be said.
TEST_F(HFile, VerifyNamesTheBlockThatIsDamaged) {
  const Ran ran = run(R"sh(
for name in bloom_rowcol index_four_levels encoding_diff_tags; do
  bloomery hfile info --json --blocks $(golden $name) |
    jq -r '.load_on_open_offset as $stop | .block[] | select(.offset < $stop) | "\(.offset) \(.on_disk_bytes)"' |
    awk 'NR % 3 == 1' > blocks
  while read -r offset bytes; do
    cp $(golden $name) copy
    flip copy $((offset + bytes / 2))
    bloomery hfile verify copy > out 2>&1
    [ $? = 3 ] || echo "$name $offset: status"
    grep -q "at byte $offset: " out || { echo "$name $offset"; cat out; }
  done < blocks
  wc -l < blocks >> tried
done
awk '{ sum += $1 } END { exit sum < 30 }' tried)sh");
  EXPECT_EQ(ran.status, 0) << "too few blocks tried";
  EXPECT_EQ(ran.out + ran.err, "");
}

// Blocks with good checksums and wrong contents. In this file a data block is at 0, a Bloom chunk at 487.
class SealedHFile : public HFile {
 protected:
  // Verifies the file with `bytes` put at `at`, in the block at `block`.
  Ran verify_changed(std::uint64_t block, std::size_t at, const std::string& bytes) const {
    run("cp $(golden bloom_row_default) copy");
    std::string file = shell.folder().read("copy");
    file.replace(at, bytes.size(), bytes);
    EXPECT_NE(seal_block(file, block), 0u);
    shell.folder().write("copy", file);
    Ran ran = run("bloomery hfile verify copy");
    EXPECT_EQ(ran.status, 3) << ran.out;
    return ran;
  }
};

TEST_F(SealedHFile, AFilterThatWouldLoseACellIsFound) {
  const Ran ran = verify_changed(487, 520, std::string(16, '\0'));
  EXPECT_TRUE(
      says(ran.out,
           "copy: note: Bloom chunk: at byte 487: expected the key of a cell (row row-00000, column f:q00, "
           "1700000000000, Put) of the data block at 0, found that it says no"))
      << ran.out;
}

// The bits are to blame then, and not LAST_BLOOM_KEY in file info too.
TEST_F(SealedHFile, AFilterOfColumnsThatWouldLoseACellIsFoundOnce) {
  run("cp $(golden bloom_rowcol_default) copy");
  std::string file = shell.folder().read("copy");
  const std::size_t chunk = file.find("BLMFBLK2");
  file.replace(chunk + 33, 16, std::string(16, '\0'));
  ASSERT_NE(seal_block(file, chunk), 0u);
  shell.folder().write("copy", file);
  const Ran ran = run("bloomery hfile verify copy");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(says(ran.out, "copy: note: Bloom chunk: at byte ")) << ran.out;
  EXPECT_FALSE(says(ran.out, "LAST_BLOOM_KEY")) << ran.out;
}

TEST_F(SealedHFile, CellsOutOfOrderAreFound) {
  const std::string file = run("cat $(golden bloom_row_default)").out;
  const Ran ran = verify_changed(0, file.find("row-00004"), "row-00001");
  EXPECT_TRUE(
      says(ran.out,
           "copy: data block: at byte 0: expected cells in order, found (row row-00001, column f:q00, "
           "1700000000004, Put) behind (row row-00003, "))
      << ran.out;
}

TEST_F(SealedHFile, FileInfoThatIsNotTrueIsFound) {
  const std::string file = run("cat $(golden bloom_row_default)").out;
  const std::size_t times = file.find("TIMERANGE");
  Ran ran = verify_changed(652, times + 26, "\x03");  // the newest time, 6 ms earlier
  EXPECT_TRUE(
      says(ran.out, "copy: file info block: at byte 652: expected a TIMERANGE with the cell (row row-00004"))
      << ran.out;
  ran = verify_changed(652, file.find("LAST_BLOOM_KEY") + 16, "row-00008");
  EXPECT_TRUE(says(
      ran.out, "file info block: at byte 652: expected LAST_BLOOM_KEY not before the cell (row row-00009"))
      << ran.out;
}

// HBase wrote no put without a qualifier in front of a marker of its family: one of two such puts becomes a
// marker.
TEST_F(SealedHFile, AMarkerBehindAPutWithoutQualifierIsNotPassedOver) {
  run("cp $(golden bloom_row_mixed) copy");
  std::string file = shell.folder().read("copy");
  const std::string key(
      "\x00\x04\x00\x01"
      "24\x01"
      "f\x00\x00\x00\x00\x00\x00\x00\x18\x04",
      17);
  const std::size_t at = file.find(key);
  ASSERT_NE(at, std::string::npos);
  file[at + key.size() - 1] = '\x0e';
  const std::size_t before = file.rfind(key.substr(0, 8), at - 1);  // a marker, newer
  ASSERT_EQ(file.at(before + key.size() - 1), '\x0e');
  file[before + key.size() - 1] = '\x04';
  ASSERT_NE(seal_block(file, file.rfind("DATABLK*", at)), 0u);
  shell.folder().write("copy", file);
  const Ran ran = run("bloomery hfile get copy --row '\\x00\\x0124' --column f:none | cut -f1-5");
  EXPECT_TRUE(says(ran.out, "\\x00\\x0124\tf\t\t24\tDeleteFamily\n")) << ran.out << ran.err;
}

// The trailer has no checksum.
TEST_F(SealedHFile, ATrailerWhoseSumsAreWrongIsFound) {
  const Ran ran = run(R"sh(
cp $(golden bloom_row_default) copy
size=$(stat -c %s copy)
for i in $(seq $((size - 4096)) $((size - 4000))); do
  cp $(golden bloom_row_default) copy; flip copy $i
  bloomery hfile verify copy > out 2>&1 || continue
  cmp -s <(bloomery hfile cat copy) <(bloomery hfile cat $(golden bloom_row_default)) && echo $((i - size + 4096)) >> unseen
done
cat unseen | wc -l)sh");
  EXPECT_EQ(ran.out, "0\n") << ran.err;
}

// HBase reads 3.1 and 3.2, and so do we, but nothing writes them.
TEST_F(HFile, AChangedMinorVersionIsFound) {
  const Ran ran = run(R"sh(
size=$(stat -c %s $(golden bloom_row_default))
for minor in 0 1 2 4 7 203; do
  cp $(golden bloom_row_default) copy
  printf "\\x$(printf %x $minor)" | dd of=copy bs=1 seek=$((size - 4)) conv=notrunc status=none
  bloomery hfile verify copy > out 2>&1
  echo "$minor $? $(grep -c "at byte $((size - 4)): expected version" out)"
done
cp $(golden bloom_row_default) copy; flip copy $((size - 4))
bloomery hfile cat copy | cmp - <(bloomery hfile cat $(golden bloom_row_default)) && echo read
bloomery hfile info copy | grep '^version')sh");
  EXPECT_EQ(ran.out, "0 3 1\n1 3 1\n2 3 1\n4 5 1\n7 5 1\n203 5 1\nread\nversion                  3.2\n")
      << ran.err;
}

TEST_F(HFile, DamageAndWhatIsNoHFileHaveTheirExitStatus) {
  EXPECT_EQ(run("cp $(golden bloom_row) copy; flip copy 100; bloomery hfile cat copy").status, 3);
  const Ran cat = run("cp $(golden bloom_row) copy; flip copy 100; bloomery hfile cat copy");
  EXPECT_TRUE(says(cat.err, "bloomery hfile cat: copy: data block: at byte 0: ")) << cat.err;
  EXPECT_EQ(run("head -c 3000 $(golden bloom_row) > cut; bloomery hfile info cut").status, 3);
  EXPECT_EQ(run("head -c 3000 $(golden bloom_row) > cut; bloomery hfile verify cut").status, 3);
  for (const char* const verb : {"info", "cat", "verify", "filter", "get --row r"}) {
    EXPECT_EQ(run(std::string("bloomery hfile ") + verb + " missing").status, 2) << verb;
    const Ran none = run(std::string("bloomery hfile ") + verb + " /etc/passwd");
    EXPECT_EQ(none.status, 2) << verb;
    EXPECT_TRUE(says(none.err, "expected an HFile")) << none.err;
    // A directory has the status of the HFiles in it, for the verbs that take one: these two are damaged.
    const bool takes_directory = std::string(verb) == "info" || std::string(verb) == "verify";
    EXPECT_EQ(run(std::string("bloomery hfile ") + verb + " .").status, takes_directory ? 3 : 2) << verb;
    EXPECT_EQ(run(std::string("bloomery hfile ") + verb + " /dev/null").status, 2) << verb;
  }
  for (const char* const verb : {"info", "cat", "verify", "filter", "get --row r"}) {
    const Ran lzo = run(std::string("bloomery hfile ") + verb + " $(golden codec_lzo_air)");
    EXPECT_EQ(lzo.status, 5) << verb;
    EXPECT_TRUE(says(lzo.err, "found LZO (unsupported)")) << lzo.err;
  }
  EXPECT_EQ(run("bloomery inspect $(golden codec_lzo_air)").status, 5);
  // Of several files damage counts more, wherever it stands.
  run("cp $(golden bloom_row) copy; flip copy 100");
  EXPECT_EQ(run("bloomery hfile verify $(golden codec_lzo_air) copy $(golden codec_lzo_air)").status, 3);
  EXPECT_EQ(run("bloomery hfile verify $(golden bulk) $(golden codec_lzo_air)").status, 5);
  EXPECT_EQ(
      run("mkdir d; cp $(golden codec_lzo_air) d/a; cp $(golden bulk) d/b; bloomery hfile advise d").status,
      5);
  EXPECT_EQ(run("cp copy d/c; cp $(golden codec_lzo_air) d/d; bloomery hfile advise d").status, 3);
  EXPECT_EQ(run("bloomery hfile get $(golden bloom_row) --row $(printf %040000d 0)").status, 2);
  EXPECT_EQ(run("bloomery hfile get $(golden bloom_row) --row r --column $(printf %0200d 0):q").status, 2);
  EXPECT_EQ(run("printf %070000d\\\\tq 0 | bloomery hfile filter -c $(golden bloom_rowcol)").out, "1\n");
  EXPECT_EQ(run("bloomery hfile").status, 2);
  const Ran word = run("bloomery hfile frobnicate");
  EXPECT_EQ(word.status, 2);
  EXPECT_TRUE(
      says(word.err, "bloomery hfile: expected a verb, one of info cat get verify filter advise write"))
      << word.err;
  EXPECT_TRUE(says(run("bloomery hfile get x").err, "bloomery hfile get: --row is required"));
}

// Hudi's own writer leaves the field 4 of the trailer out. Nothing of such a file is damaged.
TEST_F(HFile, AFileOfHudisOwnWriterIsNamedAndNotDamaged) {
  std::string fields;
  for (const unsigned number : {1U, 2U, 3U, 5U, 6U, 7U, 8U, 9U, 10U, 12U}) {
    append_integer_field(fields, number, number == 12 ? 2 : number == 7 || number == 8 ? 1 : 0);
  }
  append_bytes_field(fields, 11, "org.apache.hudi.io.storage.HoodieHBaseKVComparator");
  std::string trailer = "TRABLK\"$" + delimited(fields);
  trailer.resize(4092);
  shell.folder().write("trailer", trailer + std::string("\x03\x00\x00\x03", 4));
  run("head -c -4096 $(golden bloom_row_default) | cat - trailer > of_hudi; cp $(golden bulk) whole");
  for (const char* const verb : {"info", "verify", "verify whole", "cat", "filter", "get --row r"}) {
    const Ran ran = run(std::string("bloomery hfile ") + verb + " of_hudi");
    EXPECT_EQ(ran.status, 5) << verb;
    EXPECT_TRUE(says(ran.err, "of_hudi: trailer: ")) << verb << ran.err;
    EXPECT_TRUE(says(ran.err, "found one of Hudi's own writer")) << verb << ran.err;
    EXPECT_FALSE(says(ran.err, "corruption")) << verb << ran.err;
  }
}

TEST_F(HFile, InfoPrintsBooleansAsWords) {
  const std::string info =
      run("bloomery hfile info $(golden bulk) | grep '^file_info' | sed 's/^file_info *//'").out;
  for (const char* const line : {"MAJOR_COMPACTION_KEY: true\n", "EXCLUDE_FROM_MINOR_COMPACTION: false\n",
                                 "HISTORICAL: false\n", "hfile.TAGS_COMPRESSED: false\n"}) {
    EXPECT_TRUE(says(info, line)) << line << info;
  }
  EXPECT_EQ(run("bloomery hfile info --json $(golden encoding_diff_dictionary) | jq -c "
                "'.file_info[\"hfile.TAGS_COMPRESSED\"]'")
                .out,
            "\"true\"\n");
  // No boolean of any file is left as bytes.
  EXPECT_EQ(run("for f in $(readable); do bloomery hfile info $f; done | grep -E ': \\\\x(00|ff)$'").out, "");
}

TEST_F(HFile, CatTakesRangesColumnsTimesAndACount) {
  const std::string file = "$(golden bloom_rowcol_mixed)";
  EXPECT_EQ(run("f=" + file + R"sh(
bloomery hfile cat $f > all
awk -F'\t' '$1 >= "row-0010" && $1 < "row-0040"' all > expected
bloomery hfile cat $f --start-row row-0010 --stop-row row-0040 | cmp - expected && test -s expected &&
awk -F'\t' '$3 == "qa" || $5 ~ /^DeleteFamily/' all > expected && test -s expected &&
bloomery hfile cat $f --column f:qa | cmp - expected &&
bloomery hfile cat $f --column f | cmp - all &&
bloomery hfile cat $f --column g | cmp - /dev/null &&
awk -F'\t' '$4 >= 1700000000000 && $4 < 1700000000003' all > expected && test -s expected &&
bloomery hfile cat $f --since 1700000000000 --until 1700000000003 | cmp - expected &&
head -n 7 all > expected && bloomery hfile cat $f -m 7 | cmp - expected)sh")
                .status,
            0);
}

// jq's numbers are doubles, so that the largest mvcc are left out.
TEST_F(HFile, CatAsJsonHasTheSameCells) {
  const Ran ran = run(R"sh(
bloomery hfile cat --json $(golden encoding_none_tags) |
  jq -r 'select(.mvcc < 1e15) | [.row, .family, .qualifier, .timestamp, .type, .value,
          ([.tags[] | "\(.type):\(.bytes)"] | join(",")), .mvcc] | map(tostring) | join("\t")' > json
bloomery hfile cat $(golden encoding_none_tags) | awk '$8 < 1e15' FS='\t' | cmp - json && test -s json)sh");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(HFile, GetPrintsAllCellsOfARowAndExitsLikeGrep) {
  const Ran ran = run(R"sh(
f=$(golden mixed)
bloomery hfile cat $f > all
cut -f1 all | uniq > rows
while read -r row; do
  awk -F'\t' -v row="${row//\\/\\\\}" '$1 == row' all > expected
  bloomery hfile get $f --row "$row" | cmp - expected || echo "row $row"
done < rows
[ $(wc -l < rows) -gt 20 ])sh");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(run("bloomery hfile get $(golden bloom_row) --row none").status, 1);
  EXPECT_EQ(run("bloomery hfile get $(golden bloom_row) missing --row none").status, 2);
}

// Columns are stepped to by the index, the markers of their family never passed over.
TEST_F(HFile, GetOfColumnsPrintsThemAndTheirFamilysMarkers) {
  const Ran ran = run(R"sh(
for name in mixed bloom_rowcol_mixed versions index_three_levels; do
  f=$(golden $name)
  bloomery hfile cat $f > all
  cut -f1 all | uniq > rows
  for q in $(cut -f3 all | sort -u | head -n 2) missing; do
    while read -r row; do
      awk -F'\t' -v row="${row//\\/\\\\}" -v q="${q//\\/\\\\}" '$1 == row && ($3 == q || $5 ~ /^DeleteFamily/)' all > expected
      bloomery hfile get $f --row "$row" --column "f:$q" | cmp - expected || echo "$name row $row column $q"
    done < <(awk 'NR % 9 == 1' rows)
  done
done)sh");
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(HFile, GetMergesSeveralFilesInTheOrderOfCells) {
  const Ran ran = run(R"sh(
row=row-00003
bloomery hfile get $(golden bloom_row_default) $(golden bloom_rowcol_default) --row $row > both
bloomery hfile get $(golden bloom_row_default) --row $row > one; bloomery hfile get $(golden bloom_rowcol_default) --row $row > other
sort one other | cmp - <(sort both) && test -s one && test -s other && bloomery hfile get $(golden bloom_row_default) $(golden bloom_row_default) --row $row | wc -l)sh");
  EXPECT_EQ(ran.out, "2\n") << ran.err;
}

TEST_F(HFile, ExplainSaysWhatSkippedAFileAndWhichBlocksWereRead) {
  Ran ran = run("cd \"$goldens\"; bloomery hfile get bloom_row_default.hfile --row row-00003 --explain");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(
      ran.err,
      "bloom_row_default.hfile: read, cells found: 1; Bloom chunk at byte 487, 53 bytes; data block at byte "
      "0, 487 bytes\n");
  ran = run("cd \"$goldens\"; bloomery hfile get bloom_row_default.hfile --row row-000035 --explain");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(
      says(ran.err,
           "bloom_row_default.hfile: skipped by its Bloom filter (ROW): row-000035 is not in chunk 0 at "
           "byte 487: of its 128 bits, these of the key are 0: "))
      << ran.err;
  EXPECT_TRUE(says(run("bloomery hfile get $(golden bloom_row_default) --row a --explain").err,
                   "skipped by its key range: rows row-00000 to row-00009"));
  EXPECT_TRUE(
      says(run("bloomery hfile get $(golden bloom_row_default) --row row-00003 --until 5 --explain").err,
           "skipped by its time range: 1700000000000 to 1700000000009"));
  EXPECT_TRUE(
      says(run("bloomery hfile get $(golden empty) --row a --explain").err, "skipped: it has no cells"));
}

TEST_F(HFile, ADamagedChunkCostsTheSkipAndNotTheCells) {
  const Ran ran =
      run("cp $(golden bloom_row_default) copy; flip copy 521; bloomery hfile get copy --row row-00003 | cut "
          "-f1");
  EXPECT_EQ(ran.out, "row-00003\n");
  EXPECT_EQ(run("cp $(golden bloom_row_default) copy; flip copy 521; bloomery hfile get copy --row row-00003")
                .status,
            3);
  const Ran filter =
      run("cp $(golden bloom_row_default) copy; flip copy 521; echo row-000035 | bloomery hfile filter copy");
  EXPECT_EQ(filter.out, "row-000035\n");
  EXPECT_EQ(filter.status, 3);
}

// HBase's own answers, of its store file; a line of a .probes file has them last but one.
TEST_F(HFile, FilterAnswersAsHBase) {
  const Ran ran = run(R"sh(
for name in bloom_row bloom_rowcol bloom_row_jenkins bloom_rowcol_murmur3 bloom_prefix; do
  f=$(golden $name)
  awk -F'\t' '$1 != "DELETE_FAMILY"' $goldens/$name.probes > probes
  case $name in *rowcol*) cut -f2,3 probes > asked ;; *) cut -f2 probes > asked ;; esac
  [ -s asked ] || echo "no probes of $name"
  paste <(cut -f5 probes) asked | awk '$1 == 1' | cut -f2- > expected
  bloomery hfile filter $f asked | cmp - expected || echo $name
  bloomery hfile filter -c $f asked | cmp - <(wc -l < expected) || echo "count of $name"
  bloomery hfile filter -v $f asked | sort | cmp - <(paste <(cut -f5 probes) asked | awk '$1 == 0' | cut -f2- | sort) || echo "absent of $name"
done)sh");
  EXPECT_EQ(ran.out + ran.err, "");
}

// HBase wrote these filters with error rates of 0.7 and 0.9, for which it computes 0 hashes.
TEST_F(HFile, FiltersWithoutHashesAnswerAsHBase) {
  const Ran ran = run(R"sh(
for name in no_hashes_row no_hashes_rowcol; do
  f=$goldens/edges/$name.hfile
  case $name in *rowcol*) cut -f2,3 $goldens/edges/$name.probes > asked ;; *) cut -f2 $goldens/edges/$name.probes > asked ;; esac
  paste <(cut -f5 $goldens/edges/$name.probes) asked | awk '$1 == 1' | cut -f2- > expected
  wc -l < expected
  bloomery hfile filter $f asked | cmp - expected || echo $name
  bloomery hfile cat $f | numbered | cmp - $goldens/edges/$name.cells || echo "cells of $name"
  cut -f1 $goldens/edges/$name.cells | uniq | while read -r row; do bloomery hfile get $f --row $row; done |
    numbered | cmp - $goldens/edges/$name.cells || echo "gets of $name"
  bloomery hfile verify $f | grep -v 'bulk load' | cut -d: -f2-
  bloomery hfile info --json $f | jq -c '.bloom | [.hash_count, .chunks, .current_fpp, .note]'
  bloomery inspect $f | grep -E '^(hash_count|current_fpp|note|integrity)'
done)sh");
  const std::string note =
      "a Bloom filter has 0 hashes: it answers maybe to every key from its first to its last";
  const std::string inspected =
      "current_fpp      1.0\nhash_count       0\nnote             " + note + "\nintegrity        ok\n";
  EXPECT_EQ(ran.out, "24\n note: " + note +
                         "\n sound: 20 keys of its 20 cells in 25 blocks asked, none denied\n[0,20,1,\"" +
                         note + "\"]\n" + inspected + "52\n note: " + note +
                         "\n sound: 18 keys of its 18 cells in 23 blocks asked, none denied\n[0,18,1,\"" +
                         note + "\"]\n" + inspected)
      << ran.err;
  const Ran asked = run("bloomery inspect --dialect hbase $goldens/edges/no_hashes_row.hfile");
  EXPECT_EQ(asked.status, 0);
  EXPECT_TRUE(says(asked.out, "note             " + note)) << asked.out;
  EXPECT_TRUE(says(asked.out, "current_fpp      1.0\n")) << asked.out;
  EXPECT_FALSE(says(asked.out, "capacity")) << asked.out;
  EXPECT_FALSE(says(asked.err, "over capacity")) << asked.err;
}

// The files of a live HBase 2.6.4, and its own listing of them.
TEST_F(HFile, FilesOfHBaseMetaAreRead) {
  const Ran ran = run(R"sh(
zstd -dcq $goldens-tables/hbase.tar.zst | tar -x -f - root/data/hbase/meta
meta=root/data/hbase/meta/1588230740
edges=$goldens/edges
zcat $edges/meta_live_info.cells.gz > info.cells
bloomery hfile cat $meta/info/* | numbered | cmp - info.cells
bloomery hfile cat $meta/table/* | numbered | cmp - $edges/meta_live_table.cells
cut -f1 info.cells | uniq > rows
while read -r row; do
  bloomery hfile get $meta/info/* --row "$row" || echo "no $row"
done < rows | numbered | cmp - info.cells
while read -r row; do
  bloomery hfile get $meta/info/* --row "$row" --column info:state > /dev/null || echo "no state of $row"
done < <(awk 'NR % 9 == 1' rows)
for file in $meta/info/* $meta/table/* $meta/rep_barrier/* $edges/meta_*.hfile; do
  bloomery hfile verify $file > out || cat out
done
sed -n 20p rows > start; sed -n 31p rows > stop
bloomery hfile cat $meta/info/* --start-row "$(cat start)" --stop-row "$(cat stop)" | cut -f1 | uniq | cmp - <(sed -n 20,30p rows)
bloomery hfile info $meta/info/* | grep -E '^(comparator|bloom_type)'
for i in $(seq 100); do printf 'clone,row-%s,1.\tstate\n' $i; done | bloomery hfile filter -v $meta/info/* > absent
[ $(wc -l < absent) -gt 80 ] && echo 1
# HBase's order is not that of bytes, nor are the filters of these files for users to choose.
bloomery hfile advise $meta/info; echo $?
f=$edges/meta_none.hfile
zcat $edges/meta.cells.gz | cut -f1 | uniq > rows
LC_ALL=C sort -c rows 2> /dev/null || echo "not in the order of their text"
while read -r row; do bloomery hfile get $f $edges/meta_row_index.hfile --row "$row"; done < rows | cut -f1 | uniq | cmp - rows)sh");
  EXPECT_EQ(ran.out,
            "comparator               org.apache.hadoop.hbase.KeyValue$MetaComparator\n"
            "bloom_type               ROWCOL\n"
            "1\n5\nnot in the order of their text\n")
      << ran.err;
}

// A cell out of the order of hbase:meta is found, though the bytes of its row ascend.
TEST_F(SealedHFile, CellsOutOfTheOrderOfHBaseMetaAreFound) {
  run("cp $goldens/edges/meta_none.hfile copy");
  std::string file = shell.folder().read("copy");
  const std::size_t at = file.find(std::string("a,\0,", 4));
  ASSERT_NE(at, std::string::npos);
  file[at + 2] = '~';
  ASSERT_NE(seal_block(file, file.rfind("DATABLK*", at)), 0u);
  shell.folder().write("copy", file);
  const Ran ran = run("bloomery hfile verify copy");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(says(ran.out, "expected cells in order, found (row a,")) << ran.out;
}

// It has neither cells nor a filter: no row may be in, and the message says the same.
TEST_F(HFile, AFilterOfAFileWithoutCellsSaysNo) {
  for (const char* const name : {"empty", "empty_bloom", "version2_empty"}) {
    const std::string file = std::string("$(golden ") + name + ")";
    Ran ran = run("printf 'a\\nb\\tq\\n' | bloomery hfile filter " + file);
    EXPECT_EQ(ran.status, 1) << name;
    EXPECT_EQ(ran.out, "") << name;
    EXPECT_TRUE(says(ran.err, " has no cells: no row is in\n")) << ran.err;
    EXPECT_FALSE(says(ran.err, "every row may be in")) << ran.err;
    ran = run("printf 'a\\nb\\tq\\n' | bloomery hfile filter -v " + file);
    EXPECT_EQ(ran.out, "a\nb\tq\n") << name;
  }
}

TEST_F(HFile, FilterAnswersForDeleteFamilyMarkersAsHBase) {
  const Ran ran = run(R"sh(
for name in bloom_delete_family bloom_row_mixed bloom_prefix_mixed; do
  awk -F'\t' '$1 == "DELETE_FAMILY"' $goldens/$name.probes > probes
  cut -f2 probes > asked
  [ -s asked ] || echo "no probes of $name"
  paste <(cut -f5 probes) asked | awk '$1 == 1' | cut -f2- > expected
  bloomery hfile filter --delete-family $(golden $name) asked | cmp - expected || echo $name
done
echo row-00001 | bloomery hfile filter --delete-family -c $(golden bloom_row) # no marker at all: a no
echo row-00001 | bloomery hfile filter --delete-family -c $(golden bloom_rowcol_mixed) # markers, but no filter of them
)sh");
  EXPECT_EQ(ran.out + ran.err, "0\n1\n");
}

TEST_F(HFile, InfoAgreesWithHBase) {
  const Ran ran = run(R"sh(
for file in $(readable); do
  bloomery hfile info --json --blocks $file > info || echo "status of $file"
  name=${file##*/}; echo "\"${name%.hfile}\""; cat info
done > infos
# each file's name, and then what is said of it; lines of one kind are compared at a time, in their order
jq -nr 'foreach inputs as $of ({}; if $of | type == "string" then {name: $of} else .info = $of end;
  select(.info) | .name as $name | .info |
  (.block[] | "blocks of \($name): \(.offset) \(.on_disk_bytes) \(.payload_bytes)"),
  (.bloom | select(.) |
    "filter of \($name): \(.chunks) \(.hash_count) \(.byte_size) \(.keys) \(.max_keys)"),
  "cells of \($name): \(.cells)")' infos > found
awk 'FNR == 1 { name = FILENAME; sub(".*/", "", name); sub(/[.]info$/, "", name) }
  $1 == "block" { print "blocks of " name ":", $3, $4, $5 }
  $1 == "bloom" && $2 == "general" { print "filter of " name ":", $4, $6, $10, $12, $14 }
  $1 == "entry_count" { print "cells of " name ":", $2 }' $(readable | sed 's/hfile$/info/') > expected
for kind in blocks filter cells; do
  diff <(grep "^$kind" expected) <(grep "^$kind" found) | head -n 20
done)sh");
  EXPECT_EQ(ran.out + ran.err, "");
  const Ran text = run("bloomery hfile info $(golden bloom_row_default)");
  const Ran damaged =
      run("cp $(golden bloom_row_default) copy; flip copy 521; bloomery hfile info copy | grep cells");
  EXPECT_EQ(damaged.out, "cells                    10\n");
  EXPECT_TRUE(says(damaged.err, "bloomery hfile info: copy: Bloom chunk: at byte 487: ")) << damaged.err;
  EXPECT_TRUE(says(text.out, "bits_per_key 12.8, fill_ratio 0.")) << text.out;
  EXPECT_TRUE(says(text.out, "file_info                TIMERANGE: 1700000000000 to 1700000000009"))
      << text.out;
}

// HBase 0.98 stores 16 bytes more behind the two times.
TEST_F(HFile, TheTimesOfAFileOfVersion2AreKnown) {
  const Ran info = run("bloomery hfile info $(golden version2_gz)");
  EXPECT_TRUE(says(info.out, "file_info                TIMERANGE: 1700000000000 to 1700000000059"))
      << info.out;
  const Ran get =
      run("bloomery hfile get $(golden version2_gz) --row row-00005 --since 1700000000060 --explain");
  EXPECT_EQ(get.out, "");
  EXPECT_TRUE(says(get.err, "skipped by its time range: 1700000000000 to 1700000000059")) << get.err;
}

TEST_F(HFile, InspectRecognisesAnHFile) {
  const Ran ran = run("bloomery inspect $(golden bloom_row_default)");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(says(ran.out, "type             hfile\n")) << ran.out;
  EXPECT_TRUE(says(ran.out, "inserted         10\n")) << ran.out;
  EXPECT_TRUE(says(ran.out, "integrity        ok\n")) << ran.out;
  EXPECT_EQ(run("cp $(golden bloom_row_default) copy; flip copy 521; bloomery inspect --verify copy").status,
            3);
}

// What `hfile write` takes for a backslash, so that its input names rows everywhere.
TEST_F(HFile, TwoBackslashesInAKeyAreOne) {
  const Ran ran = run(R"sh(
printf 'a\\\\b\tf:q\tv\n' > lines; bloomery hfile write --no-summary -o d lines
cut -f1 lines | bloomery hfile filter d/f/*
bloomery hfile get d/f/* --row "$(cut -f1 lines)" | cut -f1)sh");
  EXPECT_EQ(ran.out, "a\\\\b\na\\x5cb\n") << ran.err;
}

TEST_F(HFile, FilterRefusesLinesOfMoreThanTwoFields) {
  const Ran ran =
      run("f=$(golden bloom_rowcol); bloomery hfile cat $f | bloomery hfile filter -v $f; echo $?");
  EXPECT_EQ(ran.out, "2\n");
  EXPECT_TRUE(says(ran.err, "line 1: expected a row, or a row, a tab and a qualifier, found more tabs"))
      << ran.err;
}

TEST_F(HFile, TimesAreDecimalAndWithinTheirRange) {
  const Ran ran = run(R"sh(
printf 'r\tf:q\tv\t9\n' | bloomery hfile write --no-summary -o d
bloomery hfile cat --since 09 d/f/* | wc -l; bloomery hfile cat --since 010 d/f/* | wc -l
for given in 0x9 9223372036854775808 1e3 ''x; do bloomery hfile cat --until $given d/f/*; echo $?; done)sh");
  EXPECT_EQ(ran.out, "1\n0\n2\n2\n2\n2\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "--until: expected milliseconds since 1970, found '9223372036854775808'"))
      << ran.err;
}

// Without checksums, so that a byte can be changed by hand.
TEST_F(HFile, TagsThatAreNotWholeAreDamage) {
  const Ran ran = run(R"sh(
printf 'r\tf\tq\t5\tPut\tv\t8:abc,9:xyz\t0\n' | bloomery hfile write --no-summary --tags --checksum NULL -o d
LC_ALL=C sed -i 's/\x00\x04\x09xyz/\x00\x09\x09xyz/' d/f/*
bloomery hfile cat d/f/*; echo $?; bloomery hfile cat --json d/f/*; echo $?; bloomery hfile get d/f/* --row r; echo $?
bloomery hfile verify d/f/* > said; echo $?; grep -c 'expected whole tags' said)sh");
  EXPECT_EQ(ran.out, "3\n3\n3\n3\n1\n") << ran.err;
}

// A seek must not come back to where it was.
TEST_F(HFile, AnIndexKeyBehindItsCellsIsDamage) {
  const Ran ran = run(R"sh(
printf 'c\tf:a\tv\t5\nc\tf:b\tv\t5\nd\tf:a\tv\t5\n' | bloomery hfile write --no-summary --bloom NONE --checksum NULL --block-size 1 -o d
LC_ALL=C sed -i 's/\x00\x01c\x01fb\x7f/\x00\x01c\x01fz\x7f/' d/f/*
bloomery hfile get d/f/* --row c --column f:q; echo $?
bloomery hfile verify d/f/* > said; echo $?; grep -c 'not before its key in the index' said)sh");
  EXPECT_EQ(ran.out, "3\n3\n1\n") << ran.err;
  EXPECT_TRUE(says(ran.err, "expected cells that are not before its key in the index")) << ran.err;
}

TEST_F(HFile, VerifyKnowsWhereTheTrailerHasTheFirstAndTheLastBlock) {
  const Ran ran = run(R"sh(
cp $(golden index_two_levels) f; LC_ALL=C sed -i 's/\x48\x00\x50/\x48\x54\x50/' f; cmp -s f $(golden index_two_levels) && echo same
bloomery hfile verify f; echo $?)sh");
  EXPECT_TRUE(says(ran.out, "expected the first and the last data block at 0 and ")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n3\n")) << ran.out;
}

TEST_F(HFile, WhatCannotBePrintedIsTrouble) {
  const Ran ran = run(R"sh(
for verb in 'hfile info' 'hfile info --json' 'hfile verify' 'hfile verify --json' inspect 'hfile cat'; do
  bloomery $verb $(golden bloom_row) > /dev/full; printf "$? "
  bloomery $verb $(golden bloom_row) >&-; printf "$? "
done 2> said)sh");
  EXPECT_EQ(ran.out, "2 2 2 2 2 2 2 2 2 2 2 2 ") << run("cat said").out;
}

// Its Bloom filter as one of the dialects: asked, and made only with its file.
TEST_F(HFile, TheDialectHbaseAsksTheFilterForRows) {
  const Ran ran = run(R"sh(
for name in bloom_row bloom_row_jenkins bloom_prefix; do
  f=$(golden $name)
  awk -F'\t' '$1 != "DELETE_FAMILY" && $3 == ""' $goldens/$name.probes | cut -f2 | grep -v '\\' > rows
  test -s rows || echo "rows of $name"
  bloomery hfile filter "$f" rows > expected
  bloomery query --dialect hbase "$f" rows 2>/dev/null | cmp - expected
  bloomery query "$f" rows 2>/dev/null | cmp - expected   # recognised
done)sh");
  EXPECT_EQ(ran.out + ran.err, "");
  const Ran shown = run("bloomery inspect --dialect hbase $(golden bloom_row_default)");
  EXPECT_TRUE(says(shown.out, "type             hbase\n")) << shown.out;
  EXPECT_TRUE(says(shown.out, "inserted         10\n")) << shown.out;
  EXPECT_TRUE(says(shown.out, "bloom_type       ROW\n")) << shown.out;
}

// Rows between those of the file, so that every chunk is asked.
TEST_F(HFile, FppOfTheDialectHbaseCountsWhatItsFilterAnswers) {
  const Ran ran = run(R"sh(
awk 'BEGIN { for (i = 0; i < 199; ++i) for (j = 0; j < 100; ++j) printf "row-%05d+%d\n", i, j }' > absent
bloomery fpp --dialect hbase $(golden bloom_row) --absent absent | sed -n 's/^false positives *//p'
bloomery hfile filter -c $(golden bloom_row) absent)sh");
  const std::size_t line = ran.out.find('\n');
  EXPECT_EQ(ran.out.substr(0, line + 1), ran.out.substr(line + 1)) << ran.err;
  EXPECT_GT(std::stoul(ran.out), 0U);
}

TEST_F(HFile, TheDialectHbaseRefusesWhatItCannotDo) {
  const auto refuses = [&](const std::string& line, int status, const std::string& why) {
    const Ran ran = run(line);
    EXPECT_EQ(ran.status, status) << line << ran.err;
    EXPECT_TRUE(says(ran.err, why)) << line << ran.err;
  };
  refuses("echo r | bloomery query --dialect hbase $(golden bloom_rowcol)", 2,
          "`bloomery hfile filter` asks it");
  refuses("echo r | bloomery query --dialect hbase $(golden bloom_none)", 2, "found one without");
  refuses("echo r | bloomery query --dialect hbase:row $(golden bloom_row)", 2, "expected no option");
  refuses("echo r | bloomery query --dialect hbase /etc/passwd", 2, "looks like lines of text");
  refuses("head -c 600 /dev/zero > zeros; echo r | bloomery query --dialect hbase zeros", 2,
          "expected an HFile");
  refuses("cp $(golden bloom_row_default) copy; flip copy 521; echo r | bloomery query --dialect hbase copy",
          3, "copy: Bloom chunk: at byte 487: ");
  refuses("seq 9 | bloomery build --dialect hbase -n 9 -p 0.01 -o new", 2,
          "`bloomery hfile write` makes both");
  EXPECT_EQ(run("test -e new").status, 1);
  refuses("cp $(golden bloom_row) copy; seq 9 | bloomery add --dialect hbase copy", 2,
          "`bloomery hfile write`");
  EXPECT_EQ(run("cmp copy $(golden bloom_row)").status, 0);
  refuses("bloomery merge -o new $(golden bloom_row) $(golden bloom_row)", 2, "`bloomery hfile write`");
  refuses("bloomery merge -o new $(golden bloom_row)", 2, "");
  EXPECT_EQ(run("test -e new").status, 1);
}

TEST_F(HFile, IsQuietWhenNobodyReadsOn) {
  const Ran ran = run("bloomery hfile cat $(golden large_values) | head -n 1 | wc -l");
  EXPECT_EQ(ran.out, "1\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(HFile, CtrlCEndsItQuietly) {
  const Ran ran = run(R"sh(
set -m; mkfifo in; bloomery hfile filter $(golden bloom_row) < in > out & exec 3> in
sleep 0.2; kill -INT %1; wait %1; echo $?)sh");
  EXPECT_EQ(ran.out, "130\n");
  EXPECT_FALSE(says(ran.err, "bloomery hfile filter: "))
      << ran.err;  // the shell says that it was interrupted
}

TEST_F(HFile, NumbersOfFileInfoAreReadWhole) {
  const Ran ran = run("bloomery hfile info $(golden bloom_row_default)");
  for (const char* const line : {"EARLIEST_PUT_TS: 1700000000000", "hfile.CREATE_TIME_TS: 1700000000000",
                                 "MAX_SEQ_ID_KEY: 7", "hfile.AVG_KEY_LEN: 25"}) {
    EXPECT_TRUE(says(ran.out, std::string("file_info                ") + line + "\n")) << ran.out;
  }
}

// A prefix of a length is what a filter of row prefixes asks for, and no other.
TEST_F(HFile, OnlyAFilterOfPrefixesHasALengthOfThem) {
  const Ran ran = run(R"sh(
for name in bloom_row bloom_rowcol bloom_prefix; do
  bloomery hfile info --json $(golden $name) | jq -c '.bloom | has("prefix_bytes")'
done)sh");
  EXPECT_EQ(ran.out, "false\nfalse\ntrue\n") << ran.err;
}

// The longest row there can be is asked for; what is longer is no row, and the filter does not judge it.
TEST_F(HFile, TheLongestRowIsAskedFor) {
  EXPECT_EQ(run("printf %032767d 0 | bloomery hfile filter -c $(golden bloom_row)").out, "0\n");
  EXPECT_EQ(run("printf %032768d 0 | bloomery hfile filter -c $(golden bloom_row)").out, "1\n");
}

}  // namespace
}  // namespace bloomery
