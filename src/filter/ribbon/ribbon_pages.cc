#include "filter/ribbon/ribbon_pages.h"

#include <algorithm>
#include <array>
#include <vector>

#include <sys/mman.h>

#include "base/pages.h"

namespace bloomery {
namespace {

// The number of keys in flight: enough for the queue of any disk.
constexpr std::size_t kAtOnce = 1024;

// The fields of a shard's band that a lookup needs.
struct StoredBand {
  std::uint32_t blocks;
  std::uint32_t narrow;
  std::uint64_t first_bucket;  // of its codes among those of the shard
  const std::uint64_t* words;
};

StoredBand band_of(const RibbonTable& table, const RibbonShard& shard, std::uint32_t layer) {
  const std::uint64_t* const band0 = table.words + shard.band0;
  if (layer == 0) {
    return {shard.blocks0, shard.narrow0, 0, band0};
  }
  return {shard.blocks1, shard.narrow1, band_buckets(shard.blocks0),
          band0 + words_before(shard.blocks0, shard.narrow0, table.columns)};
}

// Calls madvise() for the pages that hold these words.
void advise(const std::uint64_t* begin, const std::uint64_t* end, int advice) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / kSmallPageBytes * kSmallPageBytes;
  const auto last = rounded_up(reinterpret_cast<std::uintptr_t>(end), kSmallPageBytes);
  if (first < last) {
    ::madvise(reinterpret_cast<void*>(first), last - first, advice);  // only advice: no answer depends on it
  }
}

void ask(const std::uint64_t* begin, const std::uint64_t* end) {
  advise(begin, end, MADV_WILLNEED);
}

// A key whose pages are requested.
struct SoughtKey {
  RibbonPlace at;
  const RibbonShard* shard;

  std::uint64_t start_in(const StoredBand& band, std::uint32_t layer) const {
    const std::uint64_t starts = band_starts(band.blocks);
    return layer == 0 ? multiply_high(at.place, starts)
                      : RibbonKey(at.hash, shard->seed, layer).start(starts);
  }
};

void ask_for_band(const RibbonTable& table, const SoughtKey& key, std::uint32_t layer) {
  const StoredBand band = band_of(table, *key.shard, layer);
  if (band.blocks == 0) {
    return;
  }
  const std::uint64_t start = key.start_in(band, layer);
  const std::uint64_t* const codes = table.words + key.shard->front;
  const std::uint64_t bucket = band.first_bucket + start / kBucketStarts;
  ask(codes + bucket / 32, codes + bucket / 32 + 1);
  const std::uint64_t block = start / kRibbonBlockSlots;
  const std::uint64_t last = std::min<std::uint64_t>(block + 2, band.blocks);
  ask(band.words + words_before(block, band.narrow, table.columns),
      band.words + words_before(last, band.narrow, table.columns));
}

// Returns true if the key is bumped from the band. Reads the key's code, whose page was requested before.
bool is_bumped_from(const RibbonTable& table, const SoughtKey& key, std::uint32_t layer) {
  const StoredBand band = band_of(table, *key.shard, layer);
  return band.blocks == 0 ||
         is_bumped(table.words + key.shard->front, band.first_bucket, key.start_in(band, layer));
}

void ask_for_tail(const RibbonTable& table, const SoughtKey& key) {
  const RibbonShard& shard = *key.shard;
  ask(table.words + shard.front + code_bits(shard.blocks0, shard.blocks1) / 64, table.words + shard.band0);
}

void ask_for_shard(const RibbonTable& table, const RibbonShard& shard) {
  const StoredBand band1 = band_of(table, shard, 1);
  ask(table.words + shard.front, band1.words + words_before(band1.blocks, band1.narrow, table.columns));
}

// Requests the first pages of the keys. Returns the keys of verified shards, which may need more pages.
std::vector<SoughtKey> first_round(const RibbonTable& table, std::span<const Hash128> hashes) {
  std::vector<SoughtKey> keys;
  keys.reserve(hashes.size());
  for (const Hash128& hash : hashes) {
    const RibbonPlace at = ribbon_place(table, hash.low);
    if (at.index >= table.held) {
      continue;
    }
    RibbonShard& shard = table.shards[at.index];
    const auto state = std::atomic_ref<std::uint8_t>(shard.state).load(std::memory_order_relaxed);
    if (state == static_cast<std::uint8_t>(ShardState::kUnverified)) {
      ask_for_shard(table, shard);
    } else if (state == static_cast<std::uint8_t>(ShardState::kSound)) {
      keys.push_back({at, &shard});
      ask_for_band(table, keys.back(), 0);
    }
  }
  return keys;
}

}  // namespace

void expect_scattered_pages(const RibbonTable& table) {
  advise(table.words, table.words + table.word_count, MADV_RANDOM);
}

void ask_for_pages(const RibbonTable& table, std::span<const Hash128> hashes) {
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), kAtOnce))) {
    std::vector<SoughtKey> keys = first_round(table, hashes.first(std::min(hashes.size(), kAtOnce)));
    std::erase_if(keys, [&](const SoughtKey& key) { return !is_bumped_from(table, key, 0); });
    std::ranges::for_each(keys, [&](const SoughtKey& key) { ask_for_band(table, key, 1); });
    std::erase_if(keys, [&](const SoughtKey& key) { return !is_bumped_from(table, key, 1); });
    std::ranges::for_each(keys, [&](const SoughtKey& key) { ask_for_tail(table, key); });
  }
}

}  // namespace bloomery
