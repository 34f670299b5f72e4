// A RedisBloom filter in memory: a chain of Bloom filters. The newest one takes keys until it is full.
//
//   64 bits:  a = murmur64a(key, c6a4a7935bd1e995)   b = murmur64a(key, a)
//   32 bits:  a = murmur2_32(key, 9747b28c)          b = murmur2_32(key, a)     (without kForce64)
//   position i:  (a + i b mod 2^64) mod used_bits(), for i < hash_count
//   position p:  bit p mod 8 of byte p / 8, counted from the least significant
//
// Invariant: the bytes of link i of the header are bits_[i].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "bloomery/base/result.h"
#include "codec/modulo.h"
#include "codec/redisbloom/chain_header.h"
#include "codec/redisbloom/chain_link.h"

namespace bloomery::redisbloom {

struct KeyHash {
  std::uint64_t a;
  std::uint64_t b;
};

class ScalingChain {
 public:
  // Makes a chain of one empty link, as BF.RESERVE does. A chain that grows begins with half of `error`.
  // Errors: those of new_link(); kCapacity.
  static Result<ScalingChain> create(std::uint64_t entries, double error, std::uint32_t options,
                                     std::uint32_t growth);
  // Makes the chain of a header, with all bits 0. Errors: kCapacity.
  static Result<ScalingChain> zeroed(ChainHeader header);

  const ChainHeader& header() const { return header_; }
  std::span<const std::byte> bytes_of(std::size_t link) const { return bits_[link].bytes(); }
  std::span<std::byte> bytes_of(std::size_t link) { return bits_[link].bytes(); }

  KeyHash hash(std::string_view key) const;
  bool test(const KeyHash& hash) const;
  // Returns the answers as bits: bit i is that of hashes[i]. Precondition: at most 64 hashes.
  std::uint64_t test_group(std::span<const KeyHash> hashes) const;
  // Prefetches the first bits of the key in every link.
  void prefetch(const KeyHash& hash) const;
  // Returns false for a key that may be in already. Errors: kCapacity if the chain is full and may not or
  // cannot grow; then nothing has changed.
  Result<bool> add(const KeyHash& hash);

 private:
  explicit ScalingChain(ChainHeader header) : header_(std::move(header)) {}

  Status append_zeroed(const ChainLink& link);
  Status grow();
  std::uint64_t position(std::size_t link, std::uint64_t value) const;
  bool test(std::size_t link, const KeyHash& hash) const;
  void prefetch(std::size_t link, const KeyHash& hash) const;

  ChainHeader header_;
  std::vector<AlignedBuffer> bits_;
  std::vector<Modulo> modulos_;
};

}  // namespace bloomery::redisbloom
