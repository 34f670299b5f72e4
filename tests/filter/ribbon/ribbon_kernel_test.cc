// Every ribbon kernel against the definition, on tables that were built and on tables that were made up.
#include "filter/ribbon/ribbon_kernel.h"

#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "tests/filter/ribbon/ribbon_table.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kKernelColumns[] = {0, 1, 3, 7, 8, 13, 15, 16, 17, 31, 33, 50, 59};
constexpr std::size_t kBatches[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 1000};

std::vector<Hash128> as_hashes(std::span<const std::uint64_t> values) {
  std::vector<Hash128> hashes;
  for (const std::uint64_t value : values) {
    hashes.push_back({.low = value, .high = 0});
  }
  return hashes;
}

// The answers of a kernel to `hashes`, asked one at a time and in batches of many sizes, are those of the
// definition, and no word behind a batch's answers is touched.
void expect_defined_answers(const RibbonKernel& kernel, const RibbonTable& table,
                            std::span<const Hash128> hashes) {
  for (const Hash128& hash : hashes) {
    ASSERT_EQ(kernel.may_contain(table, hash.low), ribbon_may_contain(table, hash.low))
        << kernel.name << ", " << table.columns << " columns, hash " << hash.low << ", seed " << kRibbonSeed;
  }
  constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5a;
  for (const std::size_t size : kBatches) {
    for (std::size_t first = 0; first < hashes.size(); first += std::max<std::size_t>(size, 1)) {
      const auto batch = hashes.subspan(first, std::min(size, hashes.size() - first));
      std::vector<std::uint64_t> answers((batch.size() + 63) / 64 + 1, kUntouched);
      kernel.may_contain_batch(table, batch, answers.data());
      ASSERT_EQ(answers.back(), kUntouched) << kernel.name << ", batch of " << batch.size();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0, ribbon_may_contain(table, batch[i].low))
            << kernel.name << ", " << table.columns << " columns, key " << i << " of a batch of "
            << batch.size() << ", seed " << kRibbonSeed;
      }
      if (size * 4 < first) {
        break;  // a few batches of each size
      }
    }
  }
}

// Keys that are in and keys that are not, mixed.
std::vector<Hash128> probes_for(std::mt19937_64& random, std::span<const std::uint64_t> present) {
  std::vector<std::uint64_t> probes(present.begin(), present.end());
  for (std::size_t i = 0; i < present.size() + 500; ++i) {
    probes.push_back(random());
  }
  probes.push_back(0);
  probes.push_back(~std::uint64_t{0});
  std::shuffle(probes.begin(), probes.end(), random);
  return as_hashes(probes);
}

TEST(RibbonKernel, EveryKernelAnswersAsTheDefinition) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t columns : kKernelColumns) {
    for (const auto& [keys, shards] : {std::pair(0, 1), std::pair(5, 1), std::pair(160, 1), std::pair(170, 1),
                                       std::pair(4000, 1), std::pair(6000, 7)}) {
      const RibbonShape shape = ribbon_shape(columns, static_cast<std::uint32_t>(shards));
      const auto present = random_set(random, static_cast<std::size_t>(keys));
      const auto images = RibbonShardBuilder(shape).build(cut_into_shards(present, shape.shards));
      ASSERT_TRUE(images) << images.error().to_string();
      const RibbonTestTable built(shape, *images);
      for (const std::uint64_t hash : present) {
        ASSERT_TRUE(ribbon_may_contain(built.table(), hash)) << keys << " keys, " << columns << " columns";
      }
      const std::vector<Hash128> probes = probes_for(random, present);
      for (const RibbonKernel& kernel : ribbon_kernels()) {
        if (kernel.available()) {
          expect_defined_answers(kernel, built.table(), probes);
        }
      }
    }
  }
}

RibbonShardImage made_up_shard(std::mt19937_64& random, std::uint32_t columns, std::uint32_t tail_slots) {
  RibbonShardImage image;
  image.entry.blocks = {static_cast<std::uint32_t>(random() % 6), static_cast<std::uint32_t>(random() % 4)};
  image.entry.narrow_blocks = {static_cast<std::uint32_t>(random() % (image.entry.blocks[0] + 1)),
                               static_cast<std::uint32_t>(random() % (image.entry.blocks[1] + 1))};
  image.entry.tail_slots = tail_slots;
  image.entry.seed = static_cast<std::uint32_t>(random() % 256);
  image.words.resize(shard_words(image.entry, columns));
  for (std::uint64_t& word : image.words) {
    word = random() & random();  // of zeros too, so that more keys match
  }
  image.entry.checksum = crc32c(std::as_bytes(std::span(image.words)));
  return image;
}

