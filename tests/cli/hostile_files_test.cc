// Files whose checksums are right and whose contents are not: each once crashed the command, filled the memory,
// or made it answer no for cells that are there (tests/golden/hostile).
#include <string>

#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// `hostile NAME` unpacks a file here, and is its name.
constexpr const char* kPrelude = R"sh(
hostile() { zstd -dqf ')sh" BLOOMERY_SOURCE R"sh(/tests/golden/hostile/'"$1.zst" -o "$1" && echo "$1"; }
)sh";

class HostileFiles : public ::testing::Test {
 protected:
  Ran run(const std::string& line) const { return shell.run(kPrelude + line); }

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

}  // namespace
}  // namespace bloomery
