#include "redis_module/bit_chunks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/zero_bytes.h"
#include "redis_module/copied_groups.h"
#include "redis_module/late_shape.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kChunkBits = kChunkBytes * 8;

std::byte mask_of(std::uint64_t position) {
  return static_cast<std::byte>(1U << (position % 8));
}

std::uint16_t in_chunk(std::uint64_t position) {
  return static_cast<std::uint16_t>(position % kChunkBits);
}

// Sets pending bits of a chunk in bytes that begin at `offset` of the chunk.
void set_bits(std::span<const std::uint16_t> positions, std::uint64_t offset, std::span<std::byte> out) {
  for (const std::uint16_t position : positions) {
    if (const std::uint64_t byte = position / 8; byte >= offset && byte - offset < out.size()) {
      out[byte - offset] |= mask_of(position);
    }
  }
}

// Returns how many pending bits a chunk has at most: 14 to 124, spread evenly over the chunks.
std::size_t most_pending_bits(std::uint64_t chunk) {
  constexpr std::size_t kLeast = 14;
  constexpr std::uint64_t kSpread = PendingBits::kMostOfChunk - kLeast;
  const auto mixed = static_cast<std::uint32_t>(chunk) * 0x9E3779B1U;
  return kLeast + (mixed * kSpread >> 32);
}

}  // namespace

Result<BitChunks> BitChunks::zeroed(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMostBytes) {
    return Error::capacity(
        "filter", "expected 1 to " + std::to_string(kMostBytes) + " bytes, found " + std::to_string(bytes));
  }
  BitChunks made;
  made.size_bytes_ = bytes;
  made.groups_.resize((bytes + kGroupBytes - 1) / kGroupBytes);
  return made;
}

BitChunks::BitChunks(const BitChunks& other)
    : size_bytes_(other.size_bytes_), held_bytes_(other.held_bytes_), groups_(copied_groups(other.groups_)) {}

std::byte* BitChunks::make_own(const Place& place) {
  ChunkGroup& group = groups_[place.group];
  const std::uint64_t bytes = std::min(kGroupBytes, size_bytes_ - place.group * kGroupBytes);
  const std::uint64_t before = group.memory_bytes();
  std::byte* const made =
      group.make_own(place.chunk, {.chunks = (bytes + kChunkBytes - 1) / kChunkBytes, .bytes = bytes});
  held_bytes_ += group.memory_bytes() - before;
  return made;
}

bool BitChunks::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const Place place = place_of(offset);
    ChunkGroup& group = groups_[place.group];
    const auto piece = bytes.first(std::min<std::uint64_t>(bytes.size(), kChunkBytes - place.offset));
    if (group.read(place.chunk) != nullptr || !all_zeros(piece)) {
      std::byte* const to = make_own(place);
      if (to == nullptr) {
        return false;
      }
      std::ranges::copy(piece, to + place.offset);
    }
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

void BitChunks::load(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const Place place = place_of(offset);
    const ChunkGroup& group = groups_[place.group];
    const auto piece = out.first(std::min<std::uint64_t>(out.size(), kChunkBytes - place.offset));
    if (const std::byte* const from = group.read(place.chunk); from != nullptr) {
      std::copy_n(from + place.offset, piece.size(), piece.begin());
    } else {
      std::ranges::fill(piece, std::byte{0});
    }
    set_bits(group.pending().of(place.chunk), place.offset, piece);
    offset += piece.size();
    out = out.subspan(piece.size());
  }
}

// ---- bits

bool BitChunks::test(std::uint64_t position) const {
  const Place place = place_of(position / 8);
  const ChunkGroup& group = groups_[place.group];
  const std::byte* const bytes = group.read(place.chunk);
  const bool is_in_chunk = bytes != nullptr && (bytes[place.offset] & mask_of(position)) != std::byte{0};
  // Whether there is a list can be foretold, and whether the bit is set cannot.
  if (group.pending().of(place.chunk).empty()) {
    return is_in_chunk;
  }
  const bool is_pending = group.pending().contains(place.chunk, in_chunk(position));
  return is_in_chunk || is_pending;
}

bool BitChunks::set(std::uint64_t position) {
  const Place place = place_of(position / 8);
  std::byte* bytes = groups_[place.group].own(place.chunk);
  if (bytes == nullptr && !makes_chunks_at_once()) {
    return set_pending(place, in_chunk(position));
  }
  bytes = bytes != nullptr ? bytes : make_own(place);
  if (bytes == nullptr) {
    return false;
  }
  bytes[place.offset] |= mask_of(position);
  return true;
}

bool BitChunks::set_pending(const Place& place, std::uint16_t position) {
  ChunkGroup& group = groups_[place.group];
  const std::byte* const shared = group.read(place.chunk);
  if ((shared != nullptr && (shared[place.offset] & mask_of(position)) != std::byte{0}) ||
      group.pending().contains(place.chunk, position)) {
    return true;
  }
  if (group.pending().of(place.chunk).size() < most_pending_bits(place.group * kGroupChunks + place.chunk)) {
    const std::uint64_t before = group.pending().memory_bytes();
    const bool is_set = group.set_pending(place.chunk, position);
    held_bytes_ += group.pending().memory_bytes() - before;
    return is_set;
  }
  std::byte* const bytes = make_own(place);
  if (bytes == nullptr) {
    return false;
  }
  bytes[place.offset] |= mask_of(position);
  return true;
}

void BitChunks::prefetch_place(std::uint64_t position) const {
  groups_[place_of(position / 8).group].prefetch_place();
}

void BitChunks::prefetch(std::uint64_t position) const {
  const Place place = place_of(position / 8);
  const ChunkGroup& group = groups_[place.group];
  if (const std::byte* const bytes = group.read(place.chunk); bytes != nullptr) {
    __builtin_prefetch(bytes + place.offset);
  }
  group.pending().prefetch(place.chunk);
}

// ---- windows

const std::uint64_t* BitChunks::window(std::uint64_t offset, WindowWords& scratch) const {
  const Place place = place_of(offset);
  const ChunkGroup& group = groups_[place.group];
  const std::byte* const bytes = group.read(place.chunk);
  const auto* const words =
      bytes == nullptr ? nullptr : reinterpret_cast<const std::uint64_t*>(bytes + place.offset);
  const auto pending = group.pending().of(place.chunk);
  bool is_pending = false;
  for (const std::uint16_t position : pending) {
    is_pending |= position / (kWindowBytes * 8) == place.offset / kWindowBytes;
  }
  if (!is_pending) {
    return words;
  }
  scratch = {};
  if (words != nullptr) {
    std::memcpy(scratch.data(), words, kWindowBytes);
  }
  set_bits(pending, place.offset, std::as_writable_bytes(std::span(scratch)));
  return scratch.data();
}

std::uint64_t* BitChunks::own_window(std::uint64_t offset) {
  const Place place = place_of(offset);
  std::byte* bytes = groups_[place.group].own(place.chunk);
  if (bytes == nullptr && makes_chunks_at_once()) {
    bytes = make_own(place);
  }
  return bytes == nullptr ? nullptr : reinterpret_cast<std::uint64_t*>(bytes + place.offset);
}

bool BitChunks::set_window(std::uint64_t offset, const WindowWords& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
      if (!set(offset * 8 + i * 64 + static_cast<std::uint64_t>(std::countr_zero(left)))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace bloomery::redis_module
