// The planned sizes of a quotient filter's segments, and where the segments begin in a payload.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

// The least quotients of a planned segment. 256 more slots follow them.
inline constexpr std::uint64_t kLeastQuotients = 1024;
// The most quotients of a planned segment. A split then lasts milliseconds.
inline constexpr std::uint64_t kMostQuotients = std::uint64_t{1} << 17;
// The most bits of a fingerprint. So numbers of hashes and fingerprints fit 64 bits.
inline constexpr std::uint32_t kMostFingerprintBits = 63;

// The most entries of a directory for each segment. Evenly distributed hashes stay far below.
inline constexpr std::uint64_t kMostEntriesPerSegment = 64;

// Keys for every thousand quotients at capacity. The hash chooses the segment, so segments are unevenly full.
// Planned segments have 2^16 quotients or more, and there the load at which one splits is six standard
// deviations away.
inline constexpr std::uint64_t kPlannedLoad = 955;

// Returns true if an insert that has used so many slots of a segment splits it: at a load above 0.98.
constexpr bool is_over_split_load(std::uint64_t slots, std::uint64_t quotients) {
  return slots * 50 > quotients * 49;
}

// The front of a payload has the shape, the number of segments, and one byte of depth for each segment,
// padded to words.
inline constexpr std::size_t kDepthsAt = 16;

constexpr std::uint64_t quotient_front_bytes(std::uint64_t segments) {
  return kDepthsAt + (segments + 7) / 8 * 8;
}

}  // namespace bloomery
