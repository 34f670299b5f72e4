// The front of a quotient filter's payload, before the tables of its segments.
//
//   u32 quotients | u8 depth | u8 remainder bits | u8 growth doublings | u8 0     the shape
//   u64 segments
//   one byte of depth for each segment, in the order of their hashes, padded with zeroes to a word
//
// Source: docs/formats/native.md. Not here: the tables (quotient_slots.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/quotient_sizing.h"
#include "filter/native/native_header.h"
#include "filter/quotient/quotient_layout.h"
#include "filter/quotient/segment_shape.h"

namespace bloomery {

struct QuotientFront {
  QuotientShape shape;
  std::vector<std::byte> depths;  // of the segments, in the order of their hashes
};

// Returns the shape of the segments. The level of a segment is its depth.
SegmentShape segments_of(const QuotientShape& shape);

// Returns the size of a payload's front from its first 16 bytes, or nothing if there are fewer.
std::optional<std::uint64_t> quotient_front_bytes_in(std::span<const std::byte> payload);

// Reads the front of a payload of `payload_bytes`. `begin` has the payload's first bytes: its front if the
// payload has room for one, and at least min(16, payload_bytes) in any case. Errors: kCorruption, with the
// offset in the file, unless the segments cover all hashes and fill the payload.
Result<QuotientFront> read_quotient_front(std::span<const std::byte> begin, std::uint64_t payload_bytes);

std::vector<std::byte> write_quotient_front(const QuotientShape& shape, std::span<const std::byte> depths);

// Checks the header fields that repeat values of the payload, which has so many keys. Errors: kCorruption.
Status check_quotient_header(const NativeHeader& header, const QuotientShape& shape, std::uint64_t keys);

}  // namespace bloomery
