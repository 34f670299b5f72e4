// Random workloads against the model (experiments C1 and C2 of the store), and the seeds that once failed.
//
// The runs are those of bench/store_sim, which has the same settings of a seed. The full sizes need
// BLOOMERY_LONG_TESTS=1.
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/store/sim/workload.h"

namespace bloomery::store {
namespace {

using sim::run_workload;
using sim::Workload;

TEST(Simulation, AnswersAsTheModel) {
  const std::uint64_t seeds = runs_long_tests() ? 2000 : 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    ASSERT_EQ(run_workload({.seed = seed, .operations = runs_long_tests() ? 1000U : 400U, .layout = seed}),
              "");
  }
}

TEST(Simulation, AnswersAsTheModelAfterCrashesAndFaults) {
  const std::uint64_t seeds = runs_long_tests() ? 2000 : 40;
  for (std::uint64_t seed = 5001; seed <= 5000 + seeds; ++seed) {
    ASSERT_EQ(run_workload({.seed = seed,
                            .operations = runs_long_tests() ? 1000U : 300U,
                            .layout = seed,
                            .has_crashes = true,
                            .has_faults = seed % 2 == 0}),
              "");
  }
}

// Each compaction drops what the model says, and no more; reads see the same before and after it.
TEST(Simulation, AnswersAsTheModelWithCompactions) {
  const std::uint64_t seeds = runs_long_tests() ? 2000 : 40;
  sim::WorkloadCounts counts;
  for (std::uint64_t seed = 13001; seed <= 13000 + seeds; ++seed) {
    ASSERT_EQ(run_workload({.seed = seed,
                            .operations = runs_long_tests() ? 1000U : 400U,
                            .layout = seed,
                            .has_crashes = seed % 2 == 0,
                            .has_faults = seed % 3 == 0,
                            .has_compactions = true},
                           &counts),
              "");
  }
  EXPECT_GT(counts.compactions, seeds);
}

TEST(Simulation, AnswersOfSnapshotsNeverChange) {
  sim::WorkloadCounts counts;
  const std::uint64_t seeds = runs_long_tests() ? 400 : 30;
  for (std::uint64_t seed = 17001; seed <= 17000 + seeds; ++seed) {
    ASSERT_EQ(run_workload({.seed = seed,
                            .operations = runs_long_tests() ? 1000U : 300U,
                            .layout = seed,
                            .has_crashes = seed % 2 == 0,
                            .has_faults = seed % 3 == 0,
                            .has_compactions = seed % 5 != 0,
                            .has_snapshots = true},
                           &counts),
              "");
  }
  EXPECT_GT(counts.snapshots, 3 * seeds);
  EXPECT_GT(counts.clones, seeds / 4);
}

TEST(Simulation, SplitsChangeNoAnswer) {
  sim::WorkloadCounts counts;
  const std::uint64_t seeds = runs_long_tests() ? 400 : 10;
  for (std::uint64_t seed = 21001; seed <= 21000 + seeds; ++seed) {
    ASSERT_EQ(run_workload({.seed = seed,
                            .operations = runs_long_tests() ? 1000U : 300U,
                            .layout = seed,
                            .has_crashes = seed % 2 == 0,
                            .has_faults = seed % 3 == 0,
                            .has_compactions = seed % 5 != 0,
                            .has_snapshots = seed % 4 == 0,
                            .has_splits = true},
                           &counts),
              "");
  }
  EXPECT_GT(counts.splits, 2 * seeds);
}

// Options, formats and the order of background work change no answer.
TEST(Simulation, EightLayoutsGiveTheSameAnswers) {
  const std::uint64_t seeds = runs_long_tests() ? 200 : 3;
  for (std::uint64_t seed = 9001; seed <= 9000 + seeds; ++seed) {
    std::uint64_t answers = 0;
    for (std::uint64_t layout = 1; layout <= 8; ++layout) {
      Workload workload({.seed = seed, .operations = runs_long_tests() ? 2000U : 300U, .layout = layout});
      ASSERT_EQ(workload.run(), "");
      answers = layout == 1 ? workload.answers() : answers;
      ASSERT_EQ(workload.answers(), answers) << "seed " << seed << ", layout " << layout;
    }
  }
}

// The clone of a disk is another disk, and the machine goes on.
TEST(Simulation, OneSeedIsOneRun) {
  const auto calls_of = [](std::uint64_t seed) {
    Workload workload(
        {.seed = seed, .operations = 200, .layout = seed, .has_crashes = true, .has_faults = true});
    EXPECT_EQ(workload.run(), "");
    return workload.machine().disk().calls();
  };
  EXPECT_EQ(calls_of(77), calls_of(77));
}

// An older descriptor whose removal was not synced came back, and had no checksum any more.
TEST(FailedSeeds, AnAlteredTableHasOneDescriptor) {
  for (const std::uint64_t seed : {1U, 9U, 102U}) {
    EXPECT_EQ(run_workload({.seed = seed,
                            .operations = 400,
                            .layout = seed,
                            .has_crashes = true,
                            .has_faults = seed % 3 == 0}),
              "");
  }
}

// Seeds of bench/store_sim, with its settings.
TEST(FailedSeeds, OfTheSimulationAnswerAsTheModel) {
  for (const auto& [seed, operations] : {std::pair(4U, 1000U), std::pair(8U, 800U), std::pair(1013U, 800U)}) {
    EXPECT_EQ(
        run_workload({.seed = seed, .operations = operations, .layout = seed, .has_crashes = seed % 4 != 0}),
        "");
  }
}

}  // namespace
}  // namespace bloomery::store
