// Files whose checksums are right and whose contents are not: each once crashed the command, filled the memory,
// or made it answer no for cells that are there (tests/golden/hostile).
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"
#include "tests/base/sanitized.h"

namespace bloomery {
namespace {

// `hostile NAME` unpacks a file here, and is its name.
constexpr const char* kHostilePrelude = R"sh(
hostile() { zstd -dqf ')sh" BLOOMERY_SOURCE R"sh(/tests/golden/hostile/'"$1.zst" -o "$1" && echo "$1"; }
)sh";

class HostileFiles : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kHostilePrelude + line); }

  Shell shell;
};

// The row is behind LAST_BLOOM_KEY, and its chunk has no bits that could be 0.
TEST_F(HostileFiles, AnEmptyBloomChunkIsExplained) {
  const Ran ran = run("bloomery hfile get $(hostile empty_chunk.hfile) --row row-00005 --explain");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_TRUE(says(ran.out + ran.err, "row-00005 is behind its last key")) << ran.out << ran.err;
}

// TIMERANGE is a message of 16 bytes, which two longs are as well.
TEST_F(HostileFiles, ATimeRangeOfHBase2dot0DeniesNoCell) {
  const Ran ran = run(R"sh(f=$(hostile pbuf_timerange.hfile)
bloomery hfile cat $f --since 1600000000 --until 1800000000 | grep ^row-00005 > expected || echo no cell
bloomery hfile get $f --row row-00005 --since 1600000000 --until 1800000000 > found || echo status $?
cmp expected found
bloomery hfile get $f --row row-00005 --until 1500000000 --explain
bloomery hfile info $f | grep TIMERANGE)sh");
  EXPECT_TRUE(says(ran.out, "TIMERANGE: 1700000000 to 1700000009")) << ran.out << ran.err;
  EXPECT_TRUE(says(ran.err + ran.out, "skipped by its time range: 1700000000 to 1700000009"))
      << ran.out << ran.err;
}

// A file of at most 200 KB that claims gigabytes is refused with the file, the part and the limit, by every verb
// that would keep what it claims; all the memory of the process is 700 MB. With the part of the machine's memory
// that it claims, it would be read.
TEST_F(HostileFiles, WhatAFileClaimsIsNotKept) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take more address space than is left here";
  }
  const Ran ran = run(R"sh(
hostile chunk_bomb.hfile; hostile root_bomb.hfile; hostile index_bomb.ldb; hostile partitions_bomb.sst
ulimit -v 700000
says() {  # WORDS VERB...: its messages have the words; none is of the machine's memory
  words=$1; shift
  "$@" < /dev/null > said 2>&1; status=$?
  grep -q "$words" said || { echo "$*: status $status, without $words"; head -c 400 said; }
  ! grep -E 'bad_alloc|no more memory|out of memory' said
}
for verb in info cat verify 'get --row row-00005' filter; do
  says 'root_bomb.hfile: root index block: needs [0-9]* bytes of memory.* limit is 268435456; ' \
    bloomery hfile $verb root_bomb.hfile
done
says 'root_bomb.hfile' bloomery inspect root_bomb.hfile
says 'index_bomb.ldb: table index: needs .* limit is 268435456; ' bloomery inspect index_bomb.ldb
says 'index_bomb.ldb: table index: needs .* limit is 268435456; ' bloomery query index_bomb.ldb
says 'partitions_bomb.sst: .*filter.*: needs .* limit is 268435456; ' bloomery inspect partitions_bomb.sst
# glibc would give each of its blocks back to the machine, which then makes gigabytes of zeros
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=1073741824 \
  says 'chunk_bomb.hfile: damaged: ' bloomery hfile verify chunk_bomb.hfile
# 6 GB of zeros are not unpacked: so many bits are of no 24 keys
for line in 'hfile verify' 'inspect --dialect hbase'; do
  says 'chunk_bomb.hfile: Bloom meta block: .*bytes in the chunks of 24 keys' bloomery $line chunk_bomb.hfile
done
says 'chunk_bomb.hfile: Bloom chunk: .* limit is 104857600; ' bloomery hfile info --file-memory 100M chunk_bomb.hfile
)sh");
  EXPECT_EQ(ran.out, "chunk_bomb.hfile\nroot_bomb.hfile\nindex_bomb.ldb\npartitions_bomb.sst\n") << ran.err;
}

// Where the limit is raised above what there is, the message still names the file.
TEST_F(HostileFiles, WhereMemoryReallyEndsTheFileIsNamed) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take more address space than is left here";
  }
  const Ran ran = run(R"sh(
f=$(hostile root_bomb.hfile); g=$(hostile index_bomb.ldb)
ulimit -v 500000
bloomery hfile info --file-memory 8G $f; echo $?
bloomery inspect --file-memory 8G $g; echo $?)sh");
  EXPECT_EQ(ran.out, "2\n2\n");
  EXPECT_TRUE(says(ran.err, "root_bomb.hfile: ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "index_bomb.ldb: ")) << ran.err;
  EXPECT_TRUE(says(ran.err, "no more memory")) << ran.err;
}

}  // namespace
}  // namespace bloomery
