// The band solver: every kernel gives the equations, codes and bumped keys of the definition.
#include "filter/ribbon/ribbon_solver.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/ribbon/ribbon_table.h"

namespace bloomery {
namespace {

// Bands with their keys, which a Band only refers to.
struct Bands {
  std::vector<std::vector<std::uint64_t>> hashes;
  std::vector<std::vector<std::uint32_t>> starts;
  std::vector<Band> bands;
};

// `count` bands of different sizes and loads, some with rejected keys.
Bands random_bands(std::mt19937_64& random, std::size_t count) {
  Bands made;
  for (std::size_t i = 0; i < count; ++i) {
    const auto blocks = static_cast<std::uint32_t>(2 + random() % 40);
    const std::uint64_t reject_bit = i % 2 == 0 ? 0 : kRejectBit;
    // From a nearly empty band to one that bumps a third of its keys.
    const std::size_t keys = blocks * kRibbonBlockSlots * (1 + random() % 6) / 4;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> placed;
    for (const std::uint64_t hash : random_set(random, keys)) {
      placed.emplace_back(static_cast<std::uint32_t>(random() % band_starts(blocks)), hash);
    }
    std::ranges::sort(placed);
    made.hashes.emplace_back();
    made.starts.emplace_back();
    for (const auto& [start, hash] : placed) {
      made.starts.back().push_back(start);
      made.hashes.back().push_back(hash);
    }
    Band band;
    band.blocks = blocks;
    band.seed = static_cast<std::uint32_t>(i);
    band.layer = static_cast<std::uint32_t>(i % 2);
    band.reject_bit = reject_bit;
    made.bands.push_back(std::move(band));
  }
  for (std::size_t i = 0; i < count; ++i) {
    made.bands[i].hashes = made.hashes[i];
    made.bands[i].starts = made.starts[i];
  }
  return made;
}

std::vector<Band> solved_by(const BandSolverKernel& kernel, std::vector<Band> bands) {
  std::vector<Band*> pointers;
  for (Band& band : bands) {
    pointers.push_back(&band);
  }
  kernel.solve_bands(pointers);
  return bands;
}

bool are_equal(const BandEquation& a, const BandEquation& b) {
  return a.row == b.row && a.fingerprint == b.fingerprint;
}

TEST(RibbonSolver, EveryKernelSolvesAsTheDefinition) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 9u}) {
    const Bands input = random_bands(random, count);
    const std::vector<Band> expected = solved_by(kScalarBandSolverKernel, input.bands);
    for (const BandSolverKernel& kernel : band_solver_kernels()) {
      if (!kernel.available()) {
        continue;
      }
      const std::vector<Band> found = solved_by(kernel, input.bands);
      for (std::size_t i = 0; i < count; ++i) {
        const auto where = [&] {
          return std::string(kernel.name) + ", band " + std::to_string(i) + " of " + std::to_string(count) +
                 ", seed " + std::to_string(kRibbonSeed);
        };
        EXPECT_TRUE(std::ranges::equal(found[i].equations, expected[i].equations, are_equal)) << where();
        EXPECT_EQ(found[i].codes, expected[i].codes) << where();
        EXPECT_EQ(found[i].bumped, expected[i].bumped) << where();
      }
    }
  }
}

std::uint64_t lowest_bits(std::uint32_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Expects the codes, the bumped keys, the rows and the wanted columns of the definition from every kernel.
void expect_defined_codes(const Band& input, const std::string& where) {
  const Band expected = solved_by(kScalarBandSolverKernel, {input})[0];
  for (const BandSolverKernel& kernel : band_solver_kernels()) {
    if (!kernel.available()) {
      continue;
    }
    const Band found = solved_by(kernel, {input})[0];
    EXPECT_EQ(found.codes, expected.codes) << kernel.name << ", " << where;
    EXPECT_EQ(found.bumped, expected.bumped) << kernel.name << ", " << where;
    ASSERT_EQ(found.equations.size(), expected.equations.size());
    for (std::size_t i = 0; i < found.equations.size(); ++i) {
      ASSERT_EQ(found.equations[i].row, expected.equations[i].row)
          << kernel.name << ", " << where << ", slot " << i;
      ASSERT_EQ(
          (found.equations[i].fingerprint ^ expected.equations[i].fingerprint) & lowest_bits(input.columns),
          0u)
          << kernel.name << ", " << where << ", slot " << i;
    }
  }
}

TEST(RibbonSolver, EveryKernelGivesTheColumnsThatAreWanted) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t columns : {1u, 2u, 8u, 15u, 16u, 17u, 32u, 33u, 60u, 64u}) {
    Bands input = random_bands(random, 6);
    for (Band& band : input.bands) {
      band.columns = columns;
      expect_defined_codes(band, std::to_string(columns) + " columns, seed " + std::to_string(kRibbonSeed));
    }
  }
}

// Hashes whose fingerprints are 0 in the lowest sixteen columns, so that what a kernel keeps of them never
// tells a contradiction from a key that follows from others.
TEST(RibbonSolver, AContradictionInAColumnThatIsNotWantedIsOneInEveryKernel) {
  std::mt19937_64 random(kRibbonSeed);
  Band band;
  band.blocks = 8;
  band.columns = 16;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> starts;
  while (hashes.size() < 600) {
    const std::uint64_t hash = random();
    if ((RibbonKey(hash, band.seed, band.layer).fingerprint() & 0xffff) == 0) {
      hashes.push_back(hash);
      starts.push_back(static_cast<std::uint32_t>(random() % band_starts(band.blocks)));
    }
  }
  std::ranges::sort(starts);
  band.hashes = hashes;
  band.starts = starts;
  EXPECT_FALSE(solved_by(kScalarBandSolverKernel, {band})[0].bumped.empty());
  expect_defined_codes(band, "seed " + std::to_string(kRibbonSeed));
}

// Buckets of many more keys than they have slots, and keys that all start at one slot.
TEST(RibbonSolver, EveryKernelBumpsAsTheDefinitionWhereKeysCrowd) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t different : {1u, 2u, 9u, 40u, 129u}) {
    for (const std::size_t keys : {1u, 63u, 64u, 65u, 100u, 128u, 129u, 200u, 1000u}) {
      const std::vector<std::uint64_t> hashes = random_set(random, keys);
      std::vector<std::uint32_t> starts;
      for (std::size_t i = 0; i < keys; ++i) {
        starts.push_back(static_cast<std::uint32_t>(random() % different));
      }
      std::ranges::sort(starts);
      Band band;
      band.hashes = hashes;
      band.starts = starts;
      band.blocks = 3;
      band.columns = 10;
      expect_defined_codes(band, std::to_string(keys) + " keys at " + std::to_string(different) + " starts");
    }
  }
}

TEST(RibbonSolver, ABandsResultDoesNotDependOnWhatIsSolvedBesideIt) {
  std::mt19937_64 random(kRibbonSeed);
  const Bands input = random_bands(random, 7);
  for (const BandSolverKernel& kernel : band_solver_kernels()) {
    if (!kernel.available()) {
      continue;
    }
    const std::vector<Band> together = solved_by(kernel, input.bands);
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::vector<Band> alone = solved_by(kernel, {input.bands[i]});
      EXPECT_TRUE(std::ranges::equal(alone[0].equations, together[i].equations, are_equal)) << i;
      EXPECT_EQ(alone[0].codes, together[i].codes) << i;
      EXPECT_EQ(alone[0].bumped, together[i].bumped) << i;
    }
  }
}

}  // namespace
}  // namespace bloomery
