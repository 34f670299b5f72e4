// The algorithm of a RedisBloom filter in memory: a chain of Bloom filters. Keys are inserted into the newest
// one until it is full.
//
//   64 bits:  a = murmur64a(key, c6a4a7935bd1e995)   b = murmur64a(key, a)
//   32 bits:  a = murmur2_32(key, 9747b28c)          b = murmur2_32(key, a)     (without kForce64)
//   position i:  (a + i b mod 2^64) mod used_bits(), for i < hash_count
//   position p:  bit p mod 8 of byte p / 8, counted from the least significant
//
// Invariant: bits_[i] are the bits of link i of the header.
//
// `Bits` defines how memory stores the bits of a link: contiguously for files (dump.h), in pages for
// a server.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/modulo.h"
#include "codec/redisbloom/chain_header.h"
#include "codec/redisbloom/chain_link.h"

namespace bloomery::redisbloom {

struct KeyHash {
  std::uint64_t a;
  std::uint64_t b;
};

// Returns the hash of a key for chains with these options.
KeyHash key_hash(std::string_view key, std::uint32_t options);

// The error of a link, as a multiple of the previous link's error.
inline constexpr double kTightening = 0.5;
// In a link with half its bits set, this many bits reject 3 of 4 absent keys. The next bits are prefetched if
// these are set.
inline constexpr std::uint32_t kPrefetched = 2;
// Links with fewer bits fit in the cache.
inline constexpr std::uint64_t kFewBitsToPrefetch = std::uint64_t{1} << 19;

// `Bits` is the memory of a link:
//
//   static Result<Bits> zeroed(std::uint64_t bytes)
//   bool test(std::uint64_t position) const         void prefetch_bit(std::uint64_t position) const
//   bool set(std::uint64_t position)                returns false if memory is lacking
template <typename Bits>
class ChainOf {
 public:
  // Makes a chain of one empty link, like BF.RESERVE. The first link of a growing chain has
  // half of `error`. Errors: kInvalidArgument unless entries > 0 and 0 < error < 1;
  // kUnsupported for kEntriesAreBits; kCapacity.
  static Result<ChainOf> create(std::uint64_t entries, double error, std::uint32_t options,
                                std::uint32_t growth);
  // Makes the chain of a header, with all bits 0. Errors: kCapacity.
  static Result<ChainOf> zeroed(ChainHeader header);

  const ChainHeader& header() const { return header_; }
  const Bits& bits_of(std::size_t link) const { return bits_[link]; }
  Bits& bits_of(std::size_t link) { return bits_[link]; }

  KeyHash hash(std::string_view key) const;
  bool test(const KeyHash& hash) const;
  // Tests up to 64 hashes: bit i of the result is the answer for hashes[i]. Precondition: at most 64 hashes.
  std::uint64_t test_group(std::span<const KeyHash> hashes) const { return test_links(hashes, bits_.size()); }
  // Tests up to 64 hashes in all links but the newest. add() changes only the newest.
  std::uint64_t test_older(std::span<const KeyHash> hashes) const {
    return test_links(hashes, bits_.size() - 1);
  }
  bool test_newest(const KeyHash& hash) const { return test(bits_.size() - 1, hash); }
  // Prefetches the key's first bits in every link.
  void prefetch(const KeyHash& hash) const;
  // Prefetches all bits of the keys in the newest link, for add(). Requires `Bits` to have
  // prefetch_place_of_bit().
  void prefetch_newest(std::span<const KeyHash> hashes) const;
  // Returns false if the key may already exist. Errors: kCapacity if the chain is full and may not or cannot
  // grow; then nothing has changed.
  Result<bool> add(const KeyHash& hash);
  // Adds an absent key. Errors: kCapacity if the chain is full and may not or cannot
  // grow. Precondition: !test(hash).
  Status add_absent(const KeyHash& hash);
  // is_full() returns true if the next new key needs a new link; next_link() returns that link. Errors:
  // kCapacity if there can be none.
  bool is_full() const { return header_.links.back().size >= header_.links.back().entries; }
  Result<ChainLink> next_link() const;

 private:
  explicit ChainOf(ChainHeader header) : header_(std::move(header)) {}

