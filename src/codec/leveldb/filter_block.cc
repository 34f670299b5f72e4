#include "codec/leveldb/filter_block.h"

#include <algorithm>
#include <string>

#include "base/endian.h"
#include "bloomery/filter/sizing.h"
#include "codec/leveldb/raw_filter.h"

namespace bloomery {
namespace {

constexpr const char* kFilterBlockSubject = "leveldb filter block";
constexpr std::size_t kFilterBlockTailBytes = 5;
constexpr unsigned kMaxLg = 63;

}  // namespace

Result<LevelDbFilterBlock> LevelDbFilterBlock::parse(std::span<const std::byte> contents,
                                                     std::uint64_t offset) {
  if (contents.size() < kFilterBlockTailBytes) {
    return Error::corruption(kFilterBlockSubject, offset, "5 bytes or more", contents.size());
  }
  const auto lg = std::to_integer<unsigned>(contents.back());
  const std::size_t array_end = contents.size() - kFilterBlockTailBytes;
  const std::uint32_t array_begin = load_little32(contents.data() + array_end);
  if (lg > kMaxLg || array_begin > array_end || (array_end - array_begin) % 4 != 0) {
    return Error::corruption(
        kFilterBlockSubject, offset + array_end,
        "an array that begins at most at " + std::to_string(array_end) + " and lg up to 63",
        std::to_string(array_begin) + " and " + std::to_string(lg));
  }
  const LevelDbFilterBlock block(contents.first(array_begin),
                                 contents.subspan(array_begin, array_end - array_begin), lg);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i <= block.filter_count(); ++i) {
    const std::uint64_t begin = block.begin_of(i);
    const bool first = i == 0;
    if (begin < end || begin > array_begin || (first && begin != 0) || (!first && begin - end == 1)) {
      return Error::corruption(kFilterBlockSubject, offset + array_begin + 4 * i,
                               "the begin of a filter behind " + std::to_string(end) +
                                   " and before the array at " + std::to_string(array_begin),
                               begin);
    }
    end = begin;
  }
  return block;
}

std::uint64_t LevelDbFilterBlock::begin_of(std::uint64_t i) const {
  return i < filter_count() ? load_little32(array_.data() + 4 * i) : filters_.size();
}

std::span<const std::byte> LevelDbFilterBlock::filter(std::uint64_t i) const {
  const std::uint64_t begin = begin_of(i);
  return filters_.subspan(begin, begin_of(i + 1) - begin);
}

bool LevelDbFilterBlock::may_match_at(std::uint64_t block_offset, std::uint32_t hash) const {
  const std::uint64_t i = block_offset >> lg_;
  if (i >= filter_count()) {
    return true;
  }
  const std::span<const std::byte> bytes = filter(i);
  return bytes.empty() || leveldb_may_match(bytes, hash);
}

bool LevelDbFilterBlock::may_match(std::uint32_t hash) const {
  for (std::uint64_t i = 0; i < filter_count(); ++i) {
    const std::span<const std::byte> bytes = filter(i);
    if (!bytes.empty() && leveldb_may_match(bytes, hash)) {
      return true;
    }
  }
  return false;
}

DialectFacts LevelDbFilterBlock::facts() const {
  DialectFacts facts;
  std::uint64_t empty = 0;
  for (std::uint64_t i = 0; i < filter_count(); ++i) {
    const std::span<const std::byte> bytes = filter(i);
    if (bytes.empty()) {
      ++empty;
      continue;
    }
    const LevelDbFilterCount count = count_leveldb_filter(bytes);
    facts.bits += count.bits;
    facts.set_bits += count.set_bits;
    facts.hash_count = facts.hash_count == 0 ? count.hash_count : facts.hash_count;
  }
  facts.more = {{"filters", std::to_string(filter_count() - empty)},
                {"offsets a filter", "2^" + std::to_string(lg_)}};
  if (empty > 0) {
    facts.more.emplace_back("ranges without a block", std::to_string(empty));
  }
  return facts;
}

// Calls see() with each filter's fpp and keys, and divides the samples among the filters. A database may have
// thousands of such blocks, and the errors of many filters average out in their sum.
template <typename See>
void LevelDbFilterBlock::each_fpp(See see) const {
  constexpr std::uint64_t kLeastSamples = 16;
  constexpr std::uint64_t kSamplesOfAll = kMostSamples / 8;
  const std::uint64_t samples =
      filter_count() <= 1 ? kMostSamples : std::max(kLeastSamples, kSamplesOfAll / filter_count());
  SampleNumbers numbers;
  for (std::uint64_t i = 0; i < filter_count(); ++i) {
    const std::span<const std::byte> bytes = filter(i);
    if (!bytes.empty()) {
      const LevelDbFilterCount count = count_leveldb_filter(bytes);
      see(leveldb_fpp(bytes, count, samples, numbers), count.keys());
    }
  }
}

double LevelDbFilterBlock::mean_fpp() const {
  double sum = 0;
  double all_keys = 0;
  each_fpp([&](double fpp, double keys) {
    const double weight = std::max(keys, 1.0);  // a filter that matches every key has no known number of keys
    sum += fpp * weight;
    all_keys += weight;
  });
  return all_keys == 0 ? 0 : sum / all_keys;
}

// The filters' false positives are not independent: a hash whose probes repeat few bits does so in all
// filters of one size. So hashes are sampled, unless fewer than `kEnough` match.
double LevelDbFilterBlock::any_fpp() const {
  constexpr std::uint64_t kMostTests = std::uint64_t{1} << 22;
  constexpr std::uint64_t kEnough = 16;  // hits
  const std::uint64_t samples =
      std::clamp<std::uint64_t>(kMostTests / std::max<std::uint64_t>(1, filter_count()), 1024, 1 << 16);
  SampleNumbers numbers;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    hits += std::uint64_t{may_match(static_cast<std::uint32_t>(numbers.next() >> 32))};
  }
  if (hits >= kEnough) {
    return static_cast<double>(hits) / static_cast<double>(samples);
  }
  double none = 1;
  each_fpp([&](double fpp, double) { none *= 1 - fpp; });
  return 1 - none;
}

Result<double> LevelDbFilterBlock::estimated_count() const {
  double keys = 0;
  for (std::uint64_t i = 0; i < filter_count(); ++i) {
    const std::span<const std::byte> bytes = filter(i);
    if (bytes.empty()) {
      continue;
    }
    const LevelDbFilterCount count = count_leveldb_filter(bytes);
    if (count.set_bits == count.bits || leveldb_matches_all(count.hash_count)) {
      return Error::capacity(
          kFilterBlockSubject,
          "filter " + std::to_string(i) + " matches every key: the number of keys cannot be told");
    }
    keys += estimated_key_count({.bits = count.bits, .hash_count = count.hash_count}, count.set_bits);
  }
  return keys;
}

}  // namespace bloomery
