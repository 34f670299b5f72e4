// The plan in a front (value_bytes.h) of the layouts bloomery and quotient: parameters, layers, layer states.
//
//   bloomery    u64 capacity | f64 fpp | u32 expansion | u16 hash id | u16 schedule | u64 seed |
//               16 bytes secret | u32 layers | u32 0, then for each layer
//               u64 keys | u64 capacity | f64 fpp | u64 words | u32 hash count | u32 fingerprint bits, then
//               u8 state for each page of each layer whose bits are late
//   quotient    the same as bloomery up to its layers, then
//               u32 quotients | u32 remainder bits | u16 bucket size | u16 iterations | u32 0 |
//               u64 deleted, then u8 level for each layer
//
// Only version 3 of the front has schedule and fingerprint bits. In its other versions they are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "redis_module/bloom_value.h"
#include "redis_module/front_fields.h"

namespace bloomery::redis_module {

enum class PlanHas : std::uint8_t { kNoSchedule, kSchedule };

// Returns true if the filter has properties that versions 1 and 2 of the front cannot store.
bool is_of_late_version(const GrowingFilter& filter);

void write_plan(const GrowingFilter& filter, FrontWriter& out);
void write_plan(const DeletableFilter& filter, const CuckooNumbers& cuckoo, FrontWriter& out);
// Writes the states of a layer's pages, bits or fingerprints; nothing if the layer began as bits.
void write_states(const GrowingFilter::Layer& layer, FrontWriter& out);

// Makes the filter of a plan, without keys. Errors: kCorruption, kUnsupported, kCapacity.
Result<GrowingFilter> read_growing(std::span<const std::byte> bytes, PlanHas has);
Result<std::unique_ptr<BloomValue>> read_deletable(std::span<const std::byte> bytes);

}  // namespace bloomery::redis_module