  Status append_zeroed(const ChainLink& link);
  std::uint64_t position(std::size_t link, std::uint64_t value) const;
  bool test(std::size_t link, const KeyHash& hash) const;
  // Queries the first `links` links.
  std::uint64_t test_links(std::span<const KeyHash> hashes, std::size_t links) const;
  // Returns the hashes of the set `asked` whose bits from `first` to below `last` are set in a link.
  std::uint64_t test_few_bits(std::size_t link, std::span<const KeyHash> hashes, std::uint64_t asked,
                              std::uint32_t first, std::uint32_t last) const;
  // Tests the key's bits from `first` to below `last`, where `last` is at most its number of bits.
  bool test_bits(std::size_t link, const KeyHash& hash, std::uint32_t first, std::uint32_t last) const;
  void prefetch_bits(std::size_t link, const KeyHash& hash, std::uint32_t first, std::uint32_t last) const;

  ChainHeader header_;
  std::vector<Bits> bits_;
  std::vector<Modulo> modulos_;
};

template <typename Bits>
Result<ChainOf<Bits>> ChainOf<Bits>::create(std::uint64_t entries, double error, std::uint32_t options,
                                            std::uint32_t growth) {
  const bool scales = (options & kNoScaling) == 0;
  BLOOMERY_ASSIGN_OR_RETURN(const ChainLink link,
                            new_link(entries, scales ? error * kTightening : error, options));
  return zeroed({.options = options, .growth = growth, .links = {link}});
}

template <typename Bits>
Result<ChainOf<Bits>> ChainOf<Bits>::zeroed(ChainHeader header) {
  const std::vector<ChainLink> links = std::exchange(header.links, {});
  ChainOf chain(std::move(header));
  for (const ChainLink& link : links) {
    BLOOMERY_RETURN_IF_ERROR(chain.append_zeroed(link));
  }
  return chain;
}

template <typename Bits>
Status ChainOf<Bits>::append_zeroed(const ChainLink& link) {
  BLOOMERY_ASSIGN_OR_RETURN(Bits bits, Bits::zeroed(link.bytes));
  bits_.push_back(std::move(bits));
  modulos_.emplace_back(link.used_bits());
  header_.links.push_back(link);
  return {};
}

template <typename Bits>
KeyHash ChainOf<Bits>::hash(std::string_view key) const {
  return key_hash(key, header_.options);
}

template <typename Bits>
std::uint64_t ChainOf<Bits>::position(std::size_t link, std::uint64_t value) const {
  return modulos_[link].of(value);
}

template <typename Bits>
bool ChainOf<Bits>::test_bits(std::size_t link, const KeyHash& hash, std::uint32_t first,
                              std::uint32_t last) const {
  const Bits& bits = bits_[link];
  std::uint64_t value = hash.a + first * hash.b;
  for (std::uint32_t i = first; i < last; ++i, value += hash.b) {
    if (!bits.test(position(link, value))) {
      return false;
    }
  }
  return true;
}

template <typename Bits>
bool ChainOf<Bits>::test(std::size_t link, const KeyHash& hash) const {
  return test_bits(link, hash, 0, header_.links[link].hash_count);
}

// Begins with the newest link, because it contains the most keys.
template <typename Bits>
bool ChainOf<Bits>::test(const KeyHash& hash) const {
  for (std::size_t link = bits_.size(); link-- > 0;) {
    if (test(link, hash)) {
      return true;
    }
  }
  return false;
}

// Avoids branches on single bits, because they are unpredictable.
template <typename Bits>
std::uint64_t ChainOf<Bits>::test_few_bits(std::size_t link, std::span<const KeyHash> hashes,
                                           std::uint64_t asked, std::uint32_t first,
                                           std::uint32_t last) const {
  const Bits& bits = bits_[link];
  if (modulos_[link].divisor() >= kFewBitsToPrefetch) {
    for (std::uint64_t left = asked; left != 0; left &= left - 1) {
      prefetch_bits(link, hashes[static_cast<std::size_t>(std::countr_zero(left))], first, last);
    }
  }
  std::uint64_t likely = 0;
  for (std::uint64_t left = asked; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    std::uint64_t are_set = 1;
    for (std::uint32_t bit = first; bit < last; ++bit) {
      are_set &= std::uint64_t{bits.test(position(link, hashes[i].a + bit * hashes[i].b))};
    }
    likely |= are_set << i;
  }
  return likely;
}

// Queries link by link: a few bits of all keys, a few more of the remaining keys, and then all bits.
template <typename Bits>
std::uint64_t ChainOf<Bits>::test_links(std::span<const KeyHash> hashes, std::size_t links) const {
  assert(hashes.size() <= 64);
  std::uint64_t absent = hashes.empty() ? 0 : ~std::uint64_t{0} >> (64 - hashes.size());
  const std::uint64_t all = absent;
  for (std::size_t link = links; link-- > 0 && absent != 0;) {
    const std::uint32_t count = header_.links[link].hash_count;
    const std::uint32_t few = std::min(kPrefetched, count);
    const std::uint32_t more = std::min(2 * kPrefetched, count);
    std::uint64_t likely = test_few_bits(link, hashes, absent, 0, few);
    likely = test_few_bits(link, hashes, likely, few, more);
    for (std::uint64_t left = likely; left != 0; left &= left - 1) {
      prefetch_bits(link, hashes[static_cast<std::size_t>(std::countr_zero(left))], more, count);
    }
    for (std::uint64_t left = likely; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      absent &= ~(std::uint64_t{test_bits(link, hashes[i], more, count)} << i);
    }
  }
  return all & ~absent;
}

template <typename Bits>
void ChainOf<Bits>::prefetch_bits(std::size_t link, const KeyHash& hash, std::uint32_t first,
                                  std::uint32_t last) const {
  for (std::uint32_t i = first; i < last; ++i) {
    bits_[link].prefetch_bit(position(link, hash.a + i * hash.b));
  }
}

template <typename Bits>
void ChainOf<Bits>::prefetch(const KeyHash& hash) const {
  for (std::size_t link = 0; link < bits_.size(); ++link) {
    prefetch_bits(link, hash, 0, std::min(kPrefetched, header_.links[link].hash_count));
  }
}

template <typename Bits>
void ChainOf<Bits>::prefetch_newest(std::span<const KeyHash> hashes) const {
  const std::size_t newest = bits_.size() - 1;
  const std::uint32_t count = header_.links[newest].hash_count;
  for (const KeyHash& hash : hashes) {
    for (std::uint32_t i = 0; i < count; ++i) {
      bits_[newest].prefetch_place_of_bit(position(newest, hash.a + i * hash.b));
    }
  }
  for (const KeyHash& hash : hashes) {
    prefetch_bits(newest, hash, 0, count);
  }
}

template <typename Bits>
Result<ChainLink> ChainOf<Bits>::next_link() const {
  const ChainLink& last = header_.links.back();
  if ((header_.options & kNoScaling) != 0) {
    return Error::capacity("redisbloom", "the filter has its " + std::to_string(last.entries) +
                                             " keys and does not grow (nonscaling)");
  }
  std::uint64_t entries = 0;
  if (header_.growth > kMaxExpansion || __builtin_mul_overflow(last.entries, header_.growth, &entries)) {
    return Error::capacity("redisbloom",
                           "expansion: expected at most 32768, found " + std::to_string(header_.growth));
  }
  Result<ChainLink> link = new_link(entries, last.error * kTightening, header_.options);
  if (!link) {
    return Error::capacity("redisbloom", "the filter is full and cannot grow: " + link.error().detail());
  }
  return link;
}

template <typename Bits>
Result<bool> ChainOf<Bits>::add(const KeyHash& hash) {
  if (test(hash)) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(add_absent(hash));
  return true;
}

template <typename Bits>
Status ChainOf<Bits>::add_absent(const KeyHash& hash) {
  if (is_full()) {
    BLOOMERY_ASSIGN_OR_RETURN(const ChainLink link, next_link());
    BLOOMERY_RETURN_IF_ERROR(append_zeroed(link));
  }
  const std::size_t newest = bits_.size() - 1;
  Bits& bits = bits_[newest];
  std::uint64_t value = hash.a;
  for (std::uint32_t left = header_.links[newest].hash_count; left > 0; --left, value += hash.b) {
    if (!bits.set(position(newest, value))) {
      return Error::capacity("redisbloom", "memory is lacking");
    }
  }
  ++header_.links[newest].size;
  return {};
}

}  // namespace bloomery::redisbloom
