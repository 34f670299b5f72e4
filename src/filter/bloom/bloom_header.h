// Reads the shape of a bloom or counting filter from the header of a native file. Computes the size of its
// payload, and checks the bits after its last cell, which are 0.
//
// Source: docs/formats/native.md, payloads of type 1 and 4.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/native_header.h"

namespace bloomery {

// Returns the payload's size, rounded up to words of 64 bits.
std::uint64_t bloom_payload_bytes(std::uint64_t bits);
std::uint64_t counting_payload_bytes(std::uint64_t counters);

// Errors: kCorruption, with the offset of the field.
Result<BloomShape> bloom_shape_of(const NativeHeader& header);

// Check that no bit is set after the last cell, in the last word of the payload. Errors: kCorruption.
Status check_bits_behind_last(const BloomShape& shape, std::uint64_t last_word);
Status check_counters_behind_last(const BloomShape& shape, std::uint64_t last_word);

}  // namespace bloomery
