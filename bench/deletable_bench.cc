// What do filters cost that forget keys or grow, beside the blocked Bloom filter and the textbook counting
// filter?
//
//   load     1e-3, filters for 10^5 and 10^7 keys that hold the same keys: insert, remove, query, singly and
//            in batches of 1,024, when the quotient filter's slots are taken to 50, 75, 90 and 95 %. Inserts
//            are timed on the last 2 % of keys, removes on the same, queries in between.
//   growth   from 2^14 keys by ten doublings, one insert after the other: what it costs, the longest single
//            insert, bits a key during the doubling, and the fpp after it. The filters that do not grow are
//            made for the last size. An insert's time is the least of all rounds, so that an interrupt is
//            not taken for a cliff; all rounds insert the same keys, so a cliff is in each.
//   space    10^6 keys in filters for as many: bits a key and fpp, by the filter and measured over 2^24
//            absent keys, against log2(1/fpp) + 1.44, about what the best filters that delete take.
//   far      the scalable filter from 1,000 keys to 10^8 at 1e-2: bits a key in each sixteenth of a doubling,
//            those of a blocked filter that was made for as many keys, and the fpp after each doubling,
//            measured over 2^22 absent keys.
//   types    10^6 keys at 1e-3 in each kind of filter that forgets or grows: filled from empty, asked,
//   emptied.
//
//   deletable_bench [load|growth|far|space|types]...       all of them; CSV: part,filter,keys,at,what,value
//
// Hashes are ready in memory, one thread; contestants take turns in every round, and medians are printed.
// Cycles are of the time-stamp counter, whose frequency is printed to standard error, not of the core. Run
// pinned:  taskset -c 1 build/bench/bench/deletable_bench
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/exact_set.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"

namespace bloomery {
namespace {

constexpr double kFpp = 1e-3;
constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kStrangers = std::uint64_t{1} << 40;  // keys from here on are never in

template <typename Value>
Value checked(Result<Value> result) {
  if (!result) {
    fmt::print(stderr, "deletable_bench: {}\n", result.error().to_string());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
  return std::move(*result);
}

std::vector<Hash128> hashes_of(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = {.low = mixed(first + i + 1), .high = mixed(~(first + i))};
  }
  return hashes;
}

// `count` of the hashes, in an order that says nothing.
std::vector<Hash128> probes_from(std::span<const Hash128> hashes, std::size_t count) {
  std::vector<Hash128> probes(count);
  for (std::size_t i = 0; i < count; ++i) {
    probes[i] = hashes[mixed(i + 99) % hashes.size()];
  }
  return probes;
}

// ---- contestants

using Work = std::function<void(std::span<const Hash128>)>;

// A filter, as everything here uses it. What it cannot do is empty.
struct Contestant {
  std::string name;
  Work insert;  // in batches
  Work query;
  Work query_singly;
  Work remove;
  Work remove_singly;
  // Until one is refused; returns how many were not.
  std::function<std::uint64_t(std::span<const Hash128>)> insert_singly;
  // The same, and lowers cycles[i] to those that hash i took.
  std::function<std::uint64_t(std::span<const Hash128>, std::span<std::uint32_t>)> insert_stamped;
  std::function<std::uint64_t(std::span<const Hash128>)> count_maybe;
  std::function<double()> fpp;
  std::function<std::uint64_t()> bytes;
};

template <typename Filter>
std::uint64_t insert_stamped(Filter& filter, std::span<const Hash128> hashes,
                             std::span<std::uint32_t> cycles) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t start = cycles_now();
    if (!filter.insert(hashes[i])) {
      return i;
    }
    const std::uint64_t taken = std::min<std::uint64_t>(cycles_now() - start, ~std::uint32_t{0});
    cycles[i] = std::min(cycles[i], static_cast<std::uint32_t>(taken));
  }
  return hashes.size();
}

void in_batches(std::span<const Hash128> hashes, const Work& use) {
  for (std::size_t at = 0; at < hashes.size(); at += kBatch) {
    use(hashes.subspan(at, std::min(kBatch, hashes.size() - at)));
  }
}

template <typename Filter>
void add_removes(Contestant& contestant, const std::shared_ptr<Filter>& filter) {
  contestant.remove = [filter](std::span<const Hash128> hashes) {
    in_batches(hashes, [&](std::span<const Hash128> batch) {
      std::array<std::uint64_t, kBatch / 64> answers;
      g_sink = filter->remove_batch(batch, answers);
    });
  };
  contestant.remove_singly = [filter](std::span<const Hash128> hashes) {
    std::uint64_t removed = 0;
    for (const Hash128& hash : hashes) {
      removed += filter->remove(hash) ? 1U : 0U;
    }
    g_sink = removed;
  };
}

