// Writes and reads the plan in a front (value_bytes.h) of the layouts bloomery and quotient: parameters and
// layers.
//
//   bloomery    u64 capacity | f64 fpp | u32 expansion | u16 hash id | u16 schedule | u64 seed |
//               16 bytes secret | u32 layers | u32 0, then for each layer
//               u64 keys | u64 capacity | f64 fpp | u64 words | u32 hash count | u32 fingerprint bits, then
//               u8 state for each page of each layer that began as fingerprints
//   quotient    the fields of bloomery before its layers, then
//               u32 quotients | u32 remainder bits | u16 bucket size | u16 iterations | u32 0 |
//               u64 deleted, then u8 level for each layer
//
// Only version 3 of the front has schedule and fingerprint bits. In versions 1 and 2 these fields are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "redis_module/filter_value.h"
#include "redis_module/front_fields.h"

namespace bloomery::redis_module {

enum class PlanHas : std::uint8_t { kNoSchedule, kSchedule };

// Returns true if the filter needs version 3 of the front: a schedule by capacity, or a layer of
// fingerprints.
bool is_of_late_version(const GrowingFilter& filter);

void write_plan(const GrowingFilter& filter, FrontWriter& out);
void write_plan(const DeletableFilter& filter, const CuckooNumbers& cuckoo, FrontWriter& out);
// Writes the state of each page of a layer: bits or fingerprints. Writes nothing if the layer began as bits.
void write_states(const GrowingFilter::Layer& layer, FrontWriter& out);

// Makes the empty filter that a plan describes. Errors: kCorruption, kUnsupported, kCapacity.
Result<GrowingFilter> read_growing(std::span<const std::byte> bytes, PlanHas has);
Result<std::unique_ptr<FilterValue>> read_deletable(std::span<const std::byte> bytes);

}  // namespace bloomery::redis_module
