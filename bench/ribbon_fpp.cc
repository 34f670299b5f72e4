// Does a ribbon filter err as often as it was asked to, also where nobody waits for the errors?
//
// `rates` asks a filter of 10^6 random hashes for absent ones, 250/p of them, and counts. From p = 1e-7 on
// that takes too long, so `halves` counts how often the first half of a key's columns matches, [0, r/2), and
// how often the second does, [r/2, r) or [r/2, r + 1) in a wide block: each is common enough to be measured.
// Bits of a fingerprint are independent, so the rates' product is the fpp; `both`, the keys for which both
// halves match, says at the larger p whether that holds. The ideals are 2^-(r/2) and the mean of
// 2^-(columns - r/2) over the blocks that the keys met. Keys that go to a tail, which has neither width, are
// left out. The loop is written from the format, by the scalar kernel's structures, and compared with the
// filter's own answer for 10^6 present and 10^6 absent keys.
//
//   ribbon_fpp rates [--absent N] [--most N] [P...]
//       CSV: p,absent,false_positives,measured,low,high,ratio       low, high: Wilson's interval at 99.9 %
//       N keys instead of 250/p; never more than --most
//   ribbon_fpp halves [--absent N] [P...]
//       CSV: p,columns,keys,first,first_ideal,second,second_ideal,product,ratio,both,both_expected,tail
// Default 1e-1 to 1e-6; for `halves` 1e-7 to 1e-9 and 10^8 absent keys.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bloomery/filter/ribbon_filter.h"
#include "filter/native/native_header.h"
#include "filter/ribbon/ribbon_directory.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeys = 1'000'000;
constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kFirstAbsent = std::uint64_t{1} << 40;

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

RibbonFilter filter_of_keys(double fpp) {
  std::vector<Hash128> hashes(kKeys);
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    hashes[i].low = mixed(i + 1);
  }
  FilterOptions options;
  options.hash.id = HashId::kReadyDigest;
  Result<RibbonFilter> filter = RibbonFilter::build_from_hashes(hashes, fpp, options);
  if (!filter) {
    fmt::print(stderr, "ribbon_fpp: {}\n", filter.error().to_string());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }
  return std::move(*filter);
}

// ---- rates

std::uint64_t count_maybes(const RibbonFilter& filter, std::uint64_t first, std::uint64_t absent) {
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> answers(answer_words(kBatch));
  std::uint64_t maybes = 0;
  for (std::uint64_t at = 0; at < absent; at += hashes.size()) {
    hashes.resize(std::min<std::uint64_t>(absent - at, kBatch));
    for (std::uint64_t i = 0; i < hashes.size(); ++i) {
      hashes[i].low = mixed(first + at + i);
    }
    filter.may_contain_batch(hashes, answers);
    for (std::size_t word = 0; word < answer_words(hashes.size()); ++word) {
      maybes += static_cast<std::uint64_t>(std::popcount(answers[word]));
    }
  }
  return maybes;
}

struct Interval {
  double low;
  double high;
};

// Wilson's score interval: where a rate lies that shows so many hits in so many trials.
Interval wilson(std::uint64_t hits, std::uint64_t trials) {
  constexpr double kNormal = 3.2905;  // 99.9 %, both sides
  const auto n = static_cast<double>(trials);
  const double rate = static_cast<double>(hits) / n;
  const double spread = kNormal * kNormal / n;
  const double middle = (rate + spread / 2) / (1 + spread);
  const double half = std::sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread);
  return {.low = std::max(middle - half, 0.0), .high = std::min(middle + half, 1.0)};
}

// `row` makes every row ask other keys: the same ones would tend to be right or wrong together.
void measure_rate(double fpp, std::uint64_t absent, std::uint64_t row) {
  const std::uint64_t hits = count_maybes(filter_of_keys(fpp), kFirstAbsent * (row + 1), absent);
  const double measured = static_cast<double>(hits) / static_cast<double>(absent);
  const auto [low, high] = wilson(hits, absent);
  fmt::print("{:.6g},{},{},{:.4e},{:.4e},{:.4e},{:.4f}\n", fpp, absent, hits, measured, low, high,
             measured / fpp);
  std::fflush(stdout);
}

// ---- halves

