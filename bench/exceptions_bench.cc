// What do exceptions and a secret cost a key that is asked about?
//
// Filters of KEYS members at 1 %, each without exceptions and with those of a set W ten times as large: the
// blocked Bloom filter (fast) with a table, and the ribbon with a last column. Asked in batches of 1,024
// about members, about keys of no list, and about keys of W that the filter without exceptions matches. The
// floor is one random cache line read per key, in memory of the filter's size. Then the hash alone, of keys
// of 8 to 62 bytes: XXH3-128, and SipHash-2-4-128 under a secret. Hashes are ready in memory, one thread;
// contestants take turns in every round, and the median of 7 rounds is printed.
//
//   exceptions_bench [--csv] [KEYS...]      CSV: keys,contestant,asked,ns,cycles,bits_per_key
// Default 10^5, 10^6 and 10^7 keys. Run pinned:  taskset -c 1 build/bench/bench/exceptions_bench
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/memory.h"
#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {
namespace {

constexpr double kFpp = 0.01;
constexpr std::uint64_t kTimesMembers = 10;  // keys of W
constexpr double kMostBitsPerKey = 7.3;      // of the ribbon, from 10^6 keys on
constexpr std::size_t kProbes = std::size_t{1} << 20;
constexpr std::size_t kBatch = 1024;
constexpr int kRounds = 7;

std::vector<Hash128> random_hashes(std::uint64_t count, std::uint64_t seed) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = {.low = mixed(2 * i + (seed << 48)), .high = mixed(2 * i + 1 + (seed << 48))};
  }
  return hashes;
}

// As many probes as are wanted, in an order that says nothing.
std::vector<Hash128> probes_from(std::span<const Hash128> hashes) {
  std::vector<Hash128> probes(kProbes);
  for (std::size_t i = 0; i < kProbes; ++i) {
    probes[i] = hashes[mixed(i) % hashes.size()];
  }
  return probes;
}

struct Contestant {
  std::string name;
  double bits_per_key;
  std::function<void(std::span<const Hash128>)> ask;
};

struct Asked {
  std::string name;
  std::vector<Hash128> hashes;
};

Cost median_cost(const std::vector<Cost>& costs) {
  std::vector<double> ns;
  std::vector<double> cycles;
  for (const Cost& cost : costs) {
    ns.push_back(cost.ns);
    cycles.push_back(cost.cycles);
  }
  return {.ns = median(ns), .cycles = median(cycles)};
}

void print(bool csv, std::uint64_t keys, const Contestant& contestant, const std::string& asked, Cost cost) {
  if (csv) {
    fmt::print("{},{},{},{:.2f},{:.1f},{:.3f}\n", keys, contestant.name, asked, cost.ns, cost.cycles,
               contestant.bits_per_key);
  } else {
    fmt::print("{:>9} {:<24} {:<12} {:7.2f} ns {:7.1f} cycles {:8.3f} bits a key\n", keys, contestant.name,
               asked, cost.ns, cost.cycles, contestant.bits_per_key);
  }
}

template <typename Filter>
Contestant contestant_of(const std::string& name, const Filter& filter, std::uint64_t keys) {
  return {.name = name,
          .bits_per_key = static_cast<double>(filter.file_bytes()) * 8 / static_cast<double>(keys),
          .ask = [&filter](std::span<const Hash128> hashes) { query_in_batches(filter, hashes, kBatch); }};
}

// Fails the program when a filter does not keep its promises on what it is asked here.
template <typename Filter>
void require(const Filter& filter, std::span<const Hash128> hashes, bool expected, const char* what) {
  for (const Hash128& hash : hashes) {
    if (filter.may_contain(hash) != expected) {
      fmt::print(stderr, "exceptions_bench: {}\n", what);
      std::exit(1);
    }
  }
}