template <typename Filter>
Contestant contestant_of(const std::string& name, Result<Filter> made) {
  const auto filter = std::make_shared<Filter>(checked(std::move(made)));
  Contestant contestant;
  contestant.name = name;
  contestant.insert = [filter](std::span<const Hash128> hashes) {
    in_batches(hashes, [&](std::span<const Hash128> batch) {
      (void)filter->insert_batch(batch, Sharing::kExclusive);  // a lost key shows when it is asked for
    });
  };
  contestant.query = [filter](std::span<const Hash128> hashes) { query_in_batches(*filter, hashes, kBatch); };
  contestant.query_singly = [filter](std::span<const Hash128> hashes) { query_singly(*filter, hashes); };
  if constexpr (requires(std::span<std::uint64_t> answers) { filter->remove_batch({}, answers); }) {
    add_removes(contestant, filter);
  }
  contestant.insert_singly = [filter](std::span<const Hash128> hashes) {
    const auto refused =
        std::ranges::find_if_not(hashes, [&](const Hash128& hash) { return filter->insert(hash); });
    return static_cast<std::uint64_t>(refused - hashes.begin());
  };
  contestant.insert_stamped = [filter](std::span<const Hash128> hashes, std::span<std::uint32_t> cycles) {
    return insert_stamped(*filter, hashes, cycles);
  };
  contestant.count_maybe = [filter](std::span<const Hash128> hashes) {
    std::uint64_t maybe = 0;
    in_batches(hashes, [&](std::span<const Hash128> batch) {
      std::array<std::uint64_t, kBatch / 64> answers{};
      filter->may_contain_batch(batch, answers);
      for (const std::uint64_t word : answers) {
        maybe += static_cast<std::uint64_t>(std::popcount(word));
      }
    });
    return maybe;
  };
  contestant.fpp = [filter] { return filter->current_fpp(); };
  contestant.bytes = [filter] { return filter->byte_size(); };
  return contestant;
}

// Over `count` absent keys, in parts that need little memory.
double measured_fpp(const Contestant& contestant, std::uint64_t count) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 18;
  std::uint64_t maybe = 0;
  for (std::uint64_t at = 0; at < count; at += kPart) {
    maybe += contestant.count_maybe(hashes_of(kStrangers + at, kPart));
  }
  return static_cast<double>(maybe) / static_cast<double>(count);
}

