// The front of a scalable filter's payload, which says what layers there are.
//
//    offset  0   u64 number of layers, then zeros to 32
//    offset 32   32 bytes for each layer, then zeros to a multiple of 64
//
//    layer       offset  0   u64 keys
//                offset  8   u64 words
//                offset 16   u32 step
//                offset 20   u32 hash count
//                offset 24   8 zeros
//
// Source: docs/formats/native.md, payload of type 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/scalable_sizing.h"
#include "filter/native/native_header.h"

namespace bloomery {

inline constexpr std::size_t kMostScalableLayers = 256;

// A layer as the front describes it.
struct LayerEntry {
  std::uint32_t step = 0;
  BlockedShape shape;
  std::uint64_t keys = 0;
};

constexpr std::uint64_t layer_front_bytes(std::uint64_t layers) {
  return (32 + layers * 32 + 63) / 64 * 64;
}

// Reads the front of a payload. `begin` has the first bytes of the payload: all of it, or at least
// layer_front_bytes(kMostScalableLayers). The words of the layers fill the rest. Errors: kCorruption, with the offset in the file.
Result<std::vector<LayerEntry>> read_layer_front(std::span<const std::byte> begin,
                                                 std::uint64_t payload_bytes, const ScalablePlan& plan);
// Precondition: 1 to kMostScalableLayers layers.
std::vector<std::byte> write_layer_front(std::span<const LayerEntry> layers);

// The plan of new layers that a header records.
ScalablePlan scalable_plan_of(const NativeHeader& header);
// Checks the fields of a header that repeat the first layer's. Errors: kCorruption.
Status check_first_layer(const NativeHeader& header, const BlockedShape& first);

// Returns whether a layer of `next` words may follow one of `last` words. By a plan it has about twice as
// many, and shapes are rounded. This guards against a changed header whose plan is not that of its layers: it
// must not make a layer huge.
bool layer_may_follow(std::uint64_t last, std::uint64_t next);

}  // namespace bloomery
