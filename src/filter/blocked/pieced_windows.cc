#include "filter/blocked/pieced_windows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

#include "bloomery/base/uint128.h"
#include "filter/blocked/blocked_header.h"
#include "filter/blocked/one_window.h"

namespace bloomery {
namespace {

using WindowWords = std::array<std::uint64_t, kWindowWords>;

// A key's window, identified by the index of its first word in the pages.
struct PiecedPlace {
  std::uint64_t word;
  std::uint64_t rest;
};

PiecedPlace place_in_pieces(const PiecedTable& table, const Hash128& hash) {
  const Uint128 product = Uint128{hash.low} * table.shape.windows();
  const std::uint64_t stride = table.shape.setting == BlockedSetting::kFast ? kWindowWords : 1;
  return {.word = table.at / kWordBytes + static_cast<std::uint64_t>(product >> 64) * stride,
          .rest = static_cast<std::uint64_t>(product)};
}

WindowWords copied(const CheckedPages& pieces, const PiecedPlace& place) {
  WindowWords window;
  if (pieces.are_neighbours(place.word, kWindowWords)) {
    if (const std::uint64_t* const words = pieces.word(place.word); words != nullptr) {
      std::copy_n(words, kWindowWords, window.begin());
    } else {
      window.fill(0);
    }
    return window;
  }
  for (std::size_t i = 0; i < kWindowWords; ++i) {
    const std::uint64_t* const word = pieces.word(place.word + i);
    window[i] = word == nullptr ? 0 : *word;
  }
  return window;
}

bool asks_window(const std::uint64_t* window, const BlockedShape& shape, std::uint64_t rest) {
  return window_contains(reinterpret_cast<const std::byte*>(window), shape.hash_count, rest);
}

bool contains_at(const CheckedPages& pieces, const BlockedShape& shape, const PiecedPlace& place) {
  if (!pieces.are_neighbours(place.word, kWindowWords)) {
    const WindowWords window = copied(pieces, place);
    return asks_window(window.data(), shape, place.rest);
  }
  const std::uint64_t* const window = pieces.word(place.word);
  return window != nullptr && asks_window(window, shape, place.rest);
}

void prefetch_at(const CheckedPages& pieces, const PiecedPlace& place) {
  pieces.prefetch(place.word);
  pieces.prefetch(place.word + kWindowWords - 1);
}

}  // namespace

namespace pieced_windows {

std::uint64_t ask(const CheckedPages& pieces, const PiecedTable& table, std::span<const Hash128> hashes,
                  std::uint64_t asked) {
  std::array<PiecedPlace, kGroup> places;
  for (std::uint64_t left = asked; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    places[i] = place_in_pieces(table, hashes[i]);
    prefetch_at(pieces, places[i]);
  }
  std::uint64_t found = 0;
  for (std::uint64_t left = asked; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    found |= std::uint64_t{contains_at(pieces, table.shape, places[i])} << i;
  }
  return found;
}

bool contains(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash) {
  return contains_at(pieces, table.shape, place_in_pieces(table, hash));
}

void prefetch_places(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash) {
  pieces.prefetch_place(place_in_pieces(table, hash).word);
}

void prefetch(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash) {
  prefetch_at(pieces, place_in_pieces(table, hash));
}

Added insert(CheckedPages& pieces, const PiecedTable& table, const Hash128& hash) {
  const PiecedPlace place = place_in_pieces(table, hash);
  const WindowWords before = copied(pieces, place);
  WindowWords after = before;
  if (!insert_in_window(std::as_writable_bytes(std::span(after)).data(), table.shape.hash_count,
                        place.rest)) {
    return Added::kKnown;
  }
  WindowWords indexes;
  std::iota(indexes.begin(), indexes.end(), place.word);
  return pieces.put(indexes, before, after) ? Added::kNew : Added::kNoMemory;
}

}  // namespace pieced_windows

Result<PiecedBlocked> PiecedBlocked::open(const NativeHeader& header, PagedWords payload) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape_of(header));
  if (header.payload_bytes != shape.words * kWordBytes) {
    return bad_header_field(native_header::kPayloadBytesAt, "payload bytes",
                            std::to_string(shape.words * kWordBytes), header.payload_bytes);
  }
  return PiecedBlocked(shape, CheckedPages(std::move(payload), 0, header.payload_checksum));
}

void PiecedBlocked::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  for (std::size_t first = 0; first < hashes.size(); first += pieced_windows::kGroup) {
    const auto group = hashes.subspan(first, std::min(pieced_windows::kGroup, hashes.size() - first));
    answers[first / pieced_windows::kGroup] = pieced_windows::ask(
        pieces_, table_, group, ~std::uint64_t{0} >> (pieced_windows::kGroup - group.size()));
  }
}

}  // namespace bloomery