// Fails the program when a key that is in is answered no.
void require_members(const Contestant& contestant, std::span<const Hash128> keys) {
  if (contestant.count_maybe(keys) != keys.size()) {
    fmt::print(stderr, "deletable_bench: {} lost a key\n", contestant.name);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
}

double bits_per_key(const Contestant& contestant, std::uint64_t keys) {
  return static_cast<double>(contestant.bytes()) * 8 / static_cast<double>(keys);
}

// ---- rows

// What was measured of one part, a median at a time.
class Rows {
 public:
  explicit Rows(std::string part) : part_(std::move(part)) {}

  void add(const std::string& filter, std::uint64_t keys, double at, const std::string& what, double value) {
    values_[{keys, at, what, filter}].push_back(value);
  }
  void add(const std::string& filter, std::uint64_t keys, double at, const std::string& what, Cost cost) {
    add(filter, keys, at, what + " ns", cost.ns);
    add(filter, keys, at, what + " cycles", cost.cycles);
  }
  void print() const {
    for (const auto& [row, values] : values_) {
      fmt::print("{},{},{},{},{},{:.6g}\n", part_, row.filter, row.keys, row.at, row.what, median(values));
    }
    std::fflush(stdout);
  }

 private:
  struct Row {
    std::uint64_t keys;
    double at;
    std::string what;
    std::string filter;
    auto operator<=>(const Row&) const = default;
  };
  std::string part_;
  std::map<Row, std::vector<double>> values_;
};

void add_timed(Rows& rows, const Contestant& contestant, std::uint64_t keys, double at, const char* what,
               const Work& work, std::span<const Hash128> hashes) {
  if (work) {
    rows.add(contestant.name, keys, at, what, timed(hashes.size(), [&] { work(hashes); }));
  }
}

// ---- load

constexpr std::array<double, 4> kLoads = {0.5, 0.75, 0.9, 0.95};
constexpr std::size_t kChunks = 4;  // of keys that are inserted and removed, for each way

// The keys [0, kept) are in already; those up to the end of `keys` are inserted and asked, and those from
// kept on taken out again.
void measure_at_load(Rows& rows, std::span<const Contestant> contestants, std::span<const Hash128> keys,
                     std::uint64_t kept, std::uint64_t capacity, double load) {
  const std::size_t chunk = (keys.size() - kept) / (2 * kChunks);
  const auto part = [&](std::size_t i) { return keys.subspan(kept + i * chunk, chunk); };
  for (std::size_t i = 0; i < 2 * kChunks; i += 2) {
    for (const Contestant& contestant : contestants) {
      add_timed(rows, contestant, capacity, load, "insert singly", contestant.insert_singly, part(i));
      add_timed(rows, contestant, capacity, load, "insert", contestant.insert, part(i + 1));
    }
  }
  const std::size_t count = std::min(std::size_t{1} << 18, std::bit_floor(capacity));
  const std::vector<Hash128> present = probes_from(keys.first(kept + 2 * kChunks * chunk), count);
  const std::vector<Hash128> absent = hashes_of(kStrangers, count);
  for (const Contestant& contestant : contestants) {
    add_timed(rows, contestant, capacity, load, "present", contestant.query, present);
    add_timed(rows, contestant, capacity, load, "absent", contestant.query, absent);
    add_timed(rows, contestant, capacity, load, "present singly", contestant.query_singly, present);
    add_timed(rows, contestant, capacity, load, "absent singly", contestant.query_singly, absent);
  }
  for (std::size_t i = 0; i < 2 * kChunks; i += 2) {
    for (const Contestant& contestant : contestants) {
      add_timed(rows, contestant, capacity, load, "remove singly", contestant.remove_singly, part(i));
      add_timed(rows, contestant, capacity, load, "remove", contestant.remove, part(i + 1));
    }
  }
}

void measure_load(std::uint64_t capacity, std::size_t rounds) {
  Rows rows("load");
  const std::vector<Hash128> keys = hashes_of(0, capacity);
  const QuotientShape shape = checked(quotient_shape_for_fpp(capacity, kFpp));
  const auto slots = static_cast<double>(shape.quotients << shape.depth);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Contestant contestants[] = {
        contestant_of("quotient", QuotientFilter::for_capacity(capacity, kFpp)),
        contestant_of("counting", CountingBloomFilter::for_capacity(capacity, kFpp)),
        contestant_of("blocked", BlockedBloomFilter::for_capacity(capacity, kFpp))};
    std::uint64_t in = 0;
    for (const double load : kLoads) {
      const auto end = std::min(capacity, static_cast<std::uint64_t>(std::ceil(load * slots)));
      const std::uint64_t kept = end - end / 50;
      for (const Contestant& contestant : contestants) {
        contestant.insert(std::span(keys).subspan(in, kept - in));
      }
      measure_at_load(rows, contestants, std::span(keys).first(end), kept, capacity, load);
      in = kept;
    }
  }
  rows.print();
}

// ---- growth

constexpr std::uint64_t kFirstKeys = std::uint64_t{1} << 14;
constexpr std::uint32_t kDoublings = 10;
constexpr std::uint64_t kLastKeys = kFirstKeys << kDoublings;
constexpr std::size_t kGrowthRounds = 3;
constexpr std::size_t kLooks = 64;  // at the size, in a doubling
constexpr std::uint64_t kFppProbes = std::uint64_t{1} << 22;

std::vector<Contestant> growing_contestants() {
  std::vector<Contestant> contestants;
  contestants.push_back(contestant_of("quotient", QuotientFilter::for_capacity(kFirstKeys, kFpp)));
  contestants.push_back(
      contestant_of("quotient with 10 doublings reserved",
                    QuotientFilter::for_capacity(kFirstKeys, kFpp, {.growth_doublings = kDoublings})));
  contestants.push_back(contestant_of("scalable", ScalableFilter::for_capacity(kFirstKeys, kFpp)));
  contestants.push_back(contestant_of("blocked for all", BlockedBloomFilter::for_capacity(kLastKeys, kFpp)));
  contestants.push_back(
      contestant_of("counting for all", CountingBloomFilter::for_capacity(kLastKeys, kFpp)));
  return contestants;
}