void measure_queries(bool csv, std::uint64_t keys) {
  const std::vector<Hash128> members = random_hashes(keys, 1);
  const std::vector<Hash128> white = random_hashes(kTimesMembers * keys, 2);
  BlockedBloomFilter blocked = *BlockedBloomFilter::for_capacity(keys, kFpp);
  blocked.insert_batch(members, Sharing::kExclusive);
  BlockedBloomFilter blocked_excepted = *BlockedBloomFilter::for_capacity(keys, kFpp);
  blocked_excepted.insert_batch(members, Sharing::kExclusive);
  if (!add_exceptions(blocked_excepted, white)) {
    std::exit(1);
  }
  const RibbonFilter ribbon = *RibbonFilter::build_from_hashes(members, kFpp);
  const RibbonFilter ribbon_excepted = *build_from_hashes_with_exceptions(members, white, kFpp);
  require(blocked_excepted, white, false, "the blocked Bloom filter matches a key of W");
  require(ribbon_excepted, white, false, "the ribbon matches a key of W");
  require(blocked_excepted, members, true, "the blocked Bloom filter lost a member");
  require(ribbon_excepted, members, true, "the ribbon lost a member");

  const double bits_per_key =
      static_cast<double>(ribbon_excepted.file_bytes()) * 8 / static_cast<double>(keys);
  if (keys >= 1'000'000 && bits_per_key > kMostBitsPerKey) {
    fmt::print(stderr, "exceptions_bench: expected at most {} bits a key, found {}\n", kMostBitsPerKey,
               bits_per_key);
    std::exit(1);
  }

  std::vector<Hash128> matched;
  append_matching(blocked, white, matched);
  std::vector<Hash128> matched_by_ribbon;
  append_matching(ribbon, white, matched_by_ribbon);
  matched.insert(matched.end(), matched_by_ribbon.begin(), matched_by_ribbon.end());
  const Asked asked[] = {{"members", probes_from(members)},
                         {"strangers", random_hashes(kProbes, 3)},
                         {"exceptions", probes_from(matched)}};
  const AlignedBuffer lines = *AlignedBuffer::zeroed((blocked.byte_size() + 63) / 64 * 64);
  const Contestant contestants[] = {
      {.name = "floor: a cache line",
       .bits_per_key = static_cast<double>(lines.bytes().size()) * 8 / static_cast<double>(keys),
       .ask = [&lines](std::span<const Hash128> hashes) { g_sink = read_lines(lines, hashes); }},
      contestant_of("blocked Bloom", blocked, keys),
      contestant_of("blocked Bloom with exceptions", blocked_excepted, keys),
      contestant_of("ribbon", ribbon, keys),
      contestant_of("ribbon with exceptions", ribbon_excepted, keys)};
  for (const Asked& question : asked) {
    std::vector<std::vector<Cost>> costs(std::size(contestants));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < std::size(contestants); ++i) {
        costs[i].push_back(timed(kProbes, [&] { contestants[i].ask(question.hashes); }));
      }
    }
    for (std::size_t i = 0; i < std::size(contestants); ++i) {
      print(csv, keys, contestants[i], question.name, median_cost(costs[i]));
    }
  }
}

void measure_hashes(bool csv) {
  const HashSpec specs[] = {{}, keyed_hash(HashSecret{.bytes = {1, 2, 3, 4}})};
  constexpr std::size_t kKeys = 4096;  // which stay in the second-level cache
  std::vector<Hash128> hashes(kKeys);
  for (const std::size_t size : {std::size_t{8}, std::size_t{16}, std::size_t{32}, std::size_t{62}}) {
    const std::string text(kKeys + size, 'k');
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < kKeys; ++i) {
      keys.push_back(std::string_view(text).substr(i, size));
    }
    std::vector<std::vector<Cost>> costs(std::size(specs));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < std::size(specs); ++i) {
        constexpr std::size_t kRepeats = 64;
        costs[i].push_back(timed(kKeys * kRepeats, [&] {
          for (std::size_t repeat = 0; repeat < kRepeats; ++repeat) {
            hash_batch(keys, specs[i], hashes);
            g_sink = hashes[repeat].low;
          }
        }));
      }
    }
    for (std::size_t i = 0; i < std::size(specs); ++i) {
      print(csv, 1, {.name = hash_name(specs[i].id), .bits_per_key = 0, .ask = {}},
            std::to_string(size) + " bytes", median_cost(costs[i]));
    }
  }
}

int run(std::span<char*> arguments) {
  bool csv = false;
  std::vector<std::uint64_t> sizes;
  for (const std::string_view argument : arguments) {
    if (argument == "--csv") {
      csv = true;
    } else {
      sizes.push_back(static_cast<std::uint64_t>(std::strtod(std::string(argument).c_str(), nullptr)));
      if (sizes.back() == 0) {
        fmt::print(stderr, "exceptions_bench: expected --csv or a number of keys, found '{}'\n", argument);
        return 2;
      }
    }
  }
  if (sizes.empty()) {
    sizes = {100'000, 1'000'000, 10'000'000};
  }
  if (csv) {
    fmt::print("keys,contestant,asked,ns,cycles,bits_per_key\n");
  } else {
    fmt::print("fpp {}, {} keys of W a member; GCC or Clang {}; batches of {}, medians of {} rounds\n", kFpp,
               kTimesMembers, __VERSION__, kBatch, kRounds);
  }
  for (const std::uint64_t keys : sizes) {
    measure_queries(csv, keys);
  }
  measure_hashes(csv);
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
