// Copies groups of chunks or segments. A copy shares what a group holds and counts one more holder there, so it waits for the
// memory of each count. The counts of groups that come later are fetched meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bloomery::redis_module {

template <typename Group>
std::vector<Group> copied_groups(const std::vector<Group>& groups) {
  constexpr std::size_t kAhead = 16;
  std::vector<Group> copies;
  copies.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[std::min(i + kAhead, groups.size() - 1)].prefetch_counts();
    copies.push_back(groups[i]);
  }
  return copies;
}

}  // namespace bloomery::redis_module
