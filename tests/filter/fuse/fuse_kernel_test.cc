// Every fuse kernel against the definition.
#include "filter/fuse/fuse_kernel.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/fuse/fuse_table.h"

namespace bloomery {
namespace {

constexpr std::size_t kFuseBatches[] = {1, 3, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 1000};
constexpr std::size_t kFuseSizes[] = {0, 1, 700, 300'000};

// The answers of a kernel to `hashes`, asked one at a time and in batches of many sizes, are those of the
// definition, and no word behind a batch's answers is touched.
void expect_fuse_answers(const FuseKernel& kernel, const FuseTable& table, std::span<const Hash128> hashes) {
  for (const Hash128& hash : hashes) {
    ASSERT_EQ(kernel.may_contain(table, hash.low), fuse_may_contain(table, hash.low))
        << kernel.name << ", " << table.bits << " bits, hash " << hash.low << ", seed " << kFuseSeed;
  }
  constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5a;
  for (const std::size_t size : kFuseBatches) {
    const auto batch = hashes.first(std::min<std::size_t>(size, hashes.size()));
    std::vector<std::uint64_t> answers((batch.size() + 63) / 64 + 1, kUntouched);
    kernel.may_contain_batch(table, batch, answers.data());
    std::vector<Hash64> low;
    for (const Hash128& hash : batch) {
      low.push_back({hash.low});
    }
    std::vector<std::uint64_t> low_answers(answers.size(), kUntouched);
    kernel.may_contain_low(table, low, low_answers.data());
    ASSERT_EQ(low_answers, answers) << kernel.name << ", batch of " << batch.size();
    ASSERT_EQ(answers.back(), kUntouched) << kernel.name << ", batch of " << batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0, fuse_may_contain(table, batch[i].low))
          << kernel.name << ", " << table.bits << " bits, key " << i << " of " << batch.size();
    }
    ASSERT_EQ(batch.size() % 64 == 0 ? 0 : answers[batch.size() / 64] >> (batch.size() % 64), 0u) << size;
  }
}

// Tables in the first-level cache and beyond it; with keys set aside and without.
TEST(FuseKernel, EveryKernelAnswersLikeTheDefinition) {
  std::mt19937_64 random(kFuseSeed);
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (const std::uint32_t bits : {4U, 7U, 8U, 13U, 16U, 17U, 32U}) {
      for (const std::size_t size : kFuseSizes) {
        if (size > 100'000 && bits != 8 && bits != 13) {
          continue;
        }
        const FuseShape shape = fuse_shape(bits, setting);
        const auto keys = fuse_set(random, size);
        FuseShardBuilder builder = size == 700 ? FuseShardBuilder(shape, {.segments = 2, .segment_log = 6}, 1)
                                               : FuseShardBuilder(shape);
        const FuseTestTable table(shape, *builder.build(keys));
        std::vector<Hash128> probes;
        for (std::size_t i = 0; i < 1000; ++i) {
          const bool present = i % 2 == 0 && !keys.empty();
          probes.push_back({.low = present ? keys[random() % keys.size()] : random(), .high = 0});
        }
        for (const FuseKernel& kernel : fuse_kernels()) {
          if (kernel.available()) {
            ASSERT_NO_FATAL_FAILURE(expect_fuse_answers(kernel, table.table(), probes));
          }
        }
      }
    }
  }
}

TEST(FuseKernel, ADamagedShardAnswersMaybe) {
  std::mt19937_64 random(kFuseSeed);
  const FuseShape shape = fuse_shape(8, BlockedSetting::kFast);
  FuseShardImage image = *FuseShardBuilder(shape).build(fuse_set(random, 100));
  image.words[3] ^= 1;
  const FuseTestTable table(shape, image);
  for (const FuseKernel& kernel : fuse_kernels()) {
    if (kernel.available()) {
      for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(kernel.may_contain(table.table(), random()));
      }
    }
  }
  EXPECT_EQ(table.damaged(), 0u);
}

}  // namespace
}  // namespace bloomery
