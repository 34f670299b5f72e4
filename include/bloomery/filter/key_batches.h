// Batches of string keys for any filter: hashed in pieces that stay in the first-level cache, each piece
// asked for or inserted while its hashes are hot.
//
// As the filters' own batches do, these hide the latency of one key's lines behind the others'. Precondition:
// the filter's hash is not kReadyDigest. Answers as in BloomFilter::may_contain_batch().
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// Keys of a piece; a multiple of 64, so that pieces fill whole words of answers.
inline constexpr std::size_t kKeysPerPiece = 512;

// Calls use(first, hashes) for every piece of `keys`.
template <typename Use>
void for_each_hashed_piece(std::span<const std::string_view> keys, const HashSpec& spec, Use use) {
  std::array<Hash128, kKeysPerPiece> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kKeysPerPiece) {
    const auto piece = keys.subspan(first, std::min(kKeysPerPiece, keys.size() - first));
    hash_batch(piece, spec, hashes);
    use(first, std::span<const Hash128>(hashes).first(piece.size()));
  }
}

template <typename Filter>
void insert_keys(Filter& filter, std::span<const std::string_view> keys) {
  for_each_hashed_piece(keys, filter.hash_spec(),
                        [&](std::size_t, auto hashes) { filter.insert_batch(hashes); });
}

template <typename Filter>
void may_contain_keys(const Filter& filter, std::span<const std::string_view> keys,
                      std::span<std::uint64_t> answers) {
  for_each_hashed_piece(keys, filter.hash_spec(), [&](std::size_t first, auto hashes) {
    filter.may_contain_batch(hashes, answers.subspan(first / 64));
  });
}

template <typename Filter>
void test_and_insert_keys(Filter& filter, std::span<const std::string_view> keys,
                          std::span<std::uint64_t> answers) {
  for_each_hashed_piece(keys, filter.hash_spec(), [&](std::size_t first, auto hashes) {
    filter.test_and_insert_batch(hashes, answers.subspan(first / 64));
  });
}

}  // namespace bloomery
