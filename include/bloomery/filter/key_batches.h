// Batches of string or integer keys for any filter. Each block of keys is hashed, and then queried or
// inserted, while its hashes are in the first-level cache.
//
// Example:
//    auto filter = BlockedBloomFilter::for_capacity(1000, 0.01);
//    insert_keys(*filter, keys);
//    std::vector<std::uint64_t> answers(answer_words(keys.size()));
//    may_contain_keys(*filter, keys, answers);   // bit i mod 64 of answers[i / 64] is the answer for key i
//
// `keys` is a contiguous range of std::string_view, or of integers of one type, which are hashed with the
// width of that type (filter.of<K>() has the rule). Like the filters' own batches, these overlap the latency
// of one key's cache lines with that of the others. Answers have the layout of
// BloomFilter::may_contain_batch(). Precondition: the filter's hash is not kReadyDigest.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>

#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"
#include "bloomery/hash/short_key_mix.h"

namespace bloomery {

// The number of keys in a block. It is a multiple of 64, so that blocks fill entire words of answers. A block
// of whole hashes is smaller, since it is cleared before it is filled.
template <typename Hash>
inline constexpr std::size_t kKeysPerPiece = sizeof(Hash) == sizeof(Hash64) ? 2048 : 512;

template <typename Keys>
concept KeyRange = std::ranges::contiguous_range<const Keys> && std::ranges::sized_range<const Keys> &&
    (std::same_as<std::ranges::range_value_t<Keys>, std::string_view> ||
     IntegerKey<std::ranges::range_value_t<Keys>>);

// A filter whose batches may read the low words of hashes alone.
template <typename Filter>
concept ReadsLowWords = requires(const Filter& filter, std::span<const Hash64> hashes) {
  filter.may_contain_batch(hashes, std::span<std::uint64_t>());
};

// Calls use(first, hashes) for every block of `keys`, with hashes that the batches of `filter` read. The spec
// is a copy, because an exact set that outgrows its threshold meanwhile destroys its own.
template <typename Filter, KeyRange Keys, typename Use>
void for_each_hashed_piece(const Filter& filter, const Keys& keys, Use use) {
  using Key = std::ranges::range_value_t<Keys>;
  const std::span<const Key> all(keys);
  const HashSpec spec = filter.hash_spec();
  const auto each_piece = [&]<typename Hash, std::size_t kSize>(std::array<Hash, kSize>& hashes, auto make) {
    for (std::size_t first = 0; first < all.size(); first += kSize) {
      const auto piece = all.subspan(first, std::min(kSize, all.size() - first));
      make(piece, hashes);
      use(first, std::span<const Hash>(hashes).first(piece.size()));
    }
  };
  if constexpr (IntegerKey<Key> && ReadsLowWords<Filter>) {
    if (filter.reads_low_words()) {
      std::array<Hash64, kKeysPerPiece<Hash64>> hashes;
      each_piece(hashes, [&](auto piece, std::span<Hash64> into) { filter.hash_low(piece, into); });
      return;
    }
  }
  std::array<Hash128, kKeysPerPiece<Hash128>> hashes;
  each_piece(hashes, [&](auto piece, std::span<Hash128> into) {
    if constexpr (std::same_as<Key, std::string_view>) {
      hash_batch(piece, spec, into);
    } else if (spec.id == HashId::kMix8Xxh3) {
      std::ranges::transform(piece, into.begin(), [base = short_key_mix::base(spec.seed)](Key key) {
        const std::uint64_t value = little_endian_value(key);
        return Hash128{.low = short_key_mix::low_word(value, sizeof(Key), base),
                       .high = short_key_mix::high_word(value, sizeof(Key), base)};
      });
    } else {
      std::ranges::transform(piece, into.begin(), [&spec](Key key) { return hash_key(key, spec); });
    }
  });
}

// Inserts keys. Returns the number of keys that the filter refused; these are not in.
template <typename Filter, KeyRange Keys>
requires(Filter::kMayRefuse) [[nodiscard]] std::uint64_t insert_keys(Filter& filter, const Keys& keys) {
  std::uint64_t refused = 0;
  for_each_hashed_piece(filter, keys,
                        [&](std::size_t, auto hashes) { refused += filter.insert_batch(hashes); });
  return refused;
}

template <typename Filter, KeyRange Keys>
void may_contain_keys(const Filter& filter, const Keys& keys, std::span<std::uint64_t> answers) {
  for_each_hashed_piece(filter, keys, [&](std::size_t first, auto hashes) {
    filter.may_contain_batch(hashes, answers.subspan(first / 64));
  });
}

// Inserts keys. Returns 0, since a filter of this type never refuses.
template <typename Filter, KeyRange Keys>
requires(!Filter::kMayRefuse) std::uint64_t insert_keys(Filter& filter, const Keys& keys) {
  for_each_hashed_piece(filter, keys, [&](std::size_t, auto hashes) { filter.insert_batch(hashes); });
  return 0;
}

// Inserts keys and answers which were new. Returns the number of refused keys; these are answered "new".
template <typename Filter, KeyRange Keys>
requires(Filter::kMayRefuse) [[nodiscard]] std::uint64_t
    test_and_insert_keys(Filter& filter, const Keys& keys, std::span<std::uint64_t> answers) {
  std::uint64_t refused = 0;
  for_each_hashed_piece(filter, keys, [&](std::size_t first, auto hashes) {
    refused += filter.test_and_insert_batch(hashes, answers.subspan(first / 64));
  });
  return refused;
}

// Inserts keys and answers which were new. Returns 0, since a filter of this type never refuses.
template <typename Filter, KeyRange Keys>
requires(!Filter::kMayRefuse) std::uint64_t
    test_and_insert_keys(Filter& filter, const Keys& keys, std::span<std::uint64_t> answers) {
  for_each_hashed_piece(filter, keys, [&](std::size_t first, auto hashes) {
    filter.test_and_insert_batch(hashes, answers.subspan(first / 64));
  });
  return 0;
}

}  // namespace bloomery
