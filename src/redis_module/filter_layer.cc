#include "redis_module/filter_layer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "redis_module/window_bits.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kGroup = FilterLayer::kGroup;

// A key's window in the chunks of a layer.
struct Place {
  std::size_t chunk;
  std::uint64_t offset;
  std::uint64_t rest;
};

Place place_in(const BlockedShape& shape, std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * shape.windows();
  const std::uint64_t at = static_cast<std::uint64_t>(product >> 64) * kWindowBytes;
  return {
      .chunk = at >> kChunkShift, .offset = at % kChunkBytes, .rest = static_cast<std::uint64_t>(product)};
}

const std::byte* window_at(const BitChunks& bits, const Place& place) {
  const std::byte* const bytes = bits.read(place.chunk);
  return bytes == nullptr ? nullptr : bytes + place.offset;
}

// Calls use(i) for each bit i of `asked`.
template <typename Use>
void for_each_bit(std::uint64_t asked, Use use) {
  for (; asked != 0; asked &= asked - 1) {
    use(static_cast<std::size_t>(std::countr_zero(asked)));
  }
}

std::uint64_t ask_bits(const FilterLayer& layer, std::span<const Hash128> hashes, std::uint64_t asked) {
  std::array<const std::byte*, kGroup> windows;
  std::array<std::uint64_t, kGroup> rests;
  for_each_bit(asked, [&](std::size_t i) {
    const Place place = place_in(layer.shape, hashes[i].low);
    windows[i] = window_at(layer.bits, place);
    rests[i] = place.rest;
    __builtin_prefetch(windows[i]);
  });
  std::uint64_t found = 0;
  for_each_bit(asked, [&](std::size_t i) {
    const bool in = windows[i] != nullptr && window_contains(windows[i], layer.shape.hash_count, rests[i]);
    found |= std::uint64_t{in} << i;
  });
  return found;
}

std::uint64_t ask_late(const LateBits& late, std::span<const Hash128> hashes, std::uint64_t asked) {
  std::array<LateBits::Place, kGroup> places;
  for_each_bit(asked, [&](std::size_t i) {
    places[i] = late.place_of(hashes[i].low);
    late.prefetch(places[i]);
  });
  std::uint64_t found = 0;
  for_each_bit(asked, [&](std::size_t i) { found |= std::uint64_t{late.contains(places[i])} << i; });
  return found;
}

Added add_to_bits(FilterLayer& layer, std::uint64_t hash) {
  const Place place = place_in(layer.shape, hash);
  if (const std::byte* const window = window_at(layer.bits, place);
      window != nullptr && window_contains(window, layer.shape.hash_count, place.rest)) {
    return Added::kKnown;
  }
  if (layer.keys >= layer.capacity) {
    return Added::kFull;
  }
  std::byte* const bytes = layer.bits.write(place.chunk);
  if (bytes == nullptr) {
    return Added::kNoMemory;
  }
  insert_in_window(bytes + place.offset, layer.shape.hash_count, place.rest);
  ++layer.keys;
  return Added::kNew;
}

Added add_to_late(FilterLayer& layer, std::uint64_t hash) {
  const LateBits::Place place = layer.late->place_of(hash);
  if (layer.late->contains(place)) {
    return Added::kKnown;
  }
  if (layer.keys >= layer.capacity) {
    return Added::kFull;
  }
  if (!layer.late->insert(place)) {
    return Added::kNoMemory;
  }
  ++layer.keys;
  return Added::kNew;
}

}  // namespace

std::uint64_t FilterLayer::ask(std::span<const Hash128> hashes, std::uint64_t asked) const {
  return late ? ask_late(*late, hashes, asked) : ask_bits(*this, hashes, asked);
}

void FilterLayer::prefetch(const Hash128& hash) const {
  if (late) {
    late->prefetch(late->place_of(hash.low));
  } else {
    __builtin_prefetch(window_at(bits, place_in(shape, hash.low)), 1);
  }
}

Added FilterLayer::add(const Hash128& hash) {
  return late ? add_to_late(*this, hash.low) : add_to_bits(*this, hash.low);
}

double FilterLayer::current_fpp() const {
  if (keys == 0) {
    return 0;
  }
  const double as_bits = predicted_fpp(shape, keys);
  return late ? std::min(late->fpp(keys, as_bits), 1.0) : as_bits;
}

std::uint64_t FilterLayer::memory_bytes() const {
  return late ? late->memory_bytes() : bits.memory_bytes();
}

std::uint64_t FilterLayer::step(std::uint64_t offset, std::uint64_t most) const {
  return late ? late->step(offset, most) : std::min(most, bits.size_bytes() - offset);
}

void FilterLayer::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (late) {
    late->read(offset, out);
  } else {
    bits.load(offset, out);
  }
}

Status FilterLayer::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (late) {
    return late->write(offset, bytes);
  }
  return bits.store(offset, bytes) ? Status() : Error::capacity("chunk", "memory is lacking");
}

}  // namespace bloomery::redis_module
