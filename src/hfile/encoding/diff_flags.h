// The flags of a cell in the encoding DIFF; diff_cells.h says what they mean.
#pragma once

namespace bloomery::hfile {

inline constexpr unsigned kDiffSameKeyLength = 1;
inline constexpr unsigned kDiffSameValueLength = 2;
inline constexpr unsigned kDiffSameType = 4;
inline constexpr unsigned kDiffTimestampDiffers = 8;
inline constexpr unsigned kDiffTimestampIsNegative = 0x80;

}  // namespace bloomery::hfile
