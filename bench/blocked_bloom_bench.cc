// What does one key cost the blocked Bloom filter, and how far is that from the cost of its cache line?
//
// For every size: queries of present, absent and half-and-half keys, one at a time and in batches, and bulk
// inserts; beside them the textbook filter, a plain scalar split-block filter (32-byte blocks of eight 32-bit
// lanes, as in Parquet's specification), and the floor: one random cache line read per key, prefetched in
// batches of the same size, in memory of the same size and kind. All at 16 bits per key. Contestants take
// turns in every round and the median of the rounds is printed, so that a noisy machine is noisy for all of
// them.
//
//   blocked_bloom_bench speed [KEYS...]    CSV: keys,contestant,operation,batch,ns,cycles
//   blocked_bloom_bench threads [KEYS]     CSV: threads,operation,ns per key in aggregate (wall)
//   blocked_bloom_bench fpp [BITS...]      CSV: setting,bits per key,k,trials,false positives,measured,
//                                          predicted,ratio
// Cycles are of the time-stamp counter.
// Run pinned for `speed`:  taskset -c 1 build/bench/bench/blocked_bloom_bench speed
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "base/memory.h"
#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "filter/blocked/blocked_kernel.h"

namespace bloomery {
namespace {

constexpr double kBitsPerKey = 16;
constexpr std::size_t kProbes = std::size_t{1} << 20;
constexpr std::uint64_t kRounds = 7;

// The peer without vectors: split blocks of 256 bits, eight lanes of 32, one bit each.
class SplitBlockFilter {
 public:
  explicit SplitBlockFilter(std::uint64_t bits)
      : blocks_(std::max<std::uint64_t>(bits / 256, 1)), memory_(*AlignedBuffer::zeroed(blocks_ * 32)) {}

  void insert(std::uint64_t hash) {
    std::uint32_t* const block = block_of(hash);
    for (std::size_t i = 0; i < 8; ++i) {
      block[i] |= bit(hash, i);
    }
  }
  bool may_contain(std::uint64_t hash) const {
    const std::uint32_t* const block = block_of(hash);
    std::uint32_t missing = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      missing |= bit(hash, i) & ~block[i];
    }
    return missing == 0;
  }

 private:
  static std::uint32_t bit(std::uint64_t hash, std::size_t i) {
    return 1U << ((static_cast<std::uint32_t>(hash) * kWindowSalts[i]) >> 27);
  }
  std::uint32_t* block_of(std::uint64_t hash) const {
    const std::uint64_t block = ((hash >> 32) * blocks_) >> 32;
    return reinterpret_cast<std::uint32_t*>(memory_.bytes().data()) + block * 8;
  }
  std::uint64_t blocks_;
  AlignedBuffer memory_;
};

struct Contestants {
  explicit Contestants(std::uint64_t keys)
      : fast(*BlockedBloomFilter::for_shape(
            *blocked_shape_for_bits_per_key(keys, kBitsPerKey, BlockedSetting::kFast), keys)),
        dense(*BlockedBloomFilter::for_shape(
            *blocked_shape_for_bits_per_key(keys, kBitsPerKey, BlockedSetting::kDense), keys)),
        textbook(*BloomFilter::for_shape(*shape_for_bits_per_key(keys, kBitsPerKey), keys)),
        split_block(static_cast<std::uint64_t>(static_cast<double>(keys) * kBitsPerKey)),
        lines(*AlignedBuffer::zeroed(fast.byte_size())) {
    std::fill(lines.bytes().begin(), lines.bytes().end(), std::byte{1});
  }
  BlockedBloomFilter fast;
  BlockedBloomFilter dense;
  BloomFilter textbook;
  SplitBlockFilter split_block;
  AlignedBuffer lines;
};

class Table {
 public:
  void add(const std::string& contestant, const std::string& operation, std::size_t batch, Cost cost) {
    auto& [ns, cycles] = rows_[{operation, batch, contestant}];
    ns.push_back(cost.ns);
    cycles.push_back(cost.cycles);
  }
  void print(std::uint64_t keys) const {
    for (const auto& [name, costs] : rows_) {
      fmt::print("{},{},{},{},{:.2f},{:.1f}\n", keys, std::get<2>(name), std::get<0>(name), std::get<1>(name),
                 median(costs.first), median(costs.second));
    }
  }

