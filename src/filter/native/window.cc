#include "bloomery/filter/window.h"

#include <string>

namespace bloomery {

Status check_window(const Window& window) {
  if (window.kind != WindowKind::kCount && window.kind != WindowKind::kAge) {
    return Error::invalid_argument(
        "window kind",
        "expected 1 (count) or 2 (age), found " + std::to_string(static_cast<std::uint32_t>(window.kind)));
  }
  if (window.generations == 0 || window.generations > kMaxGenerations) {
    return Error::invalid_argument("generations",
                                   "expected 1 to 64, found " + std::to_string(window.generations));
  }
  if (window.length < window.generations || window.length > kMaxWindow) {
    return Error::invalid_argument("window", "expected " + std::to_string(window.generations) + " to 2^62 " +
                                                 (window.kind == WindowKind::kCount ? "keys" : "ns") +
                                                 " in " + std::to_string(window.generations) +
                                                 " generations, found " + std::to_string(window.length));
  }
  return {};
}

}  // namespace bloomery
