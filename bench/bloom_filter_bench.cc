// What does one key cost the textbook filter, by size, for present and absent keys, one at a time and in
// batches?
//
// Beside it stands the floor: the same number of random cache lines of an array as large, each asked for
// (prefetched) 64 loads ahead and read once. A textbook filter touches k cache lines for a present key and
// about two for an absent one. Every figure is nanoseconds per key (items_per_second is its inverse); `lines`
// is how many cache lines it reads at most. Run pinned:  taskset -c 1 build/bench/bench/bloom_filter_bench
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/memory.h"
#include "bloomery/filter/bloom_filter.h"

namespace bloomery {
namespace {

constexpr std::size_t kBatch = 1024;

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct Case {
  std::uint64_t keys;
  BloomShape shape;
};

Case case_of(const benchmark::State& state) {
  const auto keys = static_cast<std::uint64_t>(state.range(0));
  if (state.range(1) == 6) {  // the field's classic: 80,000 keys in 1,600,000 bits
    return {keys, {.bits = keys * 20, .hash_count = 6}};
  }
  return {keys, *shape_for_fpp(keys, 1e-3)};
}

BloomFilter filled(const Case& made) {
  BloomFilter filter = *BloomFilter::for_shape(made.shape, made.keys);
  std::vector<Hash128> hashes(kBatch);
  for (std::uint64_t done = 0; done < made.keys; done += kBatch) {
    const std::uint64_t count = std::min<std::uint64_t>(kBatch, made.keys - done);
    for (std::uint64_t i = 0; i < count; ++i) {
      hashes[i] = {.low = mixed(done + i), .high = 0};
    }
    filter.insert_batch(std::span(hashes).first(count));
  }
  return filter;
}

// `count` hashes in an order that has nothing to do with that of insertion.
std::vector<Hash128> probes(const Case& made, bool present) {
  std::vector<Hash128> hashes(std::size_t{1} << 20);
  for (std::uint64_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t key = mixed(i + 12345) % made.keys + (present ? 0 : made.keys);
    hashes[i] = {.low = mixed(key), .high = 0};
  }
  return hashes;
}

void query_batch(benchmark::State& state, bool present) {
  const Case made = case_of(state);
  const BloomFilter filter = filled(made);
  const std::vector<Hash128> hashes = probes(made, present);
  std::vector<std::uint64_t> answers(answer_words(kBatch));
  std::size_t at = 0;
  for (auto _ : state) {
    filter.may_contain_batch(std::span(hashes).subspan(at, kBatch), answers);
    benchmark::DoNotOptimize(answers.data());
    at = (at + kBatch) % hashes.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.counters["lines"] = made.shape.hash_count;
}

void query_single(benchmark::State& state, bool present) {
  const Case made = case_of(state);
  const BloomFilter filter = filled(made);
  const std::vector<Hash128> hashes = probes(made, present);
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filter.may_contain(hashes[at]));
    at = (at + 1) % hashes.size();
  }
  state.SetItemsProcessed(state.iterations());
}

// Inserts new keys into a filter that is being filled from empty to capacity, over and over.
void insert_batch(benchmark::State& state) {
  const Case made = case_of(state);
  BloomFilter filter = *BloomFilter::for_shape(made.shape, made.keys);
  std::vector<Hash128> hashes(kBatch);
  std::uint64_t next = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      hashes[i] = {.low = mixed(next + i), .high = 0};
    }
    next += kBatch;
    filter.insert_batch(hashes);
    if (filter.inserted() >= made.keys) {
      state.PauseTiming();
      filter.clear();
      state.ResumeTiming();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.counters["lines"] = made.shape.hash_count;
}

// The floor: `lines` random cache lines a key, prefetched 64 ahead, in memory of the filter's size and kind.
void random_lines(benchmark::State& state) {
  const Case made = case_of(state);
  const auto lines_per_key = static_cast<std::size_t>(made.shape.hash_count);
  const AlignedBuffer buffer = *AlignedBuffer::zeroed(made.shape.bits / 8 + 64);
  std::ranges::fill(buffer.bytes(), std::byte{1});
  constexpr std::size_t kAhead = 64;
  std::vector<std::uint64_t> offsets((std::size_t{1} << 20) + kAhead);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = mixed(i) % buffer.bytes().size();
  }
  std::size_t at = 0;
  std::uint64_t sum = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < lines_per_key; ++i) {
      __builtin_prefetch(&buffer.bytes()[offsets[at + i + kAhead - lines_per_key]]);
      sum += std::to_integer<std::uint64_t>(buffer.bytes()[offsets[at + i]]);
    }
    at = (at + lines_per_key) & ((std::size_t{1} << 19) - 1);
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
  state.counters["lines"] = made.shape.hash_count;
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"keys", "k"})
      ->Args({80'000, 6})
      ->Args({1'000'000, 10})
      ->Args({10'000'000, 10})
      ->Args({100'000'000, 10});
  bench->Unit(benchmark::kNanosecond);
}

BENCHMARK_CAPTURE(query_batch, present, true)->Apply(sizes);
BENCHMARK_CAPTURE(query_batch, absent, false)->Apply(sizes);
BENCHMARK_CAPTURE(query_single, present, true)->Apply(sizes);
BENCHMARK_CAPTURE(query_single, absent, false)->Apply(sizes);
BENCHMARK(insert_batch)->Apply(sizes);
BENCHMARK(random_lines)->Apply(sizes);

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("keys per batch", std::to_string(bloomery::kBatch));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
