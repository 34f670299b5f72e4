// Batches of string keys for any filter. Each block of keys is hashed, and then queried or inserted, while
// its hashes are in the first-level cache.
//
// Example:
//    auto filter = BlockedBloomFilter::for_capacity(1000, 0.01);
//    insert_keys(*filter, keys);
//    std::vector<std::uint64_t> answers(answer_words(keys.size()));
//    may_contain_keys(*filter, keys, answers);   // bit i mod 64 of answers[i / 64] is the answer for key i
//
// Like the filters' own batches, these overlap the latency of one key's cache lines with that of the
// others. Answers have the layout of BloomFilter::may_contain_batch(). Precondition: the filter's hash is
// not kReadyDigest.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// The number of keys in a block. It is a multiple of 64, so that blocks fill entire words of answers.
inline constexpr std::size_t kKeysPerPiece = 512;

// Calls use(first, hashes) for every block of `keys`. The spec is a copy, because an exact set that
// outgrows its threshold meanwhile destroys its own.
template <typename Use>
void for_each_hashed_piece(std::span<const std::string_view> keys, HashSpec spec, Use use) {
  std::array<Hash128, kKeysPerPiece> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kKeysPerPiece) {
    const auto piece = keys.subspan(first, std::min(kKeysPerPiece, keys.size() - first));
    hash_batch(piece, spec, hashes);
    use(first, std::span<const Hash128>(hashes).first(piece.size()));
  }
}

// Inserts keys. Returns the number of keys that the filter refused; these are not in.
template <typename Filter>
requires(Filter::kMayRefuse) [[nodiscard]] std::uint64_t
    insert_keys(Filter& filter, std::span<const std::string_view> keys) {
  std::uint64_t refused = 0;
  for_each_hashed_piece(keys, filter.hash_spec(),
                        [&](std::size_t, auto hashes) { refused += filter.insert_batch(hashes); });
  return refused;
}

template <typename Filter>
void may_contain_keys(const Filter& filter, std::span<const std::string_view> keys,
                      std::span<std::uint64_t> answers) {
  for_each_hashed_piece(keys, filter.hash_spec(), [&](std::size_t first, auto hashes) {
    filter.may_contain_batch(hashes, answers.subspan(first / 64));
  });
}

// Inserts keys. Returns 0, since a filter of this type never refuses.
template <typename Filter>
requires(!Filter::kMayRefuse) std::uint64_t
    insert_keys(Filter& filter, std::span<const std::string_view> keys) {
  for_each_hashed_piece(keys, filter.hash_spec(),
                        [&](std::size_t, auto hashes) { filter.insert_batch(hashes); });
  return 0;
}

// Inserts keys and answers which were new. Returns the number of refused keys; these are answered "new".
template <typename Filter>
requires(Filter::kMayRefuse) [[nodiscard]] std::uint64_t
    test_and_insert_keys(Filter& filter, std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) {
  std::uint64_t refused = 0;
  for_each_hashed_piece(keys, filter.hash_spec(), [&](std::size_t first, auto hashes) {
    refused += filter.test_and_insert_batch(hashes, answers.subspan(first / 64));
  });
  return refused;
}

// Inserts keys and answers which were new. Returns 0, since a filter of this type never refuses.
template <typename Filter>
requires(!Filter::kMayRefuse) std::uint64_t
    test_and_insert_keys(Filter& filter, std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) {
  for_each_hashed_piece(keys, filter.hash_spec(), [&](std::size_t first, auto hashes) {
    filter.test_and_insert_batch(hashes, answers.subspan(first / 64));
  });
  return 0;
}

}  // namespace bloomery
