// What does a key cost the ribbon filter to build and to ask, and how far is that from the alternatives?
//
// r = 14 fingerprint bits, that is fpp 2^-14, for every contestant: the ribbon; the blocked Bloom filter
// (fast) and the textbook Bloom filter of the same fpp, which are larger; and the floor, one random cache
// line read per key, prefetched in batches of the same size, in memory of the ribbon's size and kind. Hashes
// are ready in memory, one thread, half of the keys asked are present. A build starts with nothing and ends
// with a filter; small sets are built often enough in a round to make a million keys. Of the model of the
// blocked filter, the search for its shape, 2 ms at any size, is done beforehand; its fpp, 0.2 ms, counts.
// Contestants take turns in every round, and the median of the rounds is printed: 7 of queries, 5 of builds,
// 3 from 10^7 keys.
//
//   ribbon_bench [--csv] [KEYS...]      CSV: keys,contestant,operation,batch,ns,cycles
// Default 10^4 to 10^7 keys; 10^8 take 3.5 GB. Time is that of the thread on its processor, without that of
// other programs there. Cycles are of the time-stamp counter, whose frequency is printed, not of the core.
// Run pinned:  taskset -c 1 build/bench/bench/ribbon_bench
#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/kernel_choice.h"
#include "base/memory.h"
#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_solver.h"

namespace bloomery {
namespace {

constexpr double kFpp = 0x1p-14;
constexpr std::size_t kProbes = std::size_t{1} << 20;
constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kQueryRounds = 7;
constexpr std::uint64_t kBuiltKeys = 1'000'000;  // in a round, at least

std::uint64_t build_rounds(std::uint64_t keys) {
  return keys >= 10'000'000 ? 3 : 5;
}

// ---- results

struct Measurement {
  std::string operation;
  std::size_t batch;
  std::string contestant;

  friend auto operator<=>(const Measurement&, const Measurement&) = default;
};

class Table {
 public:
  void add(const Measurement& measurement, Cost cost) {
    auto& [ns, cycles] = rows_[measurement];
    ns.push_back(cost.ns);
    cycles.push_back(cost.cycles);
  }
  void print_csv(std::uint64_t keys) const {
    for (const auto& [name, costs] : rows_) {
      fmt::print("{},{},{},{},{:.2f},{:.1f}\n", keys, name.contestant, name.operation, name.batch,
                 median(costs.first), median(costs.second));
    }
  }
  // With what the ribbon costs in terms of each of the others.
  void print(std::uint64_t keys) const {
    fmt::print("\n{} keys\n{:<8} {:>5}  {:<12} {:>9} {:>9} {:>9}\n", keys, "", "batch", "", "ns", "cycles",
               "ribbon is");
    for (const auto& [name, costs] : rows_) {
      fmt::print("{:<8} {:>5}  {:<12} {:>9.2f} {:>9.1f}", name.operation, name.batch, name.contestant,
                 median(costs.first), median(costs.second));
      const auto ribbon = rows_.find({name.operation, name.batch, "ribbon"});
      if (ribbon != rows_.end() && name.contestant != "ribbon") {
        fmt::print(" {:>8.2f}x", median(ribbon->second.first) / median(costs.first));
      }
      fmt::print("\n");
    }
  }

