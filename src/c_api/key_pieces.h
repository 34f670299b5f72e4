// The keys of a caller's batch (bloomery_keys): checked, and split into groups of hashes or views.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/key_batches.h"
#include "bloomery/hash/hash128.h"
#include "c_api/call.h"
#include "c_api/key_views.h"

namespace bloomery::c_api {

// Reads the struct and makes all possible checks: offsets ascend if there are no lengths, and nothing
// overflows. Errors: kInvalidArgument, kUnsupported.
Result<bloomery_keys> checked_keys(const bloomery_keys* keys);

// Calls use(first, views) for groups of up to 512 keys. `first` is the index of a group's first
// key.
template <typename Use>
void for_each_piece(const bloomery_keys& keys, const Use& use) {
  std::array<std::string_view, kKeysPerPiece<Hash128>> views;
  for (std::size_t first = 0; first < keys.count; first += kKeysPerPiece<Hash128>) {
    const auto piece = std::span(views).first(std::min(kKeysPerPiece<Hash128>, keys.count - first));
    read_keys(keys, first, piece);
    use(first, std::span<const std::string_view>(piece));
  }
}

// Calls use(first, hashes) for groups of up to 512 keys. The hash is a copy, because an exact set
// that outgrows its threshold meanwhile destroys its own. Precondition: its keys can be hashed.
template <typename Use>
void for_each_hashed_piece_of(const bloomery_keys& keys, const HashSpec hash, const Use& use) {
  std::array<Hash128, kKeysPerPiece<Hash128>> hashes;
  for_each_piece(keys, [&](std::size_t first, std::span<const std::string_view> views) {
    hash_batch(views, hash, hashes);
    use(first, std::span<const Hash128>(hashes).first(views.size()));
  });
}

}  // namespace bloomery::c_api