// Bands that end with the payload, or just before it: a kernel that reads whole vectors must not read behind
// it (address sanitizer), and must find the same in the last slots.
TEST(RibbonKernel, EveryKernelAgreesUpToTheLastWordOfThePayload) {
  std::mt19937_64 random(kRibbonSeed);
  std::vector<Hash128> probes;
  for (int i = 0; i < 1000; ++i) {
    // Half of them near the end of the last shard, where the last blocks of band 0 are.
    probes.push_back({.low = i % 2 == 0 ? random() : ~(random() >> 4), .high = 0});
  }
  for (const std::uint32_t columns : kKernelColumns) {
    for (int round = 0; round < 60; ++round) {
      const auto tail_slots = static_cast<std::uint32_t>(round % 3 == 0 ? 0 : random() % 256);
      std::vector<RibbonShardImage> images;
      for (int shard = 0; shard < 1 + round % 3; ++shard) {
        images.push_back(made_up_shard(random, columns, tail_slots));
      }
      const RibbonShape shape = ribbon_shape(columns, static_cast<std::uint32_t>(images.size()));
      for (const RibbonKernel& kernel : ribbon_kernels()) {
        const RibbonTestTable table(shape, images);
        if (!kernel.available()) {
          continue;
        }
        std::vector<std::uint64_t> answers((probes.size() + 63) / 64);
        kernel.may_contain_batch(table.table(), probes, answers.data());
        for (std::size_t i = 0; i < probes.size(); ++i) {
          ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0,
                    ribbon_may_contain(table.table(), probes[i].low))
              << kernel.name << ", " << columns << " columns, round " << round << ", hash " << probes[i].low
              << ", seed " << kRibbonSeed;
          ASSERT_EQ(kernel.may_contain(table.table(), probes[i].low),
                    ribbon_may_contain(table.table(), probes[i].low))
              << kernel.name << ", " << columns << " columns, round " << round << ", hash " << probes[i].low;
        }
        ASSERT_EQ(table.damaged(), kNoDamagedShard);
      }
    }
  }
}

// Shards that are not here, and a shard that is damaged, answer maybe in every kernel.
TEST(RibbonKernel, DoubtIsMaybeInEveryKernel) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(20, 3);
  const auto present = random_set(random, 3000);
  auto images = *RibbonShardBuilder(shape).build(cut_into_shards(present, shape.shards));
  images[1].words[images[1].words.size() / 2] ^= 1;
  images.pop_back();  // the third is held by someone else
  const std::vector<Hash128> probes = probes_for(random, present);
  for (const RibbonKernel& kernel : ribbon_kernels()) {
    if (!kernel.available()) {
      continue;
    }
    const RibbonTestTable table(shape, images);
    std::vector<std::uint64_t> answers((probes.size() + 63) / 64);
    kernel.may_contain_batch(table.table(), probes, answers.data());
    EXPECT_EQ(table.damaged(), 1u) << kernel.name;
    std::uint64_t noes = 0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const bool answer = ((answers[i / 64] >> (i % 64)) & 1) != 0;
      noes += answer ? 0 : 1;
      ASSERT_TRUE(answer || multiply_high(probes[i].low, 3) == 0) << kernel.name;
      ASSERT_EQ(kernel.may_contain(table.table(), probes[i].low), answer) << kernel.name;
    }
    EXPECT_GT(noes, 0u) << kernel.name;
  }
}

// A band that is filled but for every ninth slot, its rows cut at its end.
std::vector<BandEquation> random_equations(std::mt19937_64& random, std::size_t slots) {
  std::vector<BandEquation> equations(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (random() % 9 != 0) {
      const std::size_t left = slots - slot;
      const std::uint64_t row = random() | 1;
      equations[slot] = {.row = left >= 64 ? row : row & ((std::uint64_t{1} << left) - 1),
                         .fingerprint = random()};
    }
  }
  return equations;
}

bool slot_bit(std::span<const std::uint64_t> out, std::size_t slot, std::uint32_t column) {
  return ((out[slot / kRibbonBlockSlots * kColumnGroup + column] >> (slot % kRibbonBlockSlots)) & 1) != 0;
}

void expect_solved(std::span<const BandEquation> equations, std::span<const std::uint64_t> out,
                   std::uint32_t first_column, std::uint32_t columns, const char* kernel) {
  for (std::size_t slot = 0; slot < equations.size(); ++slot) {
    const BandEquation& equation = equations[slot];
    for (std::uint32_t j = 0; j < columns; ++j) {
      if (equation.row == 0) {
        ASSERT_FALSE(slot_bit(out, slot, j)) << kernel << ": free slot " << slot;
        continue;
      }
      bool sum = false;
      for (std::size_t i = 0; i < 64 && slot + i < equations.size(); ++i) {
        sum ^= ((equation.row >> i) & 1) != 0 && slot_bit(out, slot + i, j);
      }
      ASSERT_EQ(sum, ((equation.fingerprint >> (first_column + j)) & 1) != 0)
          << kernel << ": slot " << slot << " column " << first_column + j << " seed " << kRibbonSeed;
    }
  }
}

TEST(RibbonKernel, BackSubstitutionSolvesTheEquationsAlikeInEveryKernel) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::size_t blocks : {1u, 2u, 3u, 20u}) {
    const auto equations = random_equations(random, blocks * kRibbonBlockSlots);
    for (const std::uint32_t first_column : {0u, 16u, 32u, 44u}) {
      for (std::uint32_t columns = 1; columns <= kColumnGroup; ++columns) {
        std::vector<std::uint64_t> expected(blocks * kColumnGroup);
        kScalarRibbonKernel.back_substitute(equations, first_column, columns, expected.data());
        for (const RibbonKernel& kernel : ribbon_kernels()) {
          if (!kernel.available()) {
            continue;
          }
          std::vector<std::uint64_t> out(blocks * kColumnGroup, random());
          kernel.back_substitute(equations, first_column, columns, out.data());
          expect_solved(equations, out, first_column, columns, kernel.name);
          for (std::size_t block = 0; block < blocks; ++block) {
            for (std::uint32_t j = 0; j < columns; ++j) {
              ASSERT_EQ(out[block * kColumnGroup + j], expected[block * kColumnGroup + j]) << kernel.name;
            }
          }
        }
      }
    }
  }
}

TEST(RibbonKernel, TheDefinitionRunsEverywhere) {
  EXPECT_STREQ(ribbon_kernels().back().name, "scalar");
  EXPECT_TRUE(ribbon_kernels().back().available());
  EXPECT_TRUE(chosen_ribbon_kernel().available());
}

}  // namespace
}  // namespace bloomery
