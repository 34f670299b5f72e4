#include "bloomery/adapters/leveldb_policy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <leveldb/slice.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/endian.h"
#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"
#include "codec/leveldb/raw_filter.h"
#include "filter/blocked/blocked_kernel.h"
#include "hash/leveldb_hash.h"

namespace bloomery {
namespace {

// The filters that the blocked policy writes: each is a blocked Bloom filter (setting fast) without a header,
// for a few dozen keys.
//
//   B blocks of 64 bytes, each of eight little-endian words | u8 k
//
// B is the smallest number of blocks that has the requested bits, at least 1. Keys use aligned blocks because
// of their false positive rate at the same number of bits:
//
//   the same as with freely placed bits        0.8 % for 100 keys in 1,024 bits
//   half of that with unaligned windows        in a small table, such windows leave the words at both ends
//                                              half empty
//
// LevelDB may store a filter at any alignment, so a block is copied before the kernel reads it.
// Not here: the choice of the hash, and LevelDB's types.

constexpr std::uint64_t kBlockBytes = std::uint64_t{kWindowWords} * 8;
constexpr std::uint64_t kBlockBits = kBlockBytes * 8;

using Block = std::array<std::uint64_t, kWindowWords>;

BlockedTable table_of(std::uint64_t* words, std::uint64_t blocks, std::uint32_t hash_count) {
  return {.words = words, .windows = blocks, .stride_shift = 3, .hash_count = hash_count};
}

std::uint64_t blocks_for(std::uint64_t key_count, int bits_per_key) {
  const std::uint64_t bits = key_count * static_cast<std::uint64_t>(std::max(bits_per_key, 0));
  return std::max<std::uint64_t>((bits + kBlockBits - 1) / kBlockBits, 1);
}

// Returns half the number of bits per key, which is close to the optimum of the model in blocked_sizing.h at
// every size.
std::uint32_t hash_count_for(std::uint64_t key_count, std::uint64_t blocks) {
  const std::uint64_t half = blocks * kBlockBits / (2 * std::max<std::uint64_t>(key_count, 1));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(half, kMinBlockedHashes, kMaxBlockedHashes));
}

// Appends a filter of the keys to `out`. A `bits_per_key` below 0 counts as 0.
void append_blocked_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out) {
  const std::uint64_t blocks = blocks_for(hashes.size(), bits_per_key);
  const std::uint32_t hash_count = hash_count_for(hashes.size(), blocks);
  std::vector<std::uint64_t> words(blocks * kWindowWords);
  chosen_blocked_kernel().insert_batch(table_of(words.data(), blocks, hash_count), hashes,
                                       Sharing::kExclusive);
  out.reserve(out.size() + blocks * kBlockBytes + 1);
  for (const std::uint64_t word : words) {
    std::array<std::byte, 8> bytes;
    store_little(bytes.data(), word);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  out += static_cast<char>(hash_count);
}

// Returns true if the filter may contain the key. Filters that append_blocked_filter() cannot have written
// (their size is not 64 B + 1, or k is not in 8..16) match every key.
bool blocked_filter_may_match(std::span<const std::byte> filter, const Hash128& hash) {
  if (filter.size() <= kBlockBytes || filter.size() % kBlockBytes != 1) {
    return true;
  }
  const auto hash_count = std::to_integer<std::uint32_t>(filter.back());
  if (hash_count < kMinBlockedHashes || hash_count > kMaxBlockedHashes) {
    return true;
  }
  const Uint128 product = Uint128{hash.low} * (filter.size() / kBlockBytes);
  const std::byte* const from = filter.data() + static_cast<std::uint64_t>(product >> 64) * kBlockBytes;
  alignas(kBlockBytes) Block block;
  for (std::size_t i = 0; i < kWindowWords; ++i) {
    block[i] = load_little64(from + i * 8);
  }
  // A table of one block ignores the high half of the product; the low half selects the same bits as in the
  // full table.
  return chosen_blocked_kernel().one.may_contain(table_of(block.data(), 1, hash_count),
                                                 static_cast<std::uint64_t>(product));
}

std::string_view view_of(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}

std::span<const std::byte> bytes_of(const leveldb::Slice& slice) {
  return std::as_bytes(std::span(slice.data(), slice.size()));
}

std::span<const leveldb::Slice> keys_of(const leveldb::Slice* keys, int count) {
  return {keys, static_cast<std::size_t>(count)};
}

class BloomPolicy final : public leveldb::FilterPolicy {
 public:
  explicit BloomPolicy(int bits_per_key) : bits_per_key_(bits_per_key) {}

  const char* Name() const override { return "leveldb.BuiltinBloomFilter2"; }

  void CreateFilter(const leveldb::Slice* keys, int count, std::string* out) const override {
    std::vector<std::uint32_t> hashes;
    hashes.reserve(static_cast<std::size_t>(count));
    for (const leveldb::Slice& key : keys_of(keys, count)) {
      hashes.push_back(leveldb_hash(view_of(key), TailBytes::kUnsigned));
    }
    append_leveldb_filter(hashes, bits_per_key_, *out);
  }

  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return filter.size() < 2 ||
           leveldb_may_match(bytes_of(filter), leveldb_hash(view_of(key), TailBytes::kUnsigned));
  }

 private:
  int bits_per_key_;
};

// Every table since 0.1.0 depends on this hash for keys of every length (XXH3-128), so never change it.
constexpr HashSpec kPolicyHash = {.id = HashId::kXxh3};

class BlockedPolicy final : public leveldb::FilterPolicy {
 public:
  explicit BlockedPolicy(int bits_per_key) : bits_per_key_(bits_per_key) {}

  // Every table since 0.1.0 stores this name, with the words of that time (docs/glossary.md). Never change
  // it: LevelDB ignores the filters of existing tables if the policy has another name.
  const char* Name() const override {
    return "bloomery.Line"
           "Bloom1";
  }

  void CreateFilter(const leveldb::Slice* keys, int count, std::string* out) const override {
    std::vector<Hash128> hashes;
    hashes.reserve(static_cast<std::size_t>(count));
    for (const leveldb::Slice& key : keys_of(keys, count)) {
      hashes.push_back(hash_bytes(view_of(key), kPolicyHash));
    }
    append_blocked_filter(hashes, bits_per_key_, *out);
  }

  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return blocked_filter_may_match(bytes_of(filter), hash_bytes(view_of(key), kPolicyHash));
  }

 private:
  int bits_per_key_;
};

}  // namespace

std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_bloom_policy(int bits_per_key) {
  return std::make_unique<const BloomPolicy>(bits_per_key);
}

std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_blocked_policy(int bits_per_key) {
  return std::make_unique<const BlockedPolicy>(bits_per_key);
}

}  // namespace bloomery