 private:
  std::map<std::tuple<std::string, std::size_t, std::string>,
           std::pair<std::vector<double>, std::vector<double>>>
      rows_;
};

std::vector<Hash128> probe_hashes(std::uint64_t keys, int present_percent) {
  std::vector<Hash128> hashes(kProbes);
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::uint64_t key = mixed(i + 987654321) % keys;
    const bool present = mixed(i) % 100 < static_cast<std::uint64_t>(present_percent);
    hashes[i] = {.low = mixed(present ? key + 1 : key + 1 + (std::uint64_t{1} << 40)), .high = 0};
  }
  return hashes;
}

void measure_queries(const Contestants& all, std::span<const Hash128> hashes, const std::string& operation,
                     Table& table) {
  const std::size_t size = hashes.size();
  for (const std::size_t batch : {std::size_t{16}, std::size_t{64}, std::size_t{1024}}) {
    table.add("blocked:fast", operation, batch,
              timed(size, [&] { query_in_batches(all.fast, hashes, batch); }));
    table.add("random line", operation, batch, timed(size, [&] {
                for (std::size_t at = 0; at < size; at += batch) {
                  g_sink = read_lines(all.lines, hashes.subspan(at, batch));
                }
              }));
    table.add("blocked:dense", operation, batch,
              timed(size, [&] { query_in_batches(all.dense, hashes, batch); }));
    table.add("textbook", operation, batch,
              timed(size, [&] { query_in_batches(all.textbook, hashes, batch); }));
  }
  table.add("blocked:fast", operation, 1, timed(size, [&] { query_singly(all.fast, hashes); }));
  table.add("blocked:dense", operation, 1, timed(size, [&] { query_singly(all.dense, hashes); }));
  table.add("textbook", operation, 1, timed(size, [&] { query_singly(all.textbook, hashes); }));
  table.add("scalar split block", operation, 1, timed(size, [&] {
              std::uint64_t sum = 0;
              for (const Hash128& hash : hashes) {
                sum += all.split_block.may_contain(hash.low) ? 1U : 0U;
              }
              g_sink = sum;
            }));
}

// Inserts new keys until the filters hold `keys`; the last million is what is timed, a slice of it a round.
void measure_inserts(Contestants& all, std::uint64_t keys, Table& table) {
  constexpr std::size_t kBatch = 1024;
  const std::uint64_t timed_keys =
      std::min<std::uint64_t>(keys / 2, kProbes) / kBatch / kRounds * kBatch * kRounds;
  std::vector<Hash128> hashes(kBatch);
  const auto each_batch = [&](std::uint64_t from, std::uint64_t to, const auto& use) {
    for (std::uint64_t key = from; key < to; key += kBatch) {
      const std::uint64_t count = std::min<std::uint64_t>(kBatch, to - key);
      for (std::uint64_t i = 0; i < count; ++i) {
        hashes[i].low = mixed(key + i + 1);
      }
      use(std::span(hashes).first(count));
    }
  };
  const auto fast = [&](auto batch) { all.fast.insert_batch(batch, Sharing::kExclusive); };
  const auto fast_shared = [&](auto batch) { all.fast.insert_batch(batch); };
  const auto dense = [&](auto batch) { all.dense.insert_batch(batch, Sharing::kExclusive); };
  const auto textbook = [&](auto batch) { all.textbook.insert_batch(batch); };
  const auto split = [&](auto batch) {
    for (const Hash128& hash : batch) {
      all.split_block.insert(hash.low);
    }
  };
  const auto floor = [&](auto batch) { g_sink = read_lines(all.lines, batch); };
  const std::uint64_t first = keys - timed_keys;
  each_batch(0, first, fast);
  each_batch(0, first, dense);
  each_batch(0, first, textbook);
  each_batch(0, first, split);
  const std::uint64_t slice = timed_keys / kRounds;
  for (std::uint64_t round = 0; round < kRounds && slice > 0; ++round) {
    const std::uint64_t from = first + round * slice;
    const std::uint64_t middle = from + slice / 2 / kBatch * kBatch;
    const auto time = [&](const char* name, std::uint64_t begin, std::uint64_t end, const auto& use) {
      if (end > begin) {
        table.add(name, "insert", kBatch, timed(end - begin, [&] { each_batch(begin, end, use); }));
      }
    };
    time("blocked:fast", from, middle, fast);
    time("blocked:fast shared", middle, from + slice, fast_shared);
    time("random line", from, from + slice, floor);
    time("blocked:dense", from, from + slice, dense);
    time("textbook", from, from + slice, textbook);
    time("scalar split block", from, from + slice, split);
  }
  each_batch(first + slice * kRounds, keys, fast);
}

void measure_speed(std::uint64_t keys) {
  Contestants all(keys);
  Table table;
  measure_inserts(all, keys, table);
  const auto present = probe_hashes(keys, 100);
  const auto absent = probe_hashes(keys, 0);
  const auto half = probe_hashes(keys, 50);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    measure_queries(all, present, "present", table);
    measure_queries(all, absent, "absent", table);
    measure_queries(all, half, "half", table);
  }
  table.print(keys);
}

