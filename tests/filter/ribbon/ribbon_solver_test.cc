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
