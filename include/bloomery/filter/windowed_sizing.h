// The sizes of a windowed filter: from a window, capacity and fpp to the shape of its G + 1 tables, and to
// bytes.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/window.h"

namespace bloomery {

// Returns the shape of each table of a filter for `capacity` different keys per window at `fpp`. By count
// the window is the capacity; pass 0 or its length. Pure.
//
// Errors, all kInvalidArgument:
//
//   - check_window() refuses the window
//   - by count, the capacity is neither 0 nor the window's length
//   - blocked_shape_for_fpp() refuses a generation, whose fpp is about fpp / (G + 1)
Result<BlockedShape> windowed_shape_for_fpp(std::uint64_t capacity, double fpp, const Window& window,
                                            BlockedSetting setting = BlockedSetting::kFast);

// Returns the bytes of the payload: a header with the state of the window, and the tables.
std::uint64_t windowed_bytes(const BlockedShape& table, const Window& window);

// Returns the maximal number of different keys that a generation is sized for.
std::uint64_t windowed_generation_capacity(std::uint64_t capacity, const Window& window);

}  // namespace bloomery
