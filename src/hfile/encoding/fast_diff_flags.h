// The flags of a cell in the encoding FAST_DIFF; fast_diff_cells.h says what they mean.
#pragma once

namespace bloomery::hfile {

inline constexpr unsigned kFastDiffSharedTimestampBytes = 7;  // a mask, and the largest number
inline constexpr unsigned kFastDiffSameKeyLength = 8;
inline constexpr unsigned kFastDiffSameValueLength = 0x10;
inline constexpr unsigned kFastDiffSameType = 0x20;
inline constexpr unsigned kFastDiffSameValue = 0x40;

}  // namespace bloomery::hfile
