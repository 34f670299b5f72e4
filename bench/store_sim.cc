// Simulation of a store without end: random operations with crashes and faults, each seed a run of its own
// (tests/store/sim/workload.h).
//
//    store_sim [--seed S] [--minutes M] [--operations N] [--runs R]
//
// Starts with the seed S, 1 by default, and counts up. Ends after M minutes, 1 by default, or after R runs.
// Prints operations, reads, crashes, faults and recoveries, each minute and at the end.
//
// Exit status: 0 no difference; 1 a seed failed, which is printed with its last operations; 2 an unknown
// option. A failing seed becomes a test in tests/store/simulation_test.cc.
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "tests/store/sim/workload.h"

namespace bloomery::store {
namespace {

using Minutes = std::chrono::duration<double, std::ratio<60>>;

std::optional<std::map<std::string, std::uint64_t>> options_of(int count, char** words) {
  std::map<std::string, std::uint64_t> options = {
      {"--seed", 1}, {"--minutes", 1}, {"--operations", 0}, {"--runs", UINT64_MAX}};
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count || !options.contains(words[i])) {
      return std::nullopt;
    }
    options[words[i]] = std::strtoull(words[i + 1], nullptr, 10);
  }
  return options;
}

// A seed decides the kind of its run, too.
sim::WorkloadSettings settings_of(std::uint64_t seed, std::uint64_t operations) {
  return {.seed = seed,
          .operations = static_cast<std::size_t>(operations != 0 ? operations : 200 + seed % 5 * 200),
          .layout = seed,
          .has_crashes = seed % 4 != 0,
          .has_faults = seed % 3 == 0,
          .has_compactions = seed % 5 < 3,
          .has_snapshots = seed % 7 < 3,
          .has_splits = seed % 11 < 4};
}

void print(std::uint64_t runs, double minutes, const sim::WorkloadCounts& counts) {
  std::printf("%" PRIu64 " runs in %.1f minutes: %" PRIu64 " operations, %" PRIu64 " reads, %" PRIu64
              " compactions, %" PRIu64 " snapshots, %" PRIu64 " splits, %" PRIu64 " crashes, %" PRIu64
              " faults, %" PRIu64 " recoveries\n",
              runs, minutes, counts.operations, counts.reads, counts.compactions, counts.snapshots,
              counts.splits, counts.crashes, counts.faults, counts.recoveries);
  std::fflush(stdout);
}

int simulate(std::map<std::string, std::uint64_t> options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return Minutes(std::chrono::steady_clock::now() - begin).count(); };
  sim::WorkloadCounts counts;
  double printed = 0;
  std::uint64_t runs = 0;
  for (std::uint64_t seed = options["--seed"];
       runs < options["--runs"] && passed() < static_cast<double>(options["--minutes"]); ++seed) {
    const std::string problem = sim::run_workload(settings_of(seed, options["--operations"]), &counts);
    ++runs;
    if (!problem.empty()) {
      std::printf("FAILED ");
      std::fwrite(problem.data(), 1, problem.size(), stdout);  // rows have zero bytes
      std::printf("\n");
      print(runs, passed(), counts);
      return 1;
    }
    if (passed() - printed >= 1) {
      printed = passed();
      print(runs, printed, counts);
    }
  }
  print(runs, passed(), counts);
  return 0;
}

}  // namespace
}  // namespace bloomery::store

int main(int count, char** words) {
  const auto options = bloomery::store::options_of(count, words);
  if (!options) {
    std::fprintf(stderr, "store_sim [--seed S] [--minutes M] [--operations N] [--runs R]\n");
    return 2;
  }
  return bloomery::store::simulate(*options);
}
