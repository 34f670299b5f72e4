// A table of one shard for tests below FuseFilter.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "filter/fuse/fuse_directory.h"
#include "filter/fuse/fuse_kernel.h"
#include "filter/fuse/fuse_shard.h"

namespace bloomery {

inline constexpr std::uint64_t kFuseSeed = 20261126;  // of the random keys of all fuse tests

inline FuseShape fuse_shape(std::uint32_t bits, BlockedSetting setting) {
  return {.bits = bits, .hash_bits = 64, .shards = 1, .setting = setting};
}

// Distinct random hashes, ascending.
inline std::vector<std::uint64_t> fuse_set(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint64_t> hashes;
  while (hashes.size() < count) {
    while (hashes.size() < count) {
      hashes.push_back(random());
    }
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  }
  return hashes;
}

class FuseTestTable {
 public:
  FuseTestTable(const FuseShape& shape, const FuseShardImage& image) {
    payload_.resize(kShardEntryBytes / 8);
    payload_.insert(payload_.end(), image.words.begin(), image.words.end());
    payload_.shrink_to_fit();  // so that an address sanitizer sees a read behind the last word
    encode_fuse_entry(image.entry, reinterpret_cast<std::byte*>(payload_.data()));
    Result<std::vector<FuseShard>> read = read_fuse_directory(
        std::as_bytes(std::span(payload_)).first(kShardEntryBytes), 2, payload_.size(), shape);
    EXPECT_TRUE(read) << read.error().to_string();
    shards_ = std::move(*read);
    table_ = {.words = payload_.data(),
              .word_count = payload_.size(),
              .shards = shards_.data(),
              .directory = reinterpret_cast<const std::byte*>(payload_.data()),
              .shard_count = 1,
              .first_held = 0,
              .held = 1,
              .bits = shape.bits,
              .arity = shape.arity(),
              .hash_mask = ~std::uint64_t{0},
              .damaged = &damaged_};
  }
  FuseTestTable(const FuseTestTable&) = delete;
  FuseTestTable& operator=(const FuseTestTable&) = delete;

  const FuseTable& table() const { return table_; }
  std::uint64_t damaged() const { return damaged_; }

 private:
  std::vector<std::uint64_t> payload_;
  std::vector<FuseShard> shards_;
  std::atomic<std::uint64_t> damaged_{kNoDamagedShard};
  FuseTable table_;
};

}  // namespace bloomery
