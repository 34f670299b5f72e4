// How large the segments of a quotient filter are planned to be, and where they begin in a payload.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

inline constexpr std::uint64_t kLeastQuotients = 1024;  // of what is planned: 256 slots are behind them
// Likewise: a split takes milliseconds.
inline constexpr std::uint64_t kMostQuotients = std::uint64_t{1} << 17;
// Fingerprints have fewer bits, so that numbers of hashes and fingerprints stay in their words.
inline constexpr std::uint32_t kMostFingerprintBits = 63;

// Keys for every thousand quotients at capacity. Segments are chosen by hash and unevenly full: of those that
// are planned, which have 2^16 quotients or more, the load at which one splits is six standard deviations
// away.
inline constexpr std::uint64_t kPlannedLoad = 955;

// The front of a payload: shape, number of segments, and a byte of depth for each, padded to words.
inline constexpr std::size_t kDepthsAt = 16;

constexpr std::uint64_t quotient_front_bytes(std::uint64_t segments) {
  return kDepthsAt + (segments + 7) / 8 * 8;
}

}  // namespace bloomery
