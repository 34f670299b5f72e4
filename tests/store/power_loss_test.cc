// Power losses and failing calls at every call of a run on a simulated machine (experiments C5 and C6 of the
// store).
//
//   power loss    before each call of the disk a copy of it loses its power, in several ways. The copy is opened,
//                 and has what the ledger promises: synced writes, a prefix of the others in their order, batches
//                 whole. Then it is written, closed and opened again.
//   fault         each call of a run fails, once or from then on. What was acknowledged is there after the next
//                 open, also after a power loss.
//
// Each failure prints the seed and the call. The full sizes need BLOOMERY_LONG_TESTS=1.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/store/sim/workload.h"

namespace bloomery::store {
namespace {

using sim::CrashMode;
using sim::Fault;
using sim::Ledger;
using sim::Workload;

// Opens a disk that lost its power. `goes_on`: also writes, closes, opens and reads again.
std::string problem_after_loss(std::unique_ptr<sim::SimulatedDisk> disk, Ledger ledger,
                               const std::vector<sim::CheckedCompaction>& compactions, std::uint64_t seed,
                               CrashMode mode, bool goes_on) {
  disk->crash(seed, mode);
  SimulatedStore machine(seed + 1, {.compacts = false}, std::move(disk));
  const bool is_there = ledger.certain.contains("t0");
  if (!machine.open()) {
    if (is_there) {
      return "open: " + machine.error();
    }
    return machine.create() ? "" : "create, after it was interrupted: " + machine.error();
  }
  const bool was_killed = mode == CrashMode::kKeepAll || mode == CrashMode::kProcessOnly;
  for (const sim::CheckedCompaction& compaction : compactions) {
    if (const Status forgotten = sim::forget_dropped(compaction, machine.store(), ledger, nullptr);
        !forgotten) {
      return "a scan: " + forgotten.error().to_string();
    }
  }
  std::string problem = sim::recover(ledger, machine.store(), was_killed);
  if (!problem.empty() || !goes_on || !ledger.certain.contains("t0")) {
    return problem;
  }
  const sim::ModelCell cell{.row = "after", .family = "a", .qualifier = "q", .timestamp = 7, .value = "all"};
  const Mutation put{.row = cell.row,
                     .family = cell.family,
                     .qualifier = cell.qualifier,
                     .timestamp = 7,
                     .value = cell.value};
  if (const Status written = machine.table("t0").mutate({&put, 1}); !written) {
    return "the first write: " + written.error().to_string();
  }
  ledger.certain.at("t0").write(cell);
  machine.crash(seed, CrashMode::kDropAll);  // what open() showed is durable
  if (!machine.open()) {
    return "the second open: " + machine.error();
  }
  problem = sim::recover(ledger, machine.store(), false);
  if (!problem.empty()) {
    return "after a second loss: " + problem;
  }
  if (!machine.close() || !machine.open()) {
    return "close and open: " + machine.error();
  }
  return sim::recover(ledger, machine.store(), true);
}

struct Losses {
  std::uint64_t seed = 1;
  std::size_t operations = 300;
  std::uint64_t every = 1;  // the share of calls that are looked at
  std::vector<CrashMode> modes = {};
  bool has_compactions = false;
};

// Returns the number of recoveries.
std::uint64_t lose_power_at_every_call(const Losses& losses) {
  Workload workload({.seed = losses.seed,
                     .operations = losses.operations,
                     .layout = losses.seed,
                     .has_compactions = losses.has_compactions});
  std::uint64_t calls = 0;
  std::uint64_t recoveries = 0;
  std::string problem;
  sim::SimulatedDisk& disk = workload.machine().disk();
  disk.watch([&] {
    if (++calls % losses.every != 0 || !problem.empty()) {
      return;
    }
    for (std::size_t i = 0; i < losses.modes.size() && problem.empty(); ++i) {
      const std::uint64_t seed = calls * 16 + i;
      problem = problem_after_loss(disk.clone(), workload.ledger(), workload.new_compactions(), seed,
                                   losses.modes[i], (calls / losses.every + i) % 5 == 0);
      ++recoveries;
      if (!problem.empty()) {
        problem = "seed " + std::to_string(losses.seed) + ", call " + std::to_string(calls) + ", mode " +
                  std::to_string(static_cast<int>(losses.modes[i])) + ": " + problem;
      }
    }
  });
  const std::string differs = workload.run();
  disk.watch(nullptr);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(differs, "");
  return recoveries;
}

TEST(PowerLoss, AtEveryCallLeavesWhatWasPromised) {
  const bool is_long = runs_long_tests();
  std::vector<CrashMode> modes = {CrashMode::kDropAll, CrashMode::kKeepAll, CrashMode::kProcessOnly,
                                  CrashMode::kRandom};
  modes.insert(modes.end(), is_long ? 8 : 1, CrashMode::kRandom);
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = 1; seed <= (is_long ? 10U : 1U); ++seed) {
    recoveries += lose_power_at_every_call(
        {.seed = seed, .operations = is_long ? 300U : 200U, .every = is_long ? 1U : 97U, .modes = modes});
  }
  RecordProperty("recoveries", std::to_string(recoveries));
  std::printf("%llu recoveries\n", static_cast<unsigned long long>(recoveries));
}

TEST(PowerLoss, AtEveryCallOfACompactionLeavesWhatWasPromised) {
  const bool is_long = runs_long_tests();
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = 31; seed < (is_long ? 41U : 32U); ++seed) {
    recoveries += lose_power_at_every_call(
        {.seed = seed,
         .operations = is_long ? 300U : 200U,
         .every = is_long ? 1U : 97U,
         .modes = {CrashMode::kDropAll, CrashMode::kKeepAll, CrashMode::kRandom, CrashMode::kRandom},
         .has_compactions = true});
  }
  std::printf("%llu recoveries\n", static_cast<unsigned long long>(recoveries));
}

