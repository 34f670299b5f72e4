#include "cli/line_places.h"

#include <algorithm>
#include <cassert>

namespace bloomery::cli {

void LinePlaces::note(std::uint64_t ordinal, const std::string& name, std::uint64_t line) {
  if (!stretches_.empty()) {
    const Stretch& last = stretches_.back();
    if (last.name == name && line - last.line == ordinal - last.ordinal) {
      return;
    }
  }
  stretches_.push_back({.ordinal = ordinal, .name = name, .line = line});
}

std::string LinePlaces::of(std::uint64_t ordinal) const {
  const auto after = std::ranges::upper_bound(stretches_, ordinal, {}, &Stretch::ordinal);
  assert(after != stretches_.begin());
  const Stretch& stretch = *std::prev(after);
  return stretch.name + ":" + std::to_string(stretch.line + (ordinal - stretch.ordinal));
}

}  // namespace bloomery::cli
