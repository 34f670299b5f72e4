// The front of a scalable filter's payload, which says what layers there are.
//
//    offset  0   u64 number of layers
//    offset  8   u32 version of the front: 2
//    offset 12   u32 expansion, by which capacities grow
//    offset 16   zeros to 32
//    offset 32   48 bytes for each layer
//                one byte for each piece of each late layer, its state (late_bits.h)
//                zeros to a multiple of 64
//
//    layer       offset  0   u64 keys
//                offset  8   u64 words
//                offset 16   u64 capacity
//                offset 24   f64 fpp
//                offset 32   u32 hash count
//                offset 36   u32 fingerprint bits; 0: the layer has its bits at once
//                offset 40   8 zeros
//
// Version 1 has 0 at offsets 8 to 31, and 32 bytes for each layer: keys, words, u32 step, u32 hash count, 8
// zeros. The layer of step i is for capacity * 2^i keys at fpp / 8 * (7 / 8)^i. It is read, and no longer
// written.
//
// Source: docs/formats/native.md, payload of type 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/growing_plan.h"
#include "filter/native/native_header.h"
#include "filter/scalable/layer_size.h"

namespace bloomery {

inline constexpr std::size_t kMostScalableLayers = 256;

// A layer as the front describes it.
struct LayerEntry {
  LayerSize size;
  std::uint64_t keys = 0;
  std::vector<std::byte> states;  // of the pieces; empty if the layer has its bits at once

  friend bool operator==(const LayerEntry&, const LayerEntry&) = default;
};

struct LayerFront {
  std::uint64_t bytes = 0;  // of a front that was read
  std::uint32_t expansion = 0;
  std::vector<LayerEntry> layers;

  // Adds a layer. `states` is empty if it has its bits at once.
  void add(const LayerSize& size, std::uint64_t keys, std::span<const std::uint8_t> states) {
    const auto each = std::as_bytes(states);
    layers.push_back({.size = size, .keys = keys, .states = {each.begin(), each.end()}});
  }
};

// The first bytes of a payload that tell the size of its front; fewer if the payload has fewer.
inline constexpr std::uint64_t kLayerFrontHeadBytes = 32 + kMostScalableLayers * 48;

// Returns the bytes of a front, at most those of the payload. `begin` has min(kLayerFrontHeadBytes,
// payload_bytes) bytes. Errors: kCorruption, with the offset in the file.
Result<std::uint64_t> layer_front_bytes(std::span<const std::byte> begin, std::uint64_t payload_bytes,
                                        const GrowingPlan& plan);
// Reads a front, which must be complete. The bytes of the layers fill the rest of the payload; layers whose
// bits are late have sizes that only LateBits knows, so nothing here compares the sum. Errors: kCorruption,
// with the offset in the file.
Result<LayerFront> read_layer_front(std::span<const std::byte> front, std::uint64_t payload_bytes,
                                    const GrowingPlan& plan);
// Returns a front of version 2. Precondition: 1 to kMostScalableLayers layers.
std::vector<std::byte> write_layer_front(const LayerFront& front);
// Returns the bytes of a front of version 2 with so many layers, and so many pieces in the late ones
// together.
constexpr std::uint64_t written_front_bytes(std::uint64_t layers, std::uint64_t pieces) {
  return (32 + layers * 48 + pieces + 63) / 64 * 64;
}

// The plan of new layers that a header records. The expansion is that of a new filter.
GrowingPlan growing_plan_of(const NativeHeader& header);
// Checks the fields of a header that repeat the first layer's. Errors: kCorruption.
Status check_first_layer(const NativeHeader& header, const BlockedShape& first);

}  // namespace bloomery
