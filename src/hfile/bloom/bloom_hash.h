// The hash functions of HBase's Bloom filters, by their numbers in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/hfile/hfile_choices.h"
#include "hash/jenkins_lookup3.h"
#include "hash/murmur2.h"
#include "hash/murmur3_x86_32.h"

namespace bloomery::hbase {

using hfile::bloom_hash_name;
using hfile::BloomHash;

inline std::optional<BloomHash> bloom_hash_of(std::int64_t number) {
  return number >= 0 && number <= 2 ? std::optional(static_cast<BloomHash>(number)) : std::nullopt;
}

inline std::uint32_t hashed(BloomHash hash, std::string_view key, std::uint32_t seed) {
  switch (hash) {
    case BloomHash::kJenkins:
      return jenkins_lookup3(key, seed);
    case BloomHash::kMurmur:
      return murmur2_32_signed_tail(key, seed);
    case BloomHash::kMurmur3:
      return murmur3_x86_32(key, seed);
  }
  return 0;
}

// The two hashes of a key, from which all its positions are derived. The first hash is the seed of the
// second.
struct HashPair {
  std::uint32_t first;
  std::uint32_t second;
};

inline HashPair hash_pair(BloomHash hash, std::string_view key) {
  const std::uint32_t first = hashed(hash, key, 0);
  return {first, hashed(hash, key, first)};
}

}  // namespace bloomery::hbase