// A filter taken from its file. Nothing is verified: the file was just made.
struct ParsedRibbon {
  std::vector<std::uint64_t> words;
  std::vector<RibbonShard> shards;
  RibbonTable table;

  explicit ParsedRibbon(const RibbonFilter& filter) {
    std::string file;
    filter.serialize(file);
    const auto bytes = std::as_bytes(std::span(file));
    const NativeHeader header = *parse_native_header(bytes.first(kNativeHeaderBytes), bytes.size());
    const auto payload = bytes.subspan(header.payload_offset(), header.payload_bytes);
    words.resize(payload.size() / 8);
    std::memcpy(words.data(), payload.data(), payload.size());
    const std::uint64_t directory_bytes = shard_directory_bytes(header.held_shards);
    const std::span<const std::byte> directory =
        directory_bytes == 0 ? std::span<const std::byte>(header.sole_entry) : payload.first(directory_bytes);
    shards = *read_ribbon_directory(directory, directory_bytes / 8, words.size(), header.hash_count);
    table.words = words.data();
    table.word_count = words.size();
    table.shards = shards.data();
    table.shard_count = header.shards;
    table.held = header.held_shards;
    table.columns = header.hash_count;
    table.hash_mask = ~std::uint64_t{0} << (64 - header.hash_bits);
  }
};

// What a key is compared with: the columns of the block of its start and of the next, and the bits it picks.
struct BandPlace {
  const std::uint64_t* low;
  const std::uint64_t* high;
  std::uint64_t low_row;
  std::uint64_t high_row;  // 0: nothing of the next block, which may not be there
  std::uint64_t fingerprint;
  std::uint32_t columns;
};

BandPlace place_in_band(const std::uint64_t* band, std::uint32_t narrow_blocks, std::uint32_t columns,
                        const RibbonKey& key, std::uint64_t start) {
  const std::uint64_t block = start / kRibbonBlockSlots;
  const std::uint64_t offset = start % kRibbonBlockSlots;
  return {.low = band + words_before(block, narrow_blocks, columns),
          .high = band + words_before(block + 1, narrow_blocks, columns),
          .low_row = key.row() << offset,
          .high_row = offset == 0 ? 0 : key.row() >> (kRibbonBlockSlots - offset),
          .fingerprint = key.fingerprint(),
          .columns = columns + (block < narrow_blocks ? 0 : 1)};
}

// Nothing when the key goes to its shard's tail.
std::optional<BandPlace> find_in_bands(const RibbonTable& table, std::uint64_t hash) {
  const RibbonPlace at = ribbon_place(table, hash);
  const RibbonShard& shard = table.shards[at.index];
  const std::uint64_t* const codes = table.words + shard.front;
  const std::uint64_t* const band0 = table.words + shard.band0;
  if (shard.blocks0 != 0) {
    const std::uint64_t start = multiply_high(at.place, band_starts(shard.blocks0));
    if (!is_bumped(codes, 0, start)) {
      return place_in_band(band0, shard.narrow0, table.columns, RibbonKey(at.hash, shard.seed, 0), start);
    }
  }
  if (shard.blocks1 != 0) {
    const RibbonKey key(at.hash, shard.seed, 1);
    const std::uint64_t start = key.start(band_starts(shard.blocks1));
    if (!is_bumped(codes, band_buckets(shard.blocks0), start)) {
      const std::uint64_t* const band1 = band0 + words_before(shard.blocks0, shard.narrow0, table.columns);
      return place_in_band(band1, shard.narrow1, table.columns, key, start);
    }
  }
  return std::nullopt;
}

// Whether columns [first, end) match.
bool columns_match(const BandPlace& place, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t j = first; j < end; ++j) {
    std::uint64_t picked = place.low[j] & place.low_row;
    if (place.high_row != 0) {
      picked ^= place.high[j] & place.high_row;
    }
    if (((static_cast<std::uint64_t>(std::popcount(picked)) ^ (place.fingerprint >> j)) & 1) != 0) {
      return false;
    }
  }
  return true;
}

