// The plan in a front (value_bytes.h) of the layouts bloomery and quotient: parameters, layers, and their states.
//
//   bloomery    u64 capacity | f64 fpp | u32 expansion | u16 hash id | u16 schedule | u64 seed | 16 bytes secret |
//               u32 layers | u32 0, then for each layer
//               u64 keys | u64 capacity | f64 fpp | u64 words | u32 hash count | u32 fingerprint bits, then
//               u8 state for each piece of each layer whose bits are late
//   quotient    as bloomery up to its layers, then
//               u32 quotients | u32 remainder bits | u16 bucket size | u16 iterations | u32 0 | u64 deleted, then
//               u8 level for each layer
//
// Schedule and fingerprint bits are in version 3 of the front alone. In its other versions they are 0.
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

// Whether the filter has what versions 1 and 2 of the front cannot tell.
bool is_of_late_version(const GrowingFilter& filter);

void write_plan(const GrowingFilter& filter, FrontWriter& out);
void write_plan(const DeletableFilter& filter, const CuckooNumbers& cuckoo, FrontWriter& out);
// Writes what a layer's bits or fingerprints look like; nothing if all its bits were there at once.
void write_states(const GrowingFilter::Layer& layer, FrontWriter& out);

// Makes the filter of a plan, without keys. Errors: kCorruption, kUnsupported, kCapacity.
Result<GrowingFilter> read_growing(std::span<const std::byte> bytes, PlanHas has);
Result<std::unique_ptr<BloomValue>> read_deletable(std::span<const std::byte> bytes);

}  // namespace bloomery::redis_module