// Of `keys`, what lies behind the first `in`. False: keys were refused.
bool grow_once(Rows& rows, const Contestant& contestant, std::span<const Hash128> keys, std::size_t in,
               bool also_fpp) {
  const std::uint64_t reached = keys.size();
  const double doublings = std::log2(static_cast<double>(reached) / static_cast<double>(kFirstKeys));
  const std::size_t part = (reached - in) / kLooks;
  Cost cost{};
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t at = in; at < reached; at += part) {
    std::uint64_t taken = 0;
    const Cost once = timed(reached - in, [&] { taken = contestant.insert_singly(keys.subspan(at, part)); });
    if (taken < part) {
      rows.add(contestant.name, reached, doublings, "refused from key", static_cast<double>(at + taken));
      return false;
    }
    cost = {.ns = cost.ns + once.ns, .cycles = cost.cycles + once.cycles};
    const double bits = bits_per_key(contestant, at + part);
    least = std::min(least, bits);
    most = std::max(most, bits);
  }
  rows.add(contestant.name, reached, doublings, "insert", cost);
  rows.add(contestant.name, reached, doublings, "least bits", least);
  rows.add(contestant.name, reached, doublings, "most bits", most);
  const std::size_t probes = std::size_t{1} << 17;
  add_timed(rows, contestant, reached, doublings, "present", contestant.query, probes_from(keys, probes));
  add_timed(rows, contestant, reached, doublings, "absent", contestant.query, hashes_of(kStrangers, probes));
  if (also_fpp) {
    rows.add(contestant.name, reached, doublings, "predicted fpp", contestant.fpp());
    rows.add(contestant.name, reached, doublings, "measured fpp", measured_fpp(contestant, kFppProbes));
  }
  return true;
}

void grow(Rows& rows, const Contestant& contestant, std::span<const Hash128> keys, bool also_fpp) {
  std::size_t in = 0;
  for (std::size_t reached = kFirstKeys; reached <= keys.size(); reached *= 2) {
    if (!grow_once(rows, contestant, keys.first(reached), in, also_fpp)) {
      return;
    }
    in = reached;
  }
}