// What an interrupted creation leaves is no store, and create() finishes it.
TEST(PowerLoss, ACreationThatWasInterruptedIsMadeAgain) {
  SimulatedStore machine(7);
  sim::SimulatedDisk& disk = machine.disk();
  std::uint64_t calls = 0;
  disk.watch([&] {
    ++calls;
    for (const CrashMode mode : {CrashMode::kDropAll, CrashMode::kProcessOnly, CrashMode::kRandom}) {
      auto copy = disk.clone();
      copy->crash(calls, mode);
      SimulatedStore other(calls, {}, std::move(copy));
      EXPECT_TRUE(other.open() || other.create()) << "call " << calls << ": " << other.error();
    }
  });
  EXPECT_TRUE(machine.create()) << machine.error();
  disk.watch(nullptr);
  EXPECT_GT(calls, 20u);
}

// Runs until the fault shows, then opens again. The fault's call counts from the first operation on. Returns
// false if no call failed.
bool run_with_fault(std::uint64_t seed, Fault fault, std::size_t operations, std::string& problem) {
  Workload workload(
      {.seed = seed, .operations = operations, .layout = seed, .has_compactions = seed % 2 == 0});
  problem = workload.begin();
  sim::SimulatedDisk& disk = workload.machine().disk();
  fault.call += fault.kind ? disk.calls(*fault.kind) : disk.calls();
  disk.fail(fault);
  for (std::size_t i = 0; i < operations && problem.empty(); ++i) {
    problem = workload.step();
    if (disk.has_failed() && !workload.machine().store().health()) {
      break;
    }
  }
  const bool has_failed = disk.has_failed();
  problem = problem.empty() ? workload.end_after_fault() : problem;
  return has_failed;
}

void fail_every_call(std::uint64_t seed, Fault fault, std::size_t operations, std::uint64_t every) {
  for (std::uint64_t call = 1 + seed % every;; call += every) {
    fault.call = call;
    std::string problem;
    const bool has_failed = run_with_fault(seed, fault, operations, problem);
    ASSERT_EQ(problem, "") << "seed " << seed << ", call " << call << ", errno " << fault.errno_value
                           << (fault.forever ? ", forever" : "") << (fault.writes_short ? ", short" : "");
    if (!has_failed) {
      return;
    }
  }
}

// A run of the long form that lost a write.
TEST(FailedSeeds, Call518OfTheRunWithSeed22LosesNothing) {
  std::string problem;
  EXPECT_TRUE(run_with_fault(22, {.call = 518, .errno_value = EIO, .forever = true}, 120, problem));
  EXPECT_EQ(problem, "");
}

TEST(FailingCalls, LoseNothingThatWasAcknowledged) {
  const bool is_long = runs_long_tests();
  const std::size_t operations = is_long ? 120 : 60;
  const std::uint64_t every = is_long ? 1 : 11;
  std::uint64_t seed = 20;
  for (const Fault& fault : {Fault{.errno_value = EIO}, Fault{.errno_value = EIO, .forever = true},
                             Fault{.errno_value = ENOSPC, .forever = true},
                             Fault{.errno_value = ENOSPC, .forever = true, .writes_short = true},
                             Fault{.errno_value = EIO, .kind = sim::CallKind::kSync},
                             Fault{.errno_value = EIO, .forever = true, .kind = sim::CallKind::kSync}}) {
    fail_every_call(++seed, fault, operations, fault.kind ? 1 + every / 4 : every);
  }
}

}  // namespace
}  // namespace bloomery::store
