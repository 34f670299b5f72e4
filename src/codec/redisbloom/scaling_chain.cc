#include "codec/redisbloom/scaling_chain.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "hash/murmur2_32.h"
#include "hash/murmur64a.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint64_t kSeed64 = 0xc6a4a7935bd1e995;
constexpr std::uint32_t kSeed32 = 0x9747b28c;
constexpr double kTightening = 0.5;       // the error of a link, as a multiple of that of the link before
constexpr std::uint32_t kPrefetched = 2;  // in a link with half its bits set, 3 of 4 absent keys need no more

unsigned mask_of(std::uint64_t position) {
  return 1U << (position % 8);
}

}  // namespace

Result<ScalingChain> ScalingChain::create(std::uint64_t entries, double error, std::uint32_t options,
                                          std::uint32_t growth) {
  const bool scales = (options & kNoScaling) == 0;
  BLOOMERY_ASSIGN_OR_RETURN(const ChainLink link,
                            new_link(entries, scales ? error * kTightening : error, options));
  return zeroed({.options = options, .growth = growth, .links = {link}});
}

Result<ScalingChain> ScalingChain::zeroed(ChainHeader header) {
  const std::vector<ChainLink> links = std::exchange(header.links, {});
  ScalingChain chain(std::move(header));
  for (const ChainLink& link : links) {
    BLOOMERY_RETURN_IF_ERROR(chain.append_zeroed(link));
  }
  return chain;
}

Status ScalingChain::append_zeroed(const ChainLink& link) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer bits, AlignedBuffer::zeroed(link.bytes));
  bits_.push_back(std::move(bits));
  modulos_.emplace_back(link.used_bits());
  header_.links.push_back(link);
  return {};
}

KeyHash ScalingChain::hash(std::string_view key) const {
  if ((header_.options & kForce64) != 0) {
    const std::uint64_t a = murmur64a(key, kSeed64);
    return {.a = a, .b = murmur64a(key, a)};
  }
  const std::uint32_t a = murmur2_32(key, kSeed32);
  return {.a = a, .b = murmur2_32(key, a)};
}

std::uint64_t ScalingChain::position(std::size_t link, std::uint64_t value) const {
  return modulos_[link].of(value);
}

bool ScalingChain::test(std::size_t link, const KeyHash& hash) const {
  const std::byte* const bytes = bits_[link].bytes().data();
  std::uint64_t value = hash.a;
  for (std::uint32_t left = header_.links[link].hash_count; left > 0; --left, value += hash.b) {
    const std::uint64_t at = position(link, value);
    if ((std::to_integer<unsigned>(bytes[at / 8]) & mask_of(at)) == 0) {
      return false;
    }
  }
  return true;
}

// Begins with the newest link, because it has the most keys.
bool ScalingChain::test(const KeyHash& hash) const {
  for (std::size_t link = bits_.size(); link-- > 0;) {
    if (test(link, hash)) {
      return true;
    }
  }
  return false;
}

std::uint64_t ScalingChain::test_group(std::span<const KeyHash> hashes) const {
  assert(hashes.size() <= 64);
  std::uint64_t absent = hashes.empty() ? 0 : ~std::uint64_t{0} >> (64 - hashes.size());
  const std::uint64_t all = absent;
  for (std::size_t link = bits_.size(); link-- > 0 && absent != 0;) {
    for (std::uint64_t left = absent; left != 0; left &= left - 1) {
      prefetch(link, hashes[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    for (std::uint64_t left = absent; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      absent &= ~(std::uint64_t{test(link, hashes[i])} << i);
    }
  }
  return all & ~absent;
}

void ScalingChain::prefetch(std::size_t link, const KeyHash& hash) const {
  const std::byte* const bytes = bits_[link].bytes().data();
  for (std::uint32_t i = 0; i < std::min(kPrefetched, header_.links[link].hash_count); ++i) {
    __builtin_prefetch(bytes + position(link, hash.a + i * hash.b) / 8);
  }
}

void ScalingChain::prefetch(const KeyHash& hash) const {
  for (std::size_t link = 0; link < bits_.size(); ++link) {
    prefetch(link, hash);
  }
}

Status ScalingChain::grow() {
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
  const Result<ChainLink> link = new_link(entries, last.error * kTightening, header_.options);
  if (!link) {
    return Error::capacity("redisbloom", "the filter is full and cannot grow: " + link.error().detail());
  }
  return append_zeroed(*link);
}

Result<bool> ScalingChain::add(const KeyHash& hash) {
  if (test(hash)) {
    return false;
  }
  if (header_.links.back().size >= header_.links.back().entries) {
    BLOOMERY_RETURN_IF_ERROR(grow());
  }
  const std::size_t newest = bits_.size() - 1;
  std::byte* const bytes = bits_[newest].bytes().data();
  std::uint64_t value = hash.a;
  for (std::uint32_t left = header_.links[newest].hash_count; left > 0; --left, value += hash.b) {
    const std::uint64_t at = position(newest, value);
    bytes[at / 8] |= static_cast<std::byte>(mask_of(at));
  }
  ++header_.links[newest].size;
  return true;
}

}  // namespace bloomery::redisbloom
