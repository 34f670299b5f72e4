// What does a key cost the fuse filter to build and to query, next to xor_singleheader's, to the ribbon and to
// all other types?
//
// One process, one thread, fpp 2^-8 and 2^-16. Contestants take turns in every round, and the median of the
// rounds is printed. Half of the keys asked are present, in random order. xor_singleheader is asked for 64-bit
// integers, which it mixes itself. The filters of Bloomery are asked for the same integers, and for ready
// hashes, one at a time and in batches of 1,024. A build starts from 64-bit hashes in memory.
//
// At 2^-8 the other types of Bloomery are queried too, and filters of Guava and RocksDB by Bloomery's reader of
// their bytes (dialects). Boost.Bloom's is there if BLOOMERY_BOOST_INCLUDE names its headers.
//
//   static_filters [KEYS...]      CSV: keys,bits,contestant,operation,ns,bits per key
//
// bench/which_filter.sh writes the data of docs/which-filter.md with it.
//
// xor_singleheader is not packaged in Debian 12: its headers are fetched by hand, and their directory is named
// by BLOOMERY_XOR_INCLUDE. Run pinned:  taskset -c 1 build/bench/bench/static_filters
#include <algorithm>
#include <binaryfusefilter.h>
#if __has_include(<boost/bloom/fast_multiblock64.hpp>)
#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#define BLOOMERY_HAS_BOOST_BLOOM 1
#endif
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/key_batches.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {
namespace {

constexpr std::size_t kProbes = std::size_t{1} << 20;
constexpr std::size_t kBatch = 1024;
constexpr int kRounds = 7;

// Time of this thread, in ns for each of `keys`.
template <typename Work>
double thread_ns(std::uint64_t keys, const Work& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return (now() - begin) / static_cast<double>(keys);
}

struct XorFuse8 {
  binary_fuse8_t filter{};
  explicit XorFuse8(std::vector<std::uint64_t> keys) {
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (!binary_fuse8_allocate(count, &filter) || !binary_fuse8_populate(keys.data(), count, &filter)) {
      std::abort();
    }
  }
  XorFuse8(const XorFuse8&) = delete;
  XorFuse8& operator=(const XorFuse8&) = delete;
  ~XorFuse8() { binary_fuse8_free(&filter); }
  bool contains(std::uint64_t key) const { return binary_fuse8_contain(key, &filter); }
  std::uint64_t bytes() const { return filter.ArrayLength; }
};

struct XorFuse16 {
  binary_fuse16_t filter{};
  explicit XorFuse16(std::vector<std::uint64_t> keys) {
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (!binary_fuse16_allocate(count, &filter) || !binary_fuse16_populate(keys.data(), count, &filter)) {
      std::abort();
    }
  }
  XorFuse16(const XorFuse16&) = delete;
  XorFuse16& operator=(const XorFuse16&) = delete;
  ~XorFuse16() { binary_fuse16_free(&filter); }
  bool contains(std::uint64_t key) const { return binary_fuse16_contain(key, &filter); }
  std::uint64_t bytes() const { return std::uint64_t{filter.ArrayLength} * 2; }
};

// The medians of one size and width.
class Rows {
 public:
  void add(const std::string& contestant, const std::string& operation, double ns) {
    rows_[contestant + "," + operation].push_back(ns);
  }
  void print(std::uint64_t keys, std::uint32_t bits, const std::map<std::string, double>& sizes) const {
    for (const auto& [name, values] : rows_) {
      const std::string contestant = name.substr(0, name.find(','));
      fmt::print("{},{},{},{:.2f},{:.3f}\n", keys, bits, name, median(values), sizes.at(contestant));
    }
    std::fflush(stdout);
  }

 private:
  std::map<std::string, std::vector<double>> rows_;
};

struct Probes {
  std::vector<std::uint64_t> keys;
  std::vector<Hash128> hashes;
};

Probes probes_of(std::span<const std::uint64_t> keys, const HashSpec& spec) {
  Probes probes;
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::uint64_t random = mixed(i + 1);
    probes.keys.push_back(random % 2 == 0 ? keys[mixed(random) % keys.size()] : mixed(random + 77));
    probes.hashes.push_back(hash_key(probes.keys.back(), spec));
  }
  return probes;
}

template <typename Filter>
void ask_ours(const std::string& name, const Filter& filter, const Probes& probes, Rows& rows) {
  rows.add(name, "single hash", thread_ns(kProbes, [&] {
             std::uint64_t sum = 0;
             for (const Hash128& hash : probes.hashes) {
               sum += filter.may_contain(hash) ? 1U : 0U;
             }
             g_sink = sum;
           }));
  rows.add(name, "single integer", thread_ns(kProbes, [&] {
             std::uint64_t sum = 0;
             for (const std::uint64_t key : probes.keys) {
               sum += filter.may_contain(key) ? 1U : 0U;
             }
             g_sink = sum;
           }));
  std::vector<std::uint64_t> answers(answer_words(kBatch));
  rows.add(name, "batch of hashes", thread_ns(kProbes, [&] {
             for (std::size_t i = 0; i < kProbes; i += kBatch) {
               filter.may_contain_batch(std::span(probes.hashes).subspan(i, kBatch), answers);
               g_sink = answers[0];
             }
           }));
  rows.add(name, "batch of integers", thread_ns(kProbes, [&] {
             for (std::size_t i = 0; i < kProbes; i += kBatch) {
               may_contain_keys(filter, std::span(probes.keys).subspan(i, kBatch), answers);
               g_sink = answers[0];
             }
           }));
}

// `contains` queries one integer.
template <typename Contains>
void ask_one_by_one(const std::string& name, const Contains& contains, const Probes& probes, Rows& rows) {
  rows.add(name, "single integer", thread_ns(kProbes, [&] {
             std::uint64_t sum = 0;
             for (const std::uint64_t key : probes.keys) {
               sum += contains(key) ? 1U : 0U;
             }
             g_sink = sum;
           }));
}

std::string_view bytes_of(const std::uint64_t& key) {
  return {reinterpret_cast<const char*>(&key), sizeof(key)};
}

void ask_dialect(const std::string& name, const DialectFilter& filter, const Probes& probes, Rows& rows) {
  ask_one_by_one(
      name, [&filter](const std::uint64_t& key) { return filter.may_contain(bytes_of(key)); }, probes, rows);
  std::vector<std::string_view> keys;
  for (const std::uint64_t& key : probes.keys) {
    keys.push_back(bytes_of(key));
  }
  std::vector<std::uint64_t> answers(answer_words(kBatch));
  rows.add(name, "batch of integers", thread_ns(kProbes, [&] {
             for (std::size_t i = 0; i < kProbes; i += kBatch) {
               filter.may_contain_batch(std::span(keys).subspan(i, kBatch), answers);
               g_sink = answers[0];
             }
           }));
}

// Measures the types of Bloomery that accept keys, one after another: all at once need too much memory.
void compare_others(std::uint64_t count, std::span<const Hash128> hashes, const Probes& probes, double fpp,
                    Rows& rows, std::map<std::string, double>& sizes) {
  const Window window = Window::keys(count);
  const FilterPlan plans[] = {{.type = FilterType::kBlocked},
                              {.type = FilterType::kBlocked, .options = {.setting = BlockedSetting::kDense}},
                              {.type = FilterType::kBloom},
                              {.type = FilterType::kCounting},
                              {.type = FilterType::kQuotient},
                              {.type = FilterType::kScalable},
                              {.type = FilterType::kWindowed, .options = {.window = window}}};
  for (FilterPlan plan : plans) {
    plan.capacity = count;
    plan.fpp = fpp;
    AnyFilter filter = *make_filter(plan);
    const std::string name = plan.type_name();
    rows.add(name, "build", thread_ns(count, [&] { g_sink = filter.insert_batch(hashes); }));
    sizes[name] = static_cast<double>(filter.native().byte_size()) * 8 / static_cast<double>(count);
    for (int round = 0; round < kRounds; ++round) {
      std::visit([&](const auto& concrete) { ask_ours(name, concrete, probes, rows); }, filter.variant());
    }
  }
}

// Measures filters of other systems.
void compare_systems(std::span<const std::uint64_t> keys, const Probes& probes, double fpp, Rows& rows,
                     std::map<std::string, double>& sizes) {
  std::vector<std::string_view> views;
  for (const std::uint64_t& key : keys) {
    views.push_back(bytes_of(key));
  }
  const std::pair<const char*, const char*> dialects[] = {{"Guava", "guava:mitz64"},
                                                          {"RocksDB's Bloom", "rocksdb:fastlocal"},
                                                          {"RocksDB's ribbon", "rocksdb:ribbon"}};
  for (const auto& [name, dialect] : dialects) {
    const DialectPlan plan{.capacity = keys.size(), .fpp = fpp, .bits_per_key = {}};
    std::unique_ptr<DialectFilter> filter;
    rows.add(name, "build", thread_ns(keys.size(), [&] {
               const std::unique_ptr<DialectBuilder> builder = *build_dialect(dialect, plan);
               if (!builder->add(views)) {
                 std::abort();
               }
               filter = *builder->finish();
             }));
    sizes[name] = static_cast<double>(filter->facts().bits) / static_cast<double>(keys.size());
    for (int round = 0; round < kRounds; ++round) {
      ask_dialect(name, *filter, probes, rows);
    }
  }
#ifdef BLOOMERY_HAS_BOOST_BLOOM
  using BoostBloom = boost::bloom::filter<std::uint64_t, 1, boost::bloom::fast_multiblock64<8>>;
  BoostBloom boost(keys.size(), fpp);
  rows.add("Boost.Bloom", "build", thread_ns(keys.size(), [&] { boost.insert(keys.begin(), keys.end()); }));
  sizes["Boost.Bloom"] = static_cast<double>(boost.capacity()) / static_cast<double>(keys.size());
  for (int round = 0; round < kRounds; ++round) {
    ask_one_by_one(
        "Boost.Bloom", [&boost](std::uint64_t key) { return boost.may_contain(key); }, probes, rows);
  }
#endif
}

template <typename XorFuse>
void compare(std::uint64_t count, std::uint32_t bits) {
  std::vector<std::uint64_t> keys(count);
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    keys[i] = mixed(i);
    hashes[i] = hash_key(keys[i], HashSpec{});
  }
  const Probes probes = probes_of(keys, HashSpec{});
  const double fpp = std::ldexp(1.0, -static_cast<int>(bits));
  const FilterOptions fast{.threads = 1};
  const FilterOptions dense{.setting = BlockedSetting::kDense, .threads = 1};
  Rows rows;
  std::map<std::string, double> sizes;
  const std::uint64_t repeats = std::max<std::uint64_t>(1'000'000 / count, 1);
  const auto built = [&](const std::string& name, const auto& make) {
    rows.add(name, "build", thread_ns(count * repeats, [&] {
               for (std::uint64_t i = 0; i < repeats; ++i) {
                 make();
               }
             }));
  };
  const int rounds = count >= 10'000'000 ? 3 : kRounds;
  for (int round = 0; round < rounds; ++round) {
    built("fuse", [&] { g_sink = FuseFilter::build_from_hashes(hashes, fpp, fast)->byte_size(); });
    built("fuse:dense", [&] { g_sink = FuseFilter::build_from_hashes(hashes, fpp, dense)->byte_size(); });
    built("ribbon", [&] { g_sink = RibbonFilter::build_from_hashes(hashes, fpp, fast)->byte_size(); });
    built("xor_singleheader", [&] { g_sink = XorFuse(keys).bytes(); });
  }
  const FuseFilter fuse = *FuseFilter::build_from_hashes(hashes, fpp, fast);
  const FuseFilter fuse_dense = *FuseFilter::build_from_hashes(hashes, fpp, dense);
  const RibbonFilter ribbon = *RibbonFilter::build_from_hashes(hashes, fpp, fast);
  const XorFuse peer(keys);
  const auto bits_of = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) * 8 / static_cast<double>(count);
  };
  sizes["fuse"] = bits_of(fuse.byte_size());
  sizes["fuse:dense"] = bits_of(fuse_dense.byte_size());
  sizes["ribbon"] = bits_of(ribbon.byte_size());
  sizes["xor_singleheader"] = bits_of(peer.bytes());
  for (int round = 0; round < kRounds; ++round) {
    ask_ours("fuse", fuse, probes, rows);
    ask_one_by_one(
        "xor_singleheader", [&peer](std::uint64_t key) { return peer.contains(key); }, probes, rows);
    ask_ours("fuse:dense", fuse_dense, probes, rows);
    ask_ours("ribbon", ribbon, probes, rows);
  }
  if (bits == 8) {
    compare_others(count, hashes, probes, fpp, rows, sizes);
    compare_systems(keys, probes, fpp, rows, sizes);
  }
  rows.print(count, bits, sizes);
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < argc; ++i) {
    sizes.push_back(static_cast<std::uint64_t>(std::strtod(argv[i], nullptr)));
  }
  if (sizes.empty()) {
    sizes = {10'000, 1'000'000, 10'000'000};
  }
  fmt::print("keys,bits,contestant,operation,ns,bits per key\n");
  for (const std::uint64_t keys : sizes) {
    bloomery::compare<bloomery::XorFuse8>(keys, 8);
    bloomery::compare<bloomery::XorFuse16>(keys, 16);
  }
  return 0;
}