void measure_threads(std::uint64_t keys) {
  fmt::print("threads,operation,ns\n");
  for (const std::uint64_t threads : {1U, 2U}) {
    BlockedBloomFilter filter = *BlockedBloomFilter::for_shape(
        *blocked_shape_for_bits_per_key(keys, kBitsPerKey, BlockedSetting::kFast), keys);
    const auto in_parallel = [&](const auto& work) {
      const Cost cost = timed(keys, [&] {
        std::vector<std::thread> running;
        for (std::uint64_t thread = 0; thread < threads; ++thread) {
          running.emplace_back([&, thread] {
            std::vector<Hash128> hashes(1024);
            for (std::uint64_t key = keys * thread / threads; key < keys * (thread + 1) / threads;
                 key += hashes.size()) {
              for (std::size_t i = 0; i < hashes.size(); ++i) {
                hashes[i].low = mixed(key + i + 1);
              }
              work(hashes);
            }
          });
        }
        for (std::thread& thread : running) {
          thread.join();
        }
      });
      return cost.ns;
    };
    fmt::print("{},insert shared,{:.2f}\n", threads,
               in_parallel([&](auto& hashes) { filter.insert_batch(hashes); }));
    fmt::print("{},insert again,{:.2f}\n", threads,
               in_parallel([&](auto& hashes) { filter.insert_batch(hashes); }));
    fmt::print("{},query,{:.2f}\n", threads,
               in_parallel([&](auto& hashes) { query_in_batches(filter, hashes, hashes.size()); }));
  }
}

void measure_fpp(double bits_per_key, BlockedSetting setting) {
  constexpr std::uint64_t kKeys = 4'000'000;
  const BlockedShape shape = *blocked_shape_for_bits_per_key(kKeys, bits_per_key, setting);
  BlockedBloomFilter filter = *BlockedBloomFilter::for_shape(shape, kKeys);
  std::vector<Hash128> hashes(1000);
  const auto fill = [&hashes](std::uint64_t first) {
    for (std::uint64_t i = 0; i < hashes.size(); ++i) {
      hashes[i] = hash_key(first + i, HashSpec{});
    }
  };
  for (std::uint64_t key = 0; key < kKeys; key += hashes.size()) {
    fill(key);
    filter.insert_batch(hashes, Sharing::kExclusive);
  }
  const double predicted = predicted_fpp(shape, kKeys);
  std::uint64_t trials = 0;
  std::uint64_t hits = 0;
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  for (; hits < 12'000; trials += hashes.size()) {
    fill((std::uint64_t{1} << 40) + trials);
    filter.may_contain_batch(hashes, answers);
    for (const std::uint64_t word : answers) {
      hits += static_cast<std::uint64_t>(__builtin_popcountll(word));
    }
  }
  const double measured = static_cast<double>(hits) / static_cast<double>(trials);
  fmt::print("{},{:g},{},{},{},{:.4e},{:.4e},{:.4f}\n", setting == BlockedSetting::kFast ? "fast" : "dense",
             bits_per_key, shape.hash_count, trials, hits, measured, predicted, measured / predicted);
  std::fflush(stdout);
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  std::vector<double> numbers;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    numbers.push_back(std::stod(arguments[i]));
  }
  fmt::print(stderr, "kernel {}, compiler {}\n", chosen_blocked_kernel().name, __VERSION__);
  if (mode == "speed") {
    fmt::print("keys,contestant,operation,batch,ns,cycles\n");
    for (const double keys : numbers.empty() ? std::vector<double>{1e4, 1e6, 1e7, 1e8} : numbers) {
      measure_speed(static_cast<std::uint64_t>(keys));
    }
  } else if (mode == "threads") {
    measure_threads(static_cast<std::uint64_t>(numbers.empty() ? 1e7 : numbers[0]));
  } else if (mode == "fpp") {
    fmt::print("setting,bits_per_key,k,trials,false_positives,measured,predicted,ratio\n");
    for (const double bits :
         numbers.empty() ? std::vector<double>{8, 10, 12, 14, 16, 18, 20, 22, 24} : numbers) {
      measure_fpp(bits, BlockedSetting::kFast);
      measure_fpp(bits, BlockedSetting::kDense);
    }
  } else {
    fmt::print(stderr, "usage: blocked_bloom_bench speed [KEYS...] | threads [KEYS] | fpp [BITS...]\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run({argv + 1, argv + argc});
}
