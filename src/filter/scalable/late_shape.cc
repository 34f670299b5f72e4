#include "filter/scalable/late_shape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace bloomery {
namespace {

constexpr double kSpare = 64;  // see 2^g

std::uint64_t pieces_for(std::uint64_t windows) {
  return (windows + kMostPieceWindows - 1) / kMostPieceWindows;
}

// Levels are four to a doubling from level 4 on.
std::uint64_t quotients_of_level(std::uint64_t level) {
  return kSlotsPerBlock * (level < 4 ? level : (4 + level % 4) << (level / 4 - 1));
}

}  // namespace

std::uint64_t windows_in_pieces(std::uint64_t windows) {
  const std::uint64_t pieces = pieces_for(windows);
  return (windows + pieces - 1) / pieces * pieces;
}

std::uint32_t late_fingerprint_bits(std::uint64_t windows, std::uint64_t capacity, double fpp) {
  if (windows <= kMostPieceWindows) {
    return 0;
  }
  const auto pieces = static_cast<double>(pieces_for(windows));
  int bits = 0;
  // 2^(bits - 1) <= the quotient < 2^bits. If it is a power of two, it gets a bit more than it needs.
  static_cast<void>(std::frexp(kSpare * static_cast<double>(capacity) / pieces / fpp, &bits));
  const auto wanted = static_cast<std::uint32_t>(std::max(bits, 0));
  return wanted > kMostLateBits ? 0 : std::max(wanted, kFewestLateBits);
}

Result<LateShape> late_shape(const BlockedShape& shape, std::uint32_t fingerprint_bits) {
  BLOOMERY_RETURN_IF_ERROR(check_blocked_shape(shape));
  const std::uint64_t windows = shape.windows();
  if (windows <= kMostPieceWindows || windows % pieces_for(windows) != 0) {
    return Error(ErrorCode::kCorruption, "late layer",
                 "expected the windows of two or more equal pieces, found " + std::to_string(windows));
  }
  if (fingerprint_bits < kFewestLateBits || fingerprint_bits > kMostLateBits) {
    return Error(ErrorCode::kCorruption, "late layer",
                 "expected fingerprints of 20 to 54 bits, found " + std::to_string(fingerprint_bits));
  }
  const std::uint64_t pieces = pieces_for(windows);
  return LateShape{.pieces = pieces,
                   .windows = windows / pieces,
                   .hash_count = shape.hash_count,
                   .fingerprint_bits = fingerprint_bits};
}

std::vector<LateLevel> late_levels(const LateShape& shape) {
  std::vector<LateLevel> levels;
  for (std::uint64_t level = 1;; ++level) {
    const std::uint64_t quotients = quotients_of_level(level);
    const auto floor_log2 = static_cast<std::uint32_t>(std::bit_width(quotients)) - 1;
    const std::uint32_t remainder_bits = std::max(shape.fingerprint_bits, floor_log2 + 1) - floor_log2;
    const QuotientPlan plan{.quotients = quotients, .remainder_bits = remainder_bits};
    const std::uint64_t bytes = *quotient_words(plan) * sizeof(std::uint64_t);
    if (bytes >= shape.piece_bytes()) {
      return levels;
    }
    levels.push_back({.quotients = static_cast<std::uint32_t>(quotients),
                      .bytes = static_cast<std::uint32_t>(bytes),
                      .most_keys = static_cast<std::uint16_t>(quotients * 24 / 25),
                      .remainder_bits = static_cast<std::uint8_t>(remainder_bits)});
  }
}

}  // namespace bloomery