 private:
  std::map<Measurement, std::pair<std::vector<double>, std::vector<double>>> rows_;
};

// ---- contestants

template <typename Value>
Value checked(Result<Value> result) {
  if (!result) {
    fmt::print(stderr, "ribbon_bench: {}\n", result.error().to_string());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
  return std::move(*result);
}

BlockedShape blocked_shape(std::uint64_t keys) {
  return checked(blocked_shape_for_fpp(keys, kFpp, BlockedSetting::kFast));
}

RibbonFilter build_ribbon(std::span<const Hash128> hashes) {
  return checked(RibbonFilter::build_from_hashes(hashes, kFpp, {.threads = 1}));
}

BlockedBloomFilter build_blocked(const BlockedShape& shape, std::span<const Hash128> hashes) {
  BlockedBloomFilter filter = checked(BlockedBloomFilter::for_shape(shape, hashes.size()));
  filter.insert_batch(hashes, Sharing::kExclusive);
  return filter;
}

BloomFilter build_textbook(std::span<const Hash128> hashes) {
  BloomFilter filter = checked(BloomFilter::for_capacity(hashes.size(), kFpp));
  filter.insert_batch(hashes);
  return filter;
}

AlignedBuffer lines_of(std::uint64_t bytes) {
  AlignedBuffer lines = checked(AlignedBuffer::zeroed((bytes + 63) / 64 * 64));
  std::fill(lines.bytes().begin(), lines.bytes().end(), std::byte{1});
  return lines;
}

// ---- measurements

double counter_ghz() {
  static const double ghz = [] {
    const Cost pause = timed(1, [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
    return pause.cycles / pause.ns;
  }();
  return ghz;
}

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

Cost timed_on_processor(std::uint64_t keys, const std::function<void()>& work) {
  const double start = thread_ns();
  work();
  const double ns = (thread_ns() - start) / static_cast<double>(keys);
  return {.ns = ns, .cycles = ns * counter_ghz()};
}

std::vector<Hash128> key_hashes(std::uint64_t keys) {
  std::vector<Hash128> hashes(keys);
  for (std::uint64_t i = 0; i < keys; ++i) {
    hashes[i].low = mixed(i + 1);
  }
  return hashes;
}

// Half of them of the keys, in no order.
std::vector<Hash128> probe_hashes(std::uint64_t keys) {
  std::vector<Hash128> hashes(kProbes);
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::uint64_t key = mixed(i + 987654321) % keys;
    const bool present = mixed(i) % 2 == 0;
    hashes[i].low = mixed(present ? key + 1 : key + 1 + (std::uint64_t{1} << 40));
  }
  return hashes;
}

void measure_builds(std::span<const Hash128> hashes, Table& table) {
  const std::uint64_t times = std::max<std::uint64_t>(kBuiltKeys / hashes.size(), 1);
  const BlockedShape shape = blocked_shape(hashes.size());
  const auto time = [&](const char* contestant, const auto& build) {
    table.add({"build", hashes.size(), contestant}, timed_on_processor(times * hashes.size(), [&] {
                for (std::uint64_t i = 0; i < times; ++i) {
                  g_sink = build(hashes).byte_size();
                }
              }));
  };
  for (std::uint64_t round = 0; round < build_rounds(hashes.size()); ++round) {
    time("ribbon", build_ribbon);
    time("blocked:fast", [&](auto all) { return build_blocked(shape, all); });
    time("textbook", build_textbook);
  }
}

void measure_queries(std::span<const Hash128> hashes, Table& table) {
  const RibbonFilter ribbon = build_ribbon(hashes);
  const BlockedBloomFilter blocked = build_blocked(blocked_shape(hashes.size()), hashes);
  const BloomFilter textbook = build_textbook(hashes);
  const AlignedBuffer lines = lines_of(ribbon.byte_size());
  const std::vector<Hash128> probes = probe_hashes(hashes.size());
  const auto time = [&](const char* contestant, std::size_t batch, const auto& query) {
    table.add({"query", batch, contestant}, timed_on_processor(probes.size(), query));
  };
  for (std::uint64_t round = 0; round < kQueryRounds; ++round) {
    time("ribbon", kBatch, [&] { query_in_batches(ribbon, probes, kBatch); });
    time("random line", kBatch, [&] {
      for (std::size_t at = 0; at < probes.size(); at += kBatch) {
        g_sink = read_lines(lines, std::span(probes).subspan(at, kBatch));
      }
    });
    time("blocked:fast", kBatch, [&] { query_in_batches(blocked, probes, kBatch); });
    time("textbook", kBatch, [&] { query_in_batches(textbook, probes, kBatch); });
    time("ribbon", 1, [&] { query_singly(ribbon, probes); });
    time("blocked:fast", 1, [&] { query_singly(blocked, probes); });
    time("textbook", 1, [&] { query_singly(textbook, probes); });
  }
}

// ---- the machine

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown processor";
}

int run(const std::vector<std::string>& arguments) {
  bool csv = false;
  std::vector<double> sizes;
  for (const std::string& argument : arguments) {
    if (argument == "--csv") {
      csv = true;
    } else {
      sizes.push_back(std::stod(argument));
    }
  }
  if (sizes.empty()) {
    sizes = {1e4, 1e5, 1e6, 1e7};
  }
  fmt::print(
      csv ? stderr : stdout,
      "{}; time-stamp counter {:.3f} GHz; compiler {}; kernels ribbon {}, solver {}, line {}; fpp 2^-14\n",
      cpu_model(), counter_ghz(), __VERSION__, chosen_ribbon_kernel().name,
      chosen_of(band_solver_kernels()).name, chosen_blocked_kernel().name);
  if (csv) {
    fmt::print("keys,contestant,operation,batch,ns,cycles\n");
  }
  for (const double size : sizes) {
    const auto keys = static_cast<std::uint64_t>(size);
    const std::vector<Hash128> hashes = key_hashes(keys);
    Table table;
    measure_builds(hashes, table);
    measure_queries(hashes, table);
    csv ? table.print_csv(keys) : table.print(keys);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run({argv + 1, argv + argc});
}
