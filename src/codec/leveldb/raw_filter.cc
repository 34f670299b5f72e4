#include "codec/leveldb/raw_filter.h"

#include <algorithm>
#include <cassert>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

// A query tests this many bits, the first ones, without a branch between them. An unpredictable branch
// costs more than the tests it saves.
constexpr std::uint32_t kFewProbes = 8;

unsigned bit_at(std::span<const std::byte> filter, std::uint64_t position) {
  return std::to_integer<unsigned>(filter[position / 8]) >> (position % 8) & 1U;
}

// Returns true if the filter has all bits of the probe.
bool all_set_in(std::span<const std::byte> filter, const LevelDbProbes& scheme, LevelDbProbes::Probe probe) {
  const std::uint32_t hash_count = scheme.hash_count();
  unsigned all = 1;
  for (std::uint32_t i = std::min(hash_count, kFewProbes); i > 0; --i) {
    all &= bit_at(filter, scheme.next(probe));
  }
  for (std::uint32_t i = kFewProbes; i < hash_count && all != 0; ++i) {
    all &= bit_at(filter, scheme.next(probe));
  }
  return all != 0;
}

}  // namespace

std::uint32_t leveldb_hash_count(std::int64_t bits_per_key) {
  const double ideal = static_cast<double>(bits_per_key) * 0.69;  // LevelDB's rounded ln 2
  return static_cast<std::uint32_t>(std::clamp(ideal, 1.0, double{kLevelDbMaxHashCount}));
}

std::uint64_t leveldb_bit_bytes(std::uint64_t key_count, std::int64_t bits_per_key) {
  constexpr std::uint64_t kLeastBits = 64;
  const std::uint64_t bits = key_count * static_cast<std::uint64_t>(std::max<std::int64_t>(bits_per_key, 0));
  return (std::max(bits, kLeastBits) + 7) / 8;
}

bool leveldb_may_match(std::span<const std::byte> filter, std::uint32_t hash) {
  assert(filter.size() >= 2);
  const auto hash_count = std::to_integer<std::uint32_t>(filter.back());
  if (leveldb_matches_all(hash_count)) {
    return true;
  }
  const LevelDbProbes scheme((filter.size() - 1) * 8, hash_count);
  return all_set_in(filter, scheme, scheme.begin(hash));
}

void append_leveldb_filter(std::span<const std::uint32_t> hashes, std::int64_t bits_per_key,
                           std::string& out) {
  const std::uint64_t bytes = leveldb_bit_bytes(hashes.size(), bits_per_key);
  const std::uint32_t hash_count = leveldb_hash_count(bits_per_key);
  const std::size_t begin = out.size();
  out.append(bytes, '\0');
  const LevelDbProbes scheme(bytes * 8, hash_count);
  for (const std::uint32_t hash : hashes) {
    LevelDbProbes::Probe probe = scheme.begin(hash);
    for (std::uint32_t i = 0; i < hash_count; ++i) {
      const std::uint64_t position = scheme.next(probe);
      char& byte = out[begin + position / 8];
      byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << (position % 8));
    }
  }
  out += static_cast<char>(hash_count);
}

LevelDbFilterCount count_leveldb_filter(std::span<const std::byte> filter) {
  LevelDbFilterCount count{.bits = (filter.size() - 1) * 8,
                           .hash_count = std::to_integer<std::uint32_t>(filter.back())};
  for (const std::byte byte : filter.first(filter.size() - 1)) {
    count.set_bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
  }
  return count;
}

double LevelDbFilterCount::keys() const {
  return leveldb_matches_all(hash_count)
             ? 0
             : estimated_key_count({.bits = bits, .hash_count = hash_count}, set_bits);
}

double leveldb_fpp(std::span<const std::byte> filter, const LevelDbFilterCount& count, std::uint64_t samples,
                   SampleNumbers& numbers) {
  if (leveldb_matches_all(count.hash_count)) {
    return 1;
  }
  const LevelDbProbes scheme(count.bits, count.hash_count);
  SteppedFpp fpp(
      {.bits = count.bits, .set_bits = count.set_bits, .hash_count = count.hash_count},
      [&](std::uint64_t position) { return bit_at(filter, position) != 0; },
      [&](std::uint64_t first, std::uint64_t second, SampleNumbers& random) {
        return all_set_in(filter, scheme, scheme.sample(first, second, random));
      });
  return fpp.estimate(samples, numbers);
}

}  // namespace bloomery
