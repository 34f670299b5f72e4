#include "filter/scalable/pieced_layers.h"

#include <algorithm>

#include "base/byte_parts.h"
#include "base/crc32c.h"
#include "base/crc32c_change.h"

namespace bloomery {

// ---- a layer

Result<PiecedLayer> PiecedLayer::of(const LayerSize& size, std::span<const std::byte> states) {
  PiecedLayer layer{.size = size, .keys = 0, .bits = std::nullopt, .late = {}, .crcs = {}, .changed = {}};
  if (size.fingerprint_bits == 0) {
    BLOOMERY_ASSIGN_OR_RETURN(layer.bits, CheckedPages::zeroed(size.bytes()));
    return layer;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const LateShape shape, late_shape(size.shape, size.fingerprint_bits));
  BLOOMERY_ASSIGN_OR_RETURN(layer.late, LateBits::of_states(shape, states));
  layer.crcs.resize(states.size());
  layer.changed.resize(states.size());
  for (std::size_t piece = 0; piece < states.size(); ++piece) {
    layer.crcs[piece] = crc32c_of_zeros(layer.late->file_bytes_of(piece));
  }
  return layer;
}

Result<PiecedLayer> PiecedLayer::of(const LayerSize& size) {
  const Result<LateShape> shape = late_shape(size.shape, size.fingerprint_bits);
  return of(size, std::vector<std::byte>(size.fingerprint_bits == 0 || !shape ? 0 : shape->pieces));
}

std::uint64_t PiecedLayer::ask(std::span<const Hash128> hashes, std::uint64_t asked) const {
  return late ? late->ask(hashes, asked) : pieced_windows::ask(*bits, table(), hashes, asked);
}

bool PiecedLayer::contains(const Hash128& hash) const {
  return late ? late->contains(late->place_of(hash.low)) : pieced_windows::contains(*bits, table(), hash);
}

std::uint32_t PiecedLayer::crc() const {
  if (!late) {
    return bits->crc();
  }
  std::uint32_t all = 0;
  for (std::size_t piece = 0; piece < crcs.size(); ++piece) {
    if (changed[piece]) {
      std::uint32_t crc = 0;
      late->for_piece_in_file(piece, [&](std::span<const std::byte> bytes) { crc = crc32c(bytes, crc); });
      crcs[piece] = crc;
      changed[piece] = false;
    }
    all = crc32c_of_both(all, crcs[piece], late->file_bytes_of(piece));
  }
  return all;
}

void PiecedLayer::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!late) {
    bits->read(offset, out);
    return;
  }
  PartReader reader(offset, out);
  for (std::size_t piece = 0; !reader.is_done() && piece < late->piece_count(); ++piece) {
    late->for_piece_in_file(piece, [&](std::span<const std::byte> bytes) { reader.bytes(bytes); });
  }
}

std::uint64_t PiecedLayer::memory_bytes() const {
  return (late ? late->memory_bytes() : bits->memory_bytes()) + crcs.capacity() * sizeof(crcs[0]) +
         changed.capacity() / 8;
}

// ---- queries

void PiecedLayers::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  ask_layers_in_groups(layers(), hashes, answers);
}

bool PiecedLayers::is_in_first(std::size_t layers, const Hash128& hash) const {
  for (std::size_t i = layers; i-- > 0;) {
    if (layers_[i].contains(hash)) {
      return true;
    }
  }
  return false;
}

void PiecedLayers::prefetch_places(const Hash128& hash) const {
  for (const PiecedLayer& layer : layers_) {
    if (!layer.late) {
      pieced_windows::prefetch_places(*layer.bits, layer.table(), hash);
    }
  }
}

void PiecedLayers::prefetch(const Hash128& hash) const {
  for (const PiecedLayer& layer : layers_) {
    if (layer.late) {
      layer.late->prefetch(layer.late->place_of(hash.low));
    } else {
      pieced_windows::prefetch(*layer.bits, layer.table(), hash);
    }
  }
}

// ---- inserts

Added PiecedLayers::insert(const Hash128& hash, std::uint64_t most_payload_bytes) {
  if (is_in_first(layers_.size() - 1, hash)) {
    return Added::kKnown;
  }
  const Added outcome = put_in_last(hash, most_payload_bytes);
  if (outcome != Added::kFull) {
    return outcome;
  }
  if (const Added grown = grow(most_payload_bytes); grown != Added::kNew) {
    return grown;
  }
  const Added put = put_in_last(hash, most_payload_bytes);
  if (put != Added::kNew) {  // the file stays as it was
    layers_.pop_back();
  }
  return put;
}