double ghz() {
  const Cost cost = timed(1, [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  return cost.cycles / cost.ns;
}

void add_longest(Rows& rows, const std::string& name, std::span<const std::uint32_t> cycles, double per_ns) {
  std::size_t in = 0;
  double doublings = 0;
  for (std::size_t reached = kFirstKeys; reached <= cycles.size(); reached *= 2) {
    const double longest = *std::ranges::max_element(cycles.subspan(in, reached - in));
    rows.add(name, reached, doublings, "longest insert ns", longest / per_ns);
    in = reached;
    ++doublings;
  }
}

void measure_growth() {
  Rows rows("growth");
  const std::vector<Hash128> keys = hashes_of(0, kLastKeys);
  struct Stamps {
    std::vector<std::uint32_t> cycles = std::vector<std::uint32_t>(kLastKeys, ~std::uint32_t{0});
    std::size_t taken = 0;
  };
  std::map<std::string, Stamps> stamps;
  for (std::size_t round = 0; round < kGrowthRounds; ++round) {
    for (const Contestant& contestant : growing_contestants()) {
      grow(rows, contestant, keys, round == 0);
    }
    for (const Contestant& contestant : growing_contestants()) {
      Stamps& mine = stamps[contestant.name];
      mine.taken = contestant.insert_stamped(keys, mine.cycles);
    }
  }
  const double per_ns = ghz();
  for (const auto& [name, mine] : stamps) {
    add_longest(rows, name, std::span(mine.cycles).first(mine.taken), per_ns);
  }
  rows.print();
}

// ---- far

// Keys are inserted in batches. Those that are known already count as inserted, as a user counts.
void measure_far() {
  constexpr double kFarFpp = 1e-2;
  constexpr std::uint64_t kFirst = 1000;
  constexpr std::uint64_t kLast = 100'000'000;
  constexpr double kStepsOfDoubling = 16;
  Rows rows("far");
  const Contestant contestant = contestant_of("scalable", ScalableFilter::for_capacity(kFirst, kFarFpp));
  std::uint64_t in = 0;
  for (int step = 0; in < kLast; ++step) {
    const double wanted = static_cast<double>(kFirst) * std::exp2(step / kStepsOfDoubling);
    const std::uint64_t keys = std::min(static_cast<std::uint64_t>(wanted), kLast);
    contestant.insert(hashes_of(in, keys - in));
    in = keys;
    const BlockedShape planned = checked(blocked_shape_for_fpp(keys, kFarFpp, BlockedSetting::kFast));
    rows.add("scalable", keys, kFarFpp, "bits", bits_per_key(contestant, keys));
    rows.add("planned", keys, kFarFpp, "bits",
             static_cast<double>(planned.bits()) / static_cast<double>(keys));
    if (step % static_cast<int>(kStepsOfDoubling) == 0 || keys == kLast) {
      rows.add("scalable", keys, kFarFpp, "measured fpp", measured_fpp(contestant, kFppProbes));
    }
  }
  rows.print();
}

// ---- space

constexpr std::uint64_t kKeys = 1'000'000;

void measure_space() {
  Rows rows("space");
  const std::vector<Hash128> keys = hashes_of(0, kKeys);
  for (const double fpp : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const Contestant contestants[] = {
        contestant_of("quotient", QuotientFilter::for_capacity(kKeys, fpp)),
        contestant_of("counting", CountingBloomFilter::for_capacity(kKeys, fpp)),
        contestant_of("blocked", BlockedBloomFilter::for_capacity(kKeys, fpp)),
        contestant_of("textbook", BloomFilter::for_capacity(kKeys, fpp))};
    for (const Contestant& contestant : contestants) {
      contestant.insert(keys);
      require_members(contestant, keys);
      rows.add(contestant.name, kKeys, fpp, "bits", bits_per_key(contestant, kKeys));
      rows.add(contestant.name, kKeys, fpp, "fpp", contestant.fpp());
      rows.add(contestant.name, kKeys, fpp, "measured fpp", measured_fpp(contestant, std::uint64_t{1} << 24));
      rows.add(contestant.name, kKeys, fpp, "bound", -std::log2(contestant.fpp()) + 1.44);
    }
  }
  rows.print();
}

// ---- types

void measure_types() {
  constexpr std::size_t kRounds = 5;
  constexpr std::size_t kProbes = std::size_t{1} << 18;
  Rows rows("types");
  const std::vector<Hash128> keys = hashes_of(0, kKeys);
  const std::vector<Hash128> present = probes_from(keys, kProbes);
  const std::vector<Hash128> absent = hashes_of(kStrangers, kProbes);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Contestant contestants[] = {
        contestant_of("quotient", QuotientFilter::for_capacity(kKeys, kFpp)),
        contestant_of("counting", CountingBloomFilter::for_capacity(kKeys, kFpp)),
        contestant_of("scalable", ScalableFilter::for_capacity((kKeys + 20) / 21, kFpp)),  // 1 + 4 + 16: full
        contestant_of("windowed", WindowedFilter::for_capacity(0, kFpp, {.window = Window::keys(kKeys)})),
        contestant_of(
            "exact",
            ExactSet::for_plan(
                {.type = FilterType::kQuotient, .capacity = kKeys, .fpp = kFpp, .exact_below = kKeys})),
        contestant_of("blocked", BlockedBloomFilter::for_capacity(kKeys, kFpp))};
    for (const Contestant& contestant : contestants) {
      add_timed(rows, contestant, kKeys, kFpp, "insert", contestant.insert, keys);
      rows.add(contestant.name, kKeys, kFpp, "file bits", bits_per_key(contestant, kKeys));
    }
    for (const Contestant& contestant : contestants) {
      add_timed(rows, contestant, kKeys, kFpp, "present", contestant.query, present);
      add_timed(rows, contestant, kKeys, kFpp, "absent", contestant.query, absent);
    }
    for (const Contestant& contestant : contestants) {
      add_timed(rows, contestant, kKeys, kFpp, "remove", contestant.remove, keys);
    }
  }
  rows.print();
}

int run(std::span<char*> arguments) {
  const std::pair<std::string_view, void (*)()> parts[] = {{"load",
                                                            [] {
                                                              measure_load(100'000, 31);
                                                              measure_load(10'000'000, 5);
                                                            }},
                                                           {"growth", measure_growth},
                                                           {"far", measure_far},
                                                           {"space", measure_space},
                                                           {"types", measure_types}};
  for (const std::string_view argument : arguments) {
    if (std::ranges::find(parts, argument, [](const auto& part) { return part.first; }) == std::end(parts)) {
      fmt::print(stderr, "deletable_bench: expected load, growth, far, space or types, found '{}'\n",
                 argument);
      return 2;
    }
  }
  fmt::print(stderr, "GCC or Clang {}, time-stamp counter {:.3f} GHz\n", __VERSION__, ghz());
  fmt::print("part,filter,keys,at,what,value\n");
  for (const auto& [name, measure] : parts) {
    if (arguments.empty() || std::ranges::find(arguments, name) != arguments.end()) {
      measure();
    }
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
