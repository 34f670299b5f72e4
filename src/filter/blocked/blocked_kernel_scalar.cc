// The definition of the blocked kernel, one word at a time.
#include <algorithm>

#include "base/atomic_word.h"
#include "filter/blocked/blocked_kernel.h"

namespace bloomery {
namespace {

using Masks = std::array<std::uint64_t, kWindowWords>;

Masks masks_of(std::uint64_t rest, std::uint32_t hash_count) {
  const auto a = static_cast<std::uint32_t>(rest >> 32);
  const auto b = static_cast<std::uint32_t>((rest * kRestMultiplier) >> 32);
  Masks masks;
  for (std::uint32_t i = 0; i < kWindowWords; ++i) {
    const std::uint32_t first = (a * kWindowSalts[i]) >> 26;
    masks[i] = std::uint64_t{1} << first;
    if (i + kMinBlockedHashes < hash_count) {
      const std::uint32_t second = first ^ std::max((b * kWindowSalts[i]) >> 26, 1U);
      masks[i] |= std::uint64_t{1} << second;
    }
  }
  return masks;
}

bool always() {
  return true;
}

bool contains(const WindowPlace& place, std::uint32_t hash_count) {
  const Masks masks = masks_of(place.rest, hash_count);
  std::uint64_t missing = 0;
  for (std::uint32_t i = 0; i < kWindowWords; ++i) {
    missing |= masks[i] & ~relaxed_load(place.window[i]);
  }
  return missing == 0;
}

bool set(const WindowPlace& place, std::uint32_t hash_count) {
  const Masks masks = masks_of(place.rest, hash_count);
  bool changed = false;
  for (std::uint32_t i = 0; i < kWindowWords; ++i) {
    changed |= relaxed_set_bits(place.window[i], masks[i]);
  }
  return changed;
}

bool may_contain(const BlockedTable& table, std::uint64_t hash) {
  return contains(place_of(table, hash), table.hash_count);
}

bool insert(const BlockedTable& table, std::uint64_t hash) {
  return set(place_of(table, hash), table.hash_count);
}

constexpr std::size_t kAhead = 32;  // how many keys ahead a batch prefetches

// Sets bit i of `answers` to the result of `Ask` for key i.
template <bool (*Ask)(const BlockedTable&, std::uint64_t), typename Hash>
void ask_batch(const BlockedTable& table, std::span<const Hash> hashes, std::uint64_t* answers) {
  const std::size_t ahead = prefetches(table) ? kAhead : hashes.size();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      prefetch_window(place_of(table, hashes[i + ahead].low));
    }
    if (i % 64 == 0) {
      answers[i / 64] = 0;
    }
    answers[i / 64] |= static_cast<std::uint64_t>(Ask(table, hashes[i].low)) << (i % 64);
  }
}

// Sets bits as in a shared table, whatever Sharing says: exclusive use permits a faster way, but does not
// require it.
template <typename Hash>
void insert_batch(const BlockedTable& table, std::span<const Hash> hashes, Sharing) {
  const std::size_t ahead = prefetches(table) ? kAhead : hashes.size();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      prefetch_window(place_of(table, hashes[i + ahead].low));
    }
    insert(table, hashes[i].low);
  }
}

}  // namespace

constexpr BlockedKernel kScalarBlockedKernel = {
    .name = "scalar",
    .available = always,
    .one = {.may_contain = may_contain, .insert = insert, .insert_alone = insert},
    .may_contain_batch = ask_batch<may_contain, Hash128>,
    .insert_batch = insert_batch<Hash128>,
    .test_and_insert_batch = ask_batch<insert, Hash128>,
    .may_contain_low = ask_batch<may_contain, Hash64>,
    .insert_low = insert_batch<Hash64>,
    .test_and_insert_low = ask_batch<insert, Hash64>};

}  // namespace bloomery
