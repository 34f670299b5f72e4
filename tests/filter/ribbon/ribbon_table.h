// Ribbon tables for tests below RibbonFilter: shards built or made up, laid out as in a payload that ends
// with the last shard's last word.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/ribbon_sizing.h"
#include "filter/ribbon/ribbon_directory.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_shard.h"

namespace bloomery {

inline constexpr std::uint64_t kRibbonSeed = 20261121;  // of the random keys of all ribbon tests

// A plan of `columns` columns, of which about `narrow_share` of all places have no more.
inline RibbonShape ribbon_shape(std::uint32_t columns, std::uint32_t shards = 1, double narrow_share = 0.4) {
  return {.columns = columns,
          .hash_bits = 64,
          .shards = shards,
          .scaled_fpp = static_cast<std::uint64_t>((1 + narrow_share) * 4294967296.0)};
}

// Distinct random hashes, ascending.
inline std::vector<std::uint64_t> random_set(std::mt19937_64& random, std::size_t count,
                                             std::uint64_t lowest = 0,
                                             std::uint64_t highest = ~std::uint64_t{0}) {
  std::uniform_int_distribution<std::uint64_t> values(lowest, highest);
  std::vector<std::uint64_t> hashes;
  while (hashes.size() < count) {
    while (hashes.size() < count) {
      hashes.push_back(values(random));
    }
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  }
  return hashes;
}

// The slices of an ascending set that belong to each shard of a plan.
inline std::vector<std::span<const std::uint64_t>> cut_into_shards(std::span<const std::uint64_t> hashes,
                                                                   std::uint32_t shards) {
  std::vector<std::span<const std::uint64_t>> slices;
  std::size_t begin = 0;
  for (std::uint32_t shard = 0; shard < shards; ++shard) {
    std::size_t end = begin;
    while (end < hashes.size() && multiply_high(hashes[end], shards) == shard) {
      ++end;
    }
    slices.push_back(hashes.subspan(begin, end - begin));
    begin = end;
  }
  return slices;
}

class RibbonTestTable {
 public:
  RibbonTestTable(const RibbonShape& shape, std::span<const RibbonShardImage> images) {
    payload_.resize(images.size() * kShardEntryBytes / 8);
    for (const RibbonShardImage& image : images) {
      payload_.insert(payload_.end(), image.words.begin(), image.words.end());
    }
    payload_.shrink_to_fit();  // so that an address sanitizer sees a read behind the last word
    auto* entry = reinterpret_cast<std::byte*>(payload_.data());
    for (const RibbonShardImage& image : images) {
      encode_ribbon_entry(image.entry, entry);
      entry += kShardEntryBytes;
    }
    const auto held = static_cast<std::uint32_t>(images.size());
    Result<std::vector<RibbonShard>> read =
        read_ribbon_directory(std::as_bytes(std::span(payload_)).first(held * kShardEntryBytes),
                              held * kShardEntryBytes / 8, payload_.size(), shape.columns);
    EXPECT_TRUE(read) << read.error().to_string();
    shards_ = std::move(*read);
    table_ = {.words = payload_.data(),
              .word_count = payload_.size(),
              .shards = shards_.data(),
              .directory = reinterpret_cast<const std::byte*>(payload_.data()),
              .shard_count = shape.shards,
              .first_held = 0,
              .held = held,
              .columns = shape.columns,
              .hash_mask = ~std::uint64_t{0} << (64 - shape.hash_bits),
              .damaged = &damaged_};
  }
  RibbonTestTable(const RibbonTestTable&) = delete;
  RibbonTestTable& operator=(const RibbonTestTable&) = delete;

  const RibbonTable& table() const { return table_; }
  std::uint64_t damaged() const { return damaged_; }

 private:
  std::vector<std::uint64_t> payload_;
  std::vector<RibbonShard> shards_;
  std::atomic<std::uint64_t> damaged_{kNoDamagedShard};
  RibbonTable table_;
};

}  // namespace bloomery
