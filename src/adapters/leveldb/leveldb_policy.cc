#include "bloomery/adapters/leveldb_policy.h"

#include <cstddef>
#include <cstdint>
#include <leveldb/slice.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/leveldb/blocked_filter.h"
#include "codec/leveldb/raw_filter.h"
#include "hash/leveldb_hash.h"

namespace bloomery {
namespace {

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