void PiecedLayers::begin_step() {
  for (PiecedLayer& layer : layers_) {
    if (layer.bits) {
      layer.bits->begin_step();
    }
  }
}

// The outcome is kFull if the layer is full and does not know the key.
Added PiecedLayers::put_in_last(const Hash128& hash, std::uint64_t most_payload_bytes) {
  PiecedLayer& last = layers_.back();
  if (last.keys >= last.size.capacity) {
    return last.contains(hash) ? Added::kKnown : Added::kFull;
  }
  const Added outcome = last.late ? put_in_late(last, hash, most_payload_bytes)
                                  : pieced_windows::insert(*last.bits, last.table(), hash);
  last.keys += outcome == Added::kNew ? 1 : 0;
  return outcome;
}

Added PiecedLayers::put_in_late(PiecedLayer& last, const Hash128& hash, std::uint64_t most_payload_bytes) {
  constexpr std::uint64_t kMostGrowth = kMostPieceWindows * kWindowBytes;
  const LateBits::Place place = last.late->place_of(hash.low);
  if (last.late->contains(place)) {
    return Added::kKnown;
  }
  if (!last.late->is_all_bits() && payload_bytes() + kMostGrowth > most_payload_bytes) {
    return Added::kOverLimit;
  }
  if (!last.late->insert(place)) {
    return Added::kNoMemory;
  }
  last.changed[place.piece] = true;
  return Added::kNew;
}

// Returns kNew if there is a next layer now.
Added PiecedLayers::grow(std::uint64_t most_payload_bytes) {
  if (layers_.size() == kMostScalableLayers) {
    return Added::kOverLimit;
  }
  const Result<LayerSize> size = next_layer_size(plan_, layers_before(layers_));
  if (!size || !layer_may_follow(layers_.back().size, *size)) {
    return Added::kOverLimit;
  }
  Result<PiecedLayer> next = PiecedLayer::of(*size);
  if (!next) {
    return Added::kOverLimit;
  }
  layers_.push_back(std::move(next).value());
  if (payload_bytes() > most_payload_bytes) {
    layers_.pop_back();
    return Added::kOverLimit;
  }
  begin_step();
  return Added::kNew;
}

// ---- bytes

std::uint64_t PiecedLayers::front_bytes() const {
  std::uint64_t pieces = 0;
  for (const PiecedLayer& layer : layers_) {
    pieces += layer.crcs.size();
  }
  return written_front_bytes(layers_.size(), pieces);
}

std::vector<std::byte> PiecedLayers::front() const {
  LayerFront front{.bytes = 0, .expansion = plan_.expansion, .layers = {}};
  for (const PiecedLayer& layer : layers_) {
    front.add(layer.size, layer.keys, layer.late ? layer.late->states() : std::span<const std::uint8_t>());
  }
  return write_layer_front(front);
}

std::uint64_t PiecedLayers::payload_bytes() const {
  std::uint64_t bytes = front_bytes();
  for (const PiecedLayer& layer : layers_) {
    bytes += layer.file_bytes();
  }
  return bytes;
}

std::uint32_t PiecedLayers::payload_crc() const {
  std::uint32_t crc = crc32c(front());
  for (const PiecedLayer& layer : layers_) {
    crc = crc32c_of_both(crc, layer.crc(), layer.file_bytes());
  }
  return crc;
}

std::uint64_t PiecedLayers::memory_bytes() const {
  std::uint64_t bytes = layers_.capacity() * sizeof(PiecedLayer);
  for (const PiecedLayer& layer : layers_) {
    bytes += layer.memory_bytes();
  }
  return bytes;
}

void PiecedLayers::read(std::uint64_t offset, std::span<std::byte> out) const {
  PartReader reader(offset, out);
  reader.part(front_bytes(), [&](std::uint64_t at, std::span<std::byte> part) {
    std::ranges::copy(std::span<const std::byte>(front()).subspan(at, part.size()), part.begin());
  });
  for (std::size_t i = 0; !reader.is_done() && i < layers_.size(); ++i) {
    reader.part(layers_[i].file_bytes(),
                [&](std::uint64_t at, std::span<std::byte> part) { layers_[i].read(at, part); });
  }
}

}  // namespace bloomery
