// The scalable filter of a file in the memory of a server: its layers as blocked_layers.h has them, over
// pages that copies share.
//
//   payload of the file     front | layer 0 | layer 1 | ...
//   here                    front, made when it is read | layers of CheckedPages or LateBits
//
// A key is inserted into the last layer unless some layer knows it; when that has accepted its capacity, the
// next layer follows (layer_size.h).
//
// Not here: exceptions, counts, the file (pieced_file.h); its load (layers_load.h). Threads: one thread
// changes the layers, and copies them. Other threads may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "filter/blocked/pieced_windows.h"
#include "filter/scalable/filter_layer.h"
#include "filter/scalable/late_bits.h"
#include "filter/scalable/layer_front.h"

namespace bloomery {

struct PiecedLayer {
  LayerSize size;
  std::uint64_t keys = 0;
  std::optional<CheckedPages> bits;  // of a layer that has its bits at once
  Boxed<LateBits> late;              // of any other
  // The CRCs of the late pieces in a file, and which pieces have changed since these were computed.
  mutable std::vector<std::uint32_t> crcs;
  mutable std::vector<bool> changed;

  // Returns a layer without keys; its late pieces have these states. Errors: kCapacity if memory is lacking;
  // kCorruption for states that no pieces have.
  static Result<PiecedLayer> of(const LayerSize& size, std::span<const std::byte> states);
  static Result<PiecedLayer> of(const LayerSize& size);

  std::uint64_t file_bytes() const { return late ? late->file_bytes() : size.bytes(); }
  // Answers at most 64 hashes. Bits of `asked` say which ones are asked; the others are 0 in the answer.
  std::uint64_t ask(std::span<const Hash128> hashes, std::uint64_t asked) const;
  bool contains(const Hash128& hash) const;
  // The CRC of the layer in a file. Costs time for each piece that has changed, and little for each other
  // one.
  std::uint32_t crc() const;
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  std::uint64_t memory_bytes() const;
  PiecedTable table() const { return {.at = 0, .shape = size.shape}; }
};

class PiecedLayers {
 public:
  // Precondition: the layers are those of one payload.
  PiecedLayers(const GrowingPlan& plan, std::vector<PiecedLayer> layers)
      : plan_(plan), layers_(std::move(layers)) {}

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void prefetch_places(const Hash128& hash) const;
  void prefetch(const Hash128& hash) const;
  // The outcome is kNew or kKnown; kOverLimit if the payload would exceed `most_payload_bytes`, or no layer
  // can follow; kNoMemory.
  Added insert(const Hash128& hash, std::uint64_t most_payload_bytes);
  void begin_step();

  std::span<const PiecedLayer> layers() const { return layers_; }
  std::uint64_t payload_bytes() const;
  std::uint32_t payload_crc() const;
  std::uint64_t memory_bytes() const;
  // Copies bytes of the payload. Precondition: offset + out.size() <= payload_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  bool is_in_first(std::size_t layers, const Hash128& hash) const;
  Added put_in_last(const Hash128& hash, std::uint64_t most_payload_bytes);
  Added put_in_late(PiecedLayer& last, const Hash128& hash, std::uint64_t most_payload_bytes);
  Added grow(std::uint64_t most_payload_bytes);
  std::uint64_t front_bytes() const;
  std::vector<std::byte> front() const;

  GrowingPlan plan_;
  std::vector<PiecedLayer> layers_;
};

}  // namespace bloomery
