// What do put and mightContain of a dialect cost, beside the original on the JVM?
//
//   dialect_bench DIALECT KEYS [KEYS...]
//
// For each number of keys n, a filter for fpp 0.01 is filled with mixed(0..n-1), and asked for a million of them
// and for a million others, one at a time and in batches of 1,024. CSV: side,keys,what,ns,matches, with the
// median of the rounds.
//
// bench/jvm/FilterBench.java does the same with the same keys on its side; bench/guava.sh and bench/spark.sh run
// both and compare the matches too. Keys are longs; making views of their bytes is part of what is timed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/dialects/dialects.h"

static_assert(std::endian::native == std::endian::little, "a long's bytes are its key");

namespace bloomery {
namespace {

constexpr std::size_t kAsked = 1'000'000;
constexpr std::size_t kBatch = 1024;
constexpr int kRounds = 9;
constexpr double kFpp = 0.01;

using Keys = std::span<const std::uint64_t>;

[[noreturn]] void fail(const Error& error) {
  fmt::print(stderr, "dialect_bench: {}\n", error.to_string());
  std::exit(1);
}

std::unique_ptr<DialectFilter> empty_filter(const char* dialect, std::uint64_t capacity) {
  auto builder = build_dialect(dialect, {.capacity = capacity, .fpp = kFpp, .bits_per_key = {}});
  if (!builder) {
    fail(builder.error());
  }
  auto filter = (*builder)->finish();
  if (!filter) {
    fail(filter.error());
  }
  return std::move(filter.value());
}

std::string_view bytes_of(const std::uint64_t& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

std::uint64_t put_singly(DialectFilter& filter, Keys keys) {
  std::uint64_t changed = 0;
  for (const std::uint64_t& key : keys) {
    changed += filter.insert(bytes_of(key)).value() ? 1U : 0U;
  }
  return changed;
}

std::uint64_t ask_singly(const DialectFilter& filter, Keys keys) {
  std::uint64_t matches = 0;
  for (const std::uint64_t& key : keys) {
    matches += filter.may_contain(bytes_of(key)) ? 1U : 0U;
  }
  return matches;
}

// Calls work(views) for every batch of keys.
template <typename Work>
void in_batches(Keys keys, Work work) {
  std::array<std::string_view, kBatch> views;
  for (std::size_t at = 0; at < keys.size(); at += kBatch) {
    const Keys batch = keys.subspan(at, std::min(kBatch, keys.size() - at));
    std::ranges::transform(batch, views.begin(), bytes_of);
    work(std::span<const std::string_view>(views).first(batch.size()));
  }
}

std::uint64_t put_in_batches(DialectFilter& filter, Keys keys) {
  std::uint64_t changed = 0;
  in_batches(keys,
             [&](std::span<const std::string_view> views) { changed += filter.insert_batch(views).value(); });
  return changed;
}

std::uint64_t ask_in_batches(const DialectFilter& filter, Keys keys) {
  std::array<std::uint64_t, answer_words(kBatch)> answers;
  std::uint64_t matches = 0;
  in_batches(keys, [&](std::span<const std::string_view> views) {
    const auto words = std::span(answers).first(answer_words(views.size()));
    filter.may_contain_batch(views, words);
    for (const std::uint64_t word : words) {
      matches += static_cast<std::uint64_t>(std::popcount(word));
    }
  });
  return matches;
}

// Times of one question in every round, and what it answered.
struct Series {
  const char* side;
  const char* what;
  std::vector<double> ns;
  std::uint64_t matches = 0;

  template <typename Work>
  void time(std::size_t keys, Work work) {
    ns.push_back(timed(keys, [&] { matches = work(); }).ns);
  }
};

void measure(const char* dialect, std::uint64_t key_count) {
  std::vector<std::uint64_t> members(key_count);
  std::vector<std::uint64_t> present(kAsked);
  std::vector<std::uint64_t> absent(kAsked);
  for (std::uint64_t i = 0; i < key_count; ++i) {
    members[i] = mixed(i);
  }
  for (std::uint64_t i = 0; i < kAsked; ++i) {
    present[i] = mixed(mixed(i) % key_count);
    absent[i] = mixed(key_count + i);
  }
  std::array<Series, 6> series = {{{"single", "put", {}},
                                   {"batch", "put", {}},
                                   {"single", "present", {}},
                                   {"batch", "present", {}},
                                   {"single", "absent", {}},
                                   {"batch", "absent", {}}}};
  for (int round = 0; round < kRounds; ++round) {
    // Each filter is asked right after it is filled, as on the JVM's side: its cache lines are where they were left.
    const auto filter = empty_filter(dialect, key_count);
    series[0].time(key_count, [&] { return put_singly(*filter, members); });
    series[2].time(kAsked, [&] { return ask_singly(*filter, present); });
    series[4].time(kAsked, [&] { return ask_singly(*filter, absent); });
    const auto other = empty_filter(dialect, key_count);
    series[1].time(key_count, [&] { return put_in_batches(*other, members); });
    series[3].time(kAsked, [&] { return ask_in_batches(*other, present); });
    series[5].time(kAsked, [&] { return ask_in_batches(*other, absent); });
  }
  for (const Series& one : series) {
    fmt::print("{},{},{},{:.2f},{}\n", one.side, key_count, one.what, median(one.ns), one.matches);
  }
}

int usage() {
  fmt::print(stderr, "usage: dialect_bench DIALECT KEYS [KEYS...]\n");
  return 2;
}

int run(std::span<char*> arguments) {
  if (arguments.size() < 2) {
    return usage();
  }
  for (const char* const argument : arguments.subspan(1)) {
    const std::uint64_t key_count = std::strtoull(argument, nullptr, 10);
    if (key_count == 0) {
      return usage();
    }
    measure(arguments.front(), key_count);
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