// Ends the program when the loop above and the filter differ about a key.
void compare_with_filter(const RibbonFilter& filter, const RibbonTable& table) {
  for (const std::uint64_t first : {std::uint64_t{1}, kFirstAbsent}) {
    for (std::uint64_t key = first; key < first + kKeys; ++key) {
      const std::optional<BandPlace> place = find_in_bands(table, mixed(key));
      if (place && columns_match(*place, 0, place->columns) != filter.may_contain({.low = mixed(key)})) {
        fmt::print(stderr, "ribbon_fpp: the loop and the filter differ about key {}\n", key);
        std::exit(1);  // NOLINT(concurrency-mt-unsafe): nothing else runs
      }
    }
  }
}

void measure_halves(double fpp, std::uint64_t absent) {
  const RibbonFilter filter = filter_of_keys(fpp);
  const ParsedRibbon ribbon(filter);
  compare_with_filter(filter, ribbon.table);
  const std::uint32_t columns = ribbon.table.columns;
  const std::uint32_t middle = columns / 2;
  std::uint64_t firsts = 0;
  std::uint64_t seconds = 0;
  std::uint64_t both = 0;
  std::uint64_t narrow = 0;
  std::uint64_t in_tail = 0;
  for (std::uint64_t i = 0; i < absent; ++i) {
    const std::optional<BandPlace> place = find_in_bands(ribbon.table, mixed(kFirstAbsent + i));
    if (!place) {
      ++in_tail;
      continue;
    }
    const bool first = columns_match(*place, 0, middle);
    const bool second = columns_match(*place, middle, place->columns);
    firsts += first ? 1U : 0U;
    seconds += second ? 1U : 0U;
    both += first && second ? 1U : 0U;
    narrow += place->columns == columns ? 1U : 0U;
  }
  const auto keys = static_cast<double>(absent - in_tail);
  const double first_rate = static_cast<double>(firsts) / keys;
  const double second_rate = static_cast<double>(seconds) / keys;
  const double narrow_share = static_cast<double>(narrow) / keys;
  const double first_ideal = std::exp2(-static_cast<double>(middle));
  const double second_ideal = (1 + narrow_share) * std::exp2(-static_cast<double>(columns + 1 - middle));
  const double product = first_rate * second_rate;
  fmt::print("{:.6g},{},{},{:.4e},{:.4e},{:.4e},{:.4e},{:.4e},{:.4f},{},{:.1f},{}\n", fpp, columns,
             absent - in_tail, first_rate, first_ideal, second_rate, second_ideal, product, product / fpp,
             both, fpp * keys, in_tail);
  std::fflush(stdout);
}

// ---- arguments

struct Arguments {
  std::string mode;
  double absent = 0;  // 0: as many as the mode takes by itself
  double most = 1e18;
  std::vector<double> fpps;
};

// False when they cannot be meant.
bool parse(const std::vector<std::string>& words, Arguments& arguments) {
  arguments.mode = words.empty() ? "" : words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--absent" && i + 1 < words.size()) {
      arguments.absent = std::stod(words[++i]);
    } else if (words[i] == "--most" && i + 1 < words.size()) {
      arguments.most = std::stod(words[++i]);
    } else {
      arguments.fpps.push_back(std::stod(words[i]));
    }
  }
  return arguments.mode == "rates" || arguments.mode == "halves";
}

int run(const std::vector<std::string>& words) {
  Arguments arguments;
  if (!parse(words, arguments)) {
    fmt::print(stderr,
               "usage: ribbon_fpp rates [--absent N] [--most N] [P...] | halves [--absent N] [P...]\n");
    return 2;
  }
  const auto or_default = [&](std::vector<double> fpps) {
    return arguments.fpps.empty() ? fpps : arguments.fpps;
  };
  if (arguments.mode == "rates") {
    fmt::print("p,absent,false_positives,measured,low,high,ratio\n");
    std::uint64_t row = 0;
    for (const double fpp : or_default({1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})) {
      const double absent = arguments.absent > 0 ? arguments.absent : std::ceil(250 / fpp);
      measure_rate(fpp, static_cast<std::uint64_t>(std::min(absent, arguments.most)), row++);
    }
  } else {
    fmt::print(
        "p,columns,keys,first,first_ideal,second,second_ideal,product,ratio,both,both_expected,tail\n");
    for (const double fpp : or_default({1e-7, 1e-8, 1e-9})) {
      const double absent = arguments.absent > 0 ? arguments.absent : 1e8;
      measure_halves(fpp, static_cast<std::uint64_t>(std::min(absent, arguments.most)));
    }
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run({argv + 1, argv + argc});
}
