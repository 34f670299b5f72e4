#include "filter/scalable/filter_layer.h"

#include <algorithm>
#include <array>

#include "base/prefetch.h"
#include "filter/blocked/one_window.h"

namespace bloomery {
namespace {

// A key's window in a layer.
struct LinePlace {
  std::uint64_t line;  // of the bits
  std::uint64_t rest;
};

LinePlace place_in_layer(const BlockedShape& shape, std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * shape.windows();
  return {.line = static_cast<std::uint64_t>(product >> 64), .rest = static_cast<std::uint64_t>(product)};
}

bool words_contain(const std::uint64_t* words, std::uint32_t hash_count, std::uint64_t rest) {
  return window_contains(reinterpret_cast<const std::byte*>(words), hash_count, rest);
}

std::uint64_t ask_bits(const FilterLayer& layer, std::span<const Hash128> hashes, std::uint64_t asked) {
  std::array<const std::uint64_t*, FilterLayer::kGroup> windows;
  std::array<LineWords, FilterLayer::kGroup> scratch;  // without a value: few windows need one
  std::array<std::uint64_t, FilterLayer::kGroup> rests;
  for_each_bit(asked, [&](std::size_t i) {
    const LinePlace place = place_in_layer(layer.size.shape, hashes[i].low);
    windows[i] = layer.bits.line(place.line, scratch[i]);
    rests[i] = place.rest;
    prefetch_to_read(windows[i] == nullptr ? static_cast<const void*>(&layer) : windows[i]);
  });
  std::uint64_t found = 0;
  for_each_bit(asked, [&](std::size_t i) {
    const bool in = windows[i] != nullptr && words_contain(windows[i], layer.size.shape.hash_count, rests[i]);
    found |= std::uint64_t{in} << i;
  });
  return found;
}

Added add_to_bits(FilterLayer& layer, std::uint64_t hash) {
  const LinePlace place = place_in_layer(layer.size.shape, hash);
  LineWords scratch;
  const std::uint64_t* const window = layer.bits.line(place.line, scratch);
  if (window != nullptr && words_contain(window, layer.size.shape.hash_count, place.rest)) {
    return Added::kKnown;
  }
  if (layer.keys >= layer.size.capacity) {
    return Added::kFull;
  }
  const bool is_in = layer.bits.change_line(place.line, kWordsInLine, [&](std::uint64_t* words) {
    insert_in_window(reinterpret_cast<std::byte*>(words), layer.size.shape.hash_count, place.rest);
  });
  if (!is_in) {
    return Added::kNoMemory;
  }
  ++layer.keys;
  return Added::kNew;
}

Added add_to_late(FilterLayer& layer, std::uint64_t hash) {
  const LateBits::Place place = layer.late->place_of(hash);
  if (layer.late->contains(place)) {
    return Added::kKnown;
  }
  if (layer.keys >= layer.size.capacity) {
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
  return late ? late->ask(hashes, asked) : ask_bits(*this, hashes, asked);
}

void FilterLayer::prefetch(const Hash128& hash) const {
  if (late) {
    late->prefetch(late->place_of(hash.low));
  } else {
    bits.prefetch(place_in_layer(size.shape, hash.low).line * kWordsInLine);
  }
}

Added FilterLayer::add(const Hash128& hash) {
  return late ? add_to_late(*this, hash.low) : add_to_bits(*this, hash.low);
}

double FilterLayer::current_fpp() const {
  if (keys == 0) {
    return 0;
  }
  const double as_bits = predicted_fpp(size.shape, keys);
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

}  // namespace bloomery
