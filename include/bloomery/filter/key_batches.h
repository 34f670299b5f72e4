// Batches of string keys for any filter: hashed in pieces that stay in the first-level cache, each piece
// asked for or inserted while its hashes are hot.
//
// As the filters' own batches do, these hide the latency of one key's cache lines behind the others'.
// Precondition: the filter's hash is not kReadyDigest. Answers as in BloomFilter::may_contain_batch().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// Keys of a piece; a multiple of 64, so that pieces fill whole words of answers.
inline constexpr std::size_t kKeysPerPiece = 512;

// Calls use(first, hashes) for every piece of `keys`. The spec is a copy: an exact set that outgrows its threshold in
// the middle takes its own with it.
template <typename Use>
void for_each_hashed_piece(std::span<const std::string_view> keys, HashSpec spec, Use use) {
  std::array<Hash128, kKeysPerPiece> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kKeysPerPiece) {
    const auto piece = keys.subspan(first, std::min(kKeysPerPiece, keys.size() - first));
    hash_batch(piece, spec, hashes);
    use(first, std::span<const Hash128>(hashes).first(piece.size()));
  }
}

// Returns how many keys the filter refused: they are not in.
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

// Returns 0: a filter of this type never refuses.
template <typename Filter>
requires(!Filter::kMayRefuse) std::uint64_t
    insert_keys(Filter& filter, std::span<const std::string_view> keys) {
  for_each_hashed_piece(keys, filter.hash_spec(),
                        [&](std::size_t, auto hashes) { filter.insert_batch(hashes); });
  return 0;
}

// Returns how many keys the filter refused, as insert_keys() does; they are answered "new".
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

// Returns 0: a filter of this type never refuses.
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
