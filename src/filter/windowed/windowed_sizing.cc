#include "bloomery/filter/windowed_sizing.h"

#include <cmath>
#include <string>

#include "filter/windowed/window_ring.h"

namespace bloomery {
namespace {

// Returns the fpp that each of G + 1 tables may have, so that all of them together have `fpp`.
double table_fpp(double fpp, const Window& window) {
  return fpp > 0 && fpp < 1 ? -std::expm1(std::log1p(-fpp) / (window.generations + 1.0)) : fpp;
}

Status check_capacity(std::uint64_t capacity, const Window& window) {
  BLOOMERY_RETURN_IF_ERROR(check_window(window));
  if (window.kind == WindowKind::kCount && capacity != 0 && capacity != window.length) {
    return Error::invalid_argument("capacity", "expected the window, " + std::to_string(window.length) +
                                                   " keys, found " + std::to_string(capacity));
  }
  return {};
}

}  // namespace

Result<BlockedShape> windowed_shape_for_fpp(std::uint64_t capacity, double fpp, const Window& window,
                                            BlockedSetting setting) {
  BLOOMERY_RETURN_IF_ERROR(check_capacity(capacity, window));
  const std::uint64_t keys = window.kind == WindowKind::kCount ? window.length : capacity;
  return blocked_shape_for_fpp(windowed_generation_capacity(keys, window), table_fpp(fpp, window), setting);
}

std::uint64_t windowed_bytes(const BlockedShape& table, const Window& window) {
  return WindowRing::front_bytes_for(window.generations) +
         (std::uint64_t{window.generations} + 1) * table.words * 8;
}

std::uint64_t windowed_generation_capacity(std::uint64_t capacity, const Window& window) {
  return capacity / window.generations + (capacity % window.generations != 0 ? 1 : 0);
}

}  // namespace bloomery
