// What does a key cost the quotient table, at 50 to 95 % load, and the blocked Bloom filter of the same fpp?
//
// For every number of keys and r of 10 and 13: a table of keys / 0.95 quotients is filled to 50, 75, 90 and
// 95 %. At each load is measured: contains of keys that are in (hit) and that are not (miss), one by one and
// in batches of 1024; erasing the oldest keys, and inserting as many new ones (a 500th of the quotients at a
// time, so that the load stays), one by one and in a batch. Beside it the blocked Bloom filter (fast) for as
// many keys at the fpp that the table has at 95 %: insert and query in batches. Hashes are ready in memory,
// one thread. The median of 5 rounds of queries and of 25 of the others is printed.
//
//   quotient_table_bench [--csv] [--kernel NAME] [KEYS...]    CSV: keys,r,load,contestant,operation,ns,cycles
// Default 10^5 and 10^7 keys. Cycles are of the time-stamp counter, whose frequency is printed, not of the
// core. Run pinned:  taskset -c 1 build/bench/bench/quotient_table_bench
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery {
namespace {

constexpr std::array<double, 4> kLoads = {0.5, 0.75, 0.9, 0.95};
constexpr std::size_t kBatch = 1024;
constexpr std::size_t kRounds = 5;      // of queries
constexpr std::size_t kTurnovers = 25;  // of erasing and inserting
constexpr std::size_t kProbes = std::size_t{1} << 19;

struct Options {
  bool csv = false;
  const QuotientKernel* kernel = &chosen_quotient_kernel();
  std::vector<std::uint64_t> keys;
};

template <typename Value>
Value checked(Result<Value> result) {
  if (!result) {
    fmt::print(stderr, "quotient_table_bench: {}\n", result.error().to_string());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
  return std::move(*result);
}

Hash128 hash_of(std::uint64_t key) {
  return {.low = mixed(key + 1), .high = 0};
}

std::vector<Hash128> hashes_of(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = hash_of(first + i);
  }
  return hashes;
}

class Rows {
 public:
  void add(const std::string& contestant, const std::string& operation, Cost cost) {
    auto& [ns, cycles] = rows_[{contestant, operation}];
    ns.push_back(cost.ns);
    cycles.push_back(cost.cycles);
  }
  void print(const Options& options, std::uint64_t keys, std::uint32_t r, double load) const {
    for (const auto& [name, costs] : rows_) {
      const double ns = median(costs.first);
      const double cycles = median(costs.second);
      if (options.csv) {
        fmt::print("{},{},{},{},{},{:.2f},{:.1f}\n", keys, r, load, name.first, name.second, ns, cycles);
      } else {
        fmt::print("  {:>4.0f} %  {:<8} {:<18} {:>9.2f} {:>9.1f}\n", 100 * load, name.first, name.second, ns,
                   cycles);
      }
    }
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<std::vector<double>, std::vector<double>>> rows_;
};

// ---- the table

// Keys [first, next) are in the table.
struct Contents {
  QuotientTable table;
  std::uint64_t first = 0;
  std::uint64_t next = 0;
};

void fill_to(Contents& contents, double load) {
  while (contents.table.load() < load) {
    const auto hashes = hashes_of(contents.next, 256);
    contents.next += contents.table.insert_batch(hashes);
  }
}

std::vector<Hash128> probes(const Contents& contents, bool present) {
  std::vector<Hash128> hashes(kProbes);
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::uint64_t key = contents.first + mixed(i + 99) % (contents.next - contents.first);
    hashes[i] = hash_of(present ? key : key + (std::uint64_t{1} << 40));
  }
  return hashes;
}

void ask_singly(const QuotientTable& table, std::span<const Hash128> hashes) {
  std::uint64_t found = 0;
  for (const Hash128& hash : hashes) {
    found += table.contains(hash.low) ? 1U : 0U;
  }
  g_sink = found;
}

void ask_in_batches(const QuotientTable& table, std::span<const Hash128> hashes) {
  std::array<std::uint64_t, kBatch / 64> answers{};
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < hashes.size(); at += kBatch) {
    table.contains_batch(hashes.subspan(at, kBatch), answers);
    sum += answers[0];
  }
  g_sink = sum;
}

// The oldest keys go, new ones come; in hash order both are random.
void turn_over(Contents& contents, Rows& rows, bool batched) {
  const std::uint64_t count = std::clamp<std::uint64_t>(contents.table.plan().quotients / 500, 200, 20'000);
  const auto gone = hashes_of(contents.first, count);
  const auto fresh = hashes_of(contents.next, count);
  std::vector<std::uint64_t> answers((count + 63) / 64);
  rows.add("table", batched ? "erase, batch" : "erase", timed(count, [&] {
             if (batched) {
               contents.table.erase_batch(gone, answers);
               return;
             }
             for (const Hash128& hash : gone) {
               g_sink = contents.table.erase(hash.low) ? 1 : 0;
             }
           }));
  rows.add("table", batched ? "insert, batch" : "insert", timed(count, [&] {
             if (batched) {
               g_sink = contents.table.insert_batch(fresh);
               return;
             }
             for (const Hash128& hash : fresh) {
               g_sink = contents.table.insert(hash.low) ? 1 : 0;
             }
           }));
  contents.first += count;
  contents.next += count;
}

void measure_table(Contents& contents, Rows& rows) {
  const auto hits = probes(contents, true);
  const auto misses = probes(contents, false);
  for (std::size_t round = 0; round < kRounds; ++round) {
    rows.add("table", "hit", timed(kProbes, [&] { ask_singly(contents.table, hits); }));
    rows.add("table", "miss", timed(kProbes, [&] { ask_singly(contents.table, misses); }));
    rows.add("table", "hit, batch", timed(kProbes, [&] { ask_in_batches(contents.table, hits); }));
    rows.add("table", "miss, batch", timed(kProbes, [&] { ask_in_batches(contents.table, misses); }));
  }
  for (std::size_t round = 0; round < kTurnovers; ++round) {
    turn_over(contents, rows, false);
    turn_over(contents, rows, true);
  }
}

// ---- the blocked Bloom filter

double measure_blocked(Rows& rows, std::uint64_t keys, double fpp) {
  const auto shape = checked(blocked_shape_for_fpp(keys, fpp, BlockedSetting::kFast));
  BlockedBloomFilter filter = checked(BlockedBloomFilter::for_shape(shape, keys));
  const auto hashes = hashes_of(0, keys);
  const auto few = std::span(hashes).last(std::min<std::size_t>(keys, kProbes));
  const auto misses = hashes_of(std::uint64_t{1} << 40, few.size() / kBatch * kBatch);
  filter.insert_batch(std::span(hashes).first(keys - few.size()), Sharing::kExclusive);
  rows.add("blocked", "insert, batch",
           timed(few.size(), [&] { filter.insert_batch(few, Sharing::kExclusive); }));
  for (std::size_t round = 0; round < kRounds; ++round) {
    rows.add("blocked", "hit, batch",
             timed(misses.size(), [&] { query_in_batches(filter, few.first(misses.size()), kBatch); }));
    rows.add("blocked", "miss, batch",
             timed(misses.size(), [&] { query_in_batches(filter, misses, kBatch); }));
  }
  return static_cast<double>(filter.shape().bits()) / static_cast<double>(keys);
}

void measure(const Options& options, std::uint64_t keys, std::uint32_t r) {
  const auto quotients = static_cast<std::uint64_t>(std::ceil(static_cast<double>(keys) / 0.95));
  Contents contents = {checked(QuotientTable::create({.quotients = quotients, .remainder_bits = r}))};
  contents.table.use_kernel(*options.kernel);
  const double bits = static_cast<double>(contents.table.words().size_bytes()) * 8;
  for (const double load : kLoads) {
    Rows rows;
    fill_to(contents, load);
    const auto held = static_cast<double>(contents.table.tally().keys);
    const double fpp = contents.table.fpp();
    if (!options.csv) {
      fmt::print(
          "\n{:.0f} keys, r {}, kernel {}: {:.3f} bits a key, fpp {:.3e}, bound log2(1/fpp) + 1.44: {:.3f}\n",
          held, r, options.kernel->name, bits / held, fpp, -std::log2(fpp) + 1.44);
    }
    measure_table(contents, rows);
    if (load == kLoads.back()) {
      const double blocked_bits = measure_blocked(rows, keys, fpp);
      if (!options.csv) {
        fmt::print("blocked Bloom filter of {} keys and that fpp: {:.3f} bits a key\n", keys, blocked_bits);
      }
    }
    rows.print(options, keys, r, load);
  }
  if (const Status whole = contents.table.check(); !whole) {
    fmt::print(stderr, "quotient_table_bench: {}\n", whole.error().to_string());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
}

Options options_of(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--csv") {
      options.csv = true;
    } else if (argument == "--kernel" && i + 1 < arguments.size()) {
      const std::string_view name = arguments[++i];
      for (const QuotientKernel& kernel : quotient_kernels()) {
        options.kernel = kernel.name == name && kernel.available() ? &kernel : options.kernel;
      }
    } else {
      options.keys.push_back(std::max<std::uint64_t>(std::stoull(std::string(argument)), 10'000));
    }
  }
  if (options.keys.empty()) {
    options.keys = {100'000, 10'000'000};
  }
  return options;
}

void print_frequency() {
  const Cost cost = timed(1, [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  fmt::print("time-stamp counter: {:.3f} GHz\n", cost.cycles / cost.ns);
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  const bloomery::Options options = bloomery::options_of({argv, static_cast<std::size_t>(argc)});
  if (options.csv) {
    fmt::print("keys,r,load,contestant,operation,ns,cycles\n");
  } else {
    bloomery::print_frequency();
  }
  for (const std::uint64_t keys : options.keys) {
    for (const std::uint32_t r : {10U, 13U}) {
      bloomery::measure(options, keys, r);
    }
  }
  return 0;
}
