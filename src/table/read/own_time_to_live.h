// The time to live that a cell has for itself, in a tag. Source: HBase 2.6, ScanQueryMatcher.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/endian.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/tag.h"

namespace bloomery::table {

// Returns true if the cell is older than the time to live in its first tag of that type.
inline bool has_outlived_itself(const Cell& cell, std::int64_t now) {
  constexpr std::uint8_t kTimeToLiveTag = 8;
  std::string_view tags = cell.tags;
  while (const auto tag = tags.empty() ? std::nullopt : read_tag(tags)) {
    if (tag->type == kTimeToLiveTag && tag->bytes.size() == 8) {
      const auto life =
          static_cast<std::int64_t>(load_big64(reinterpret_cast<const std::byte*>(tag->bytes.data())));
      std::int64_t end = 0;
      return !__builtin_add_overflow(cell.key.timestamp, life, &end) && end < now;
    }
  }
  return false;
}

}  // namespace bloomery::table
