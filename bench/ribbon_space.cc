// How many bits per key does a ribbon filter's file take, and is that what was promised?
//
// For every number of keys and fpp: the mean size of whole files (header and directory included) over several
// sets of random hashes, as many as make the mean steady; beside it L, the least bits per key of two widths,
// log2(1/p), the least of any filter, what docs/ribbon.md allows, and the sizes of a textbook Bloom filter
// and of the blocked Bloom filter for the same keys and fpp. The builder gets its hashes as they are made,
// which takes 19 bytes of memory a key at 10^7 keys.
//
//   allowed bits per key:   1.003 L + 0.02   from 10^6 keys
//                           1.006 L + 0.02   from 10^5 keys
//                           1.01  L + 0.15   below
//                           and at most 1.005 r for p = 2^-r, r >= 8, from 10^6 keys
//
//   ribbon_space [KEYS...]      CSV: n,p,bits,L,log2,allowed,ok,bloom_bits,blocked_fast_bits,seeds
// Default 10^4 to 10^7 keys. Exit status 1 when a row is not ok.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

// A probability with the text that stands for it in the output.
struct AskedFpp {
  double fpp;
  const char* text;
  int power_of_two;  // r when fpp = 2^-r, otherwise 0
};

const std::array<AskedFpp, 9> kAsked = {{{1e-1, "1e-1", 0},
                                         {1e-2, "1e-2", 0},
                                         {0x1p-8, "2^-8", 8},
                                         {1e-3, "1e-3", 0},
                                         {0x1p-12, "2^-12", 12},
                                         {1e-4, "1e-4", 0},
                                         {1e-5, "1e-5", 0},
                                         {0x1p-16, "2^-16", 16},
                                         {1e-6, "1e-6", 0}}};

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Bits per key of the file of keys seed 2^40 + 1, seed 2^40 + 2, ...
double file_bits_per_key(std::uint64_t keys, double fpp, std::uint64_t seed) {
  RibbonBuildOptions options;
  options.filter.hash.id = HashId::kReadyDigest;
  options.memory_bytes = kUnlimitedMemory;
  RibbonBuilder builder = *RibbonBuilder::create(fpp, options);
  std::vector<Hash128> hashes;
  for (std::uint64_t at = 0; at < keys; at += hashes.size()) {
    hashes.resize(std::min<std::uint64_t>(keys - at, 1024));
    for (std::uint64_t i = 0; i < hashes.size(); ++i) {
      hashes[i].low = mixed((seed << 40) + at + i + 1);
    }
    if (const Status added = builder.add(hashes); !added) {
      fmt::print(stderr, "ribbon_space: {}\n", added.error().to_string());
      std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
    }
  }
  std::string file;
  builder.finish()->serialize(file);
  return static_cast<double>(file.size()) * 8 / static_cast<double>(keys);
}

double allowed_bits_per_key(std::uint64_t keys, const AskedFpp& asked) {
  const double bound = ribbon_bound(asked.fpp);
  if (keys < 100'000) {
    return 1.01 * bound + 0.15;
  }
  if (keys < 1'000'000) {
    return 1.006 * bound + 0.02;
  }
  const double allowed = 1.003 * bound + 0.02;
  return asked.power_of_two == 0 ? allowed : std::min(allowed, 1.005 * asked.power_of_two);
}

// Sets whose sizes are averaged.
std::uint64_t seed_count(std::uint64_t keys) {
  return std::clamp<std::uint64_t>(500'000 / keys, 1, 20);
}

// Prints a row; returns whether the size is allowed.
bool measure(std::uint64_t keys, const AskedFpp& asked) {
  const std::uint64_t seeds = seed_count(keys);
  double sum = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    sum += file_bits_per_key(keys, asked.fpp, seed);
  }
  const double bits = sum / static_cast<double>(seeds);
  const double allowed = allowed_bits_per_key(keys, asked);
  const auto per_key = [keys](std::uint64_t all) {
    return static_cast<double>(all) / static_cast<double>(keys);
  };
  const double bloom = per_key(shape_for_fpp(keys, asked.fpp)->bits);
  const double blocked = per_key(blocked_shape_for_fpp(keys, asked.fpp, BlockedSetting::kFast)->bits());
  fmt::print("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{},{:.3f},{:.3f},{}\n", keys, asked.text, bits,
             ribbon_bound(asked.fpp), -std::log2(asked.fpp), allowed, bits <= allowed ? "yes" : "no", bloom,
             blocked, seeds);
  std::fflush(stdout);
  return bits <= allowed;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<double> sizes = {1e4, 1e5, 1e6, 1e7};
  if (!arguments.empty()) {
    sizes.clear();
    for (const std::string& argument : arguments) {
      sizes.push_back(std::stod(argument));
    }
  }
  fmt::print("n,p,bits,L,log2,allowed,ok,bloom_bits,blocked_fast_bits,seeds\n");
  bool all_allowed = true;
  for (const double keys : sizes) {
    for (const AskedFpp& asked : kAsked) {
      all_allowed = measure(static_cast<std::uint64_t>(keys), asked) && all_allowed;
    }
  }
  return all_allowed ? 0 : 1;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run({argv + 1, argv + argc});
}
