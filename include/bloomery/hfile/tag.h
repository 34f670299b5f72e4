// The tags of a cell: typed data that HBase attaches to it, such as a time to live.
//
//   (u16 length of type and bytes | u8 type | bytes)*          big-endian
//
// Example:
//    std::string_view tags = cell.tags;
//    while (const std::optional<Tag> tag = read_tag(tags)) {
//      std::cout << int{tag->type} << " has " << tag->bytes.size() << " bytes\n";
//    }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

// HBase's own types are:
//
//   1      access control
//   2      visibility
//   5, 6   MOB references
//   8      time to live (i64 milliseconds)
//
// Users may define other types.
struct Tag {
  std::uint8_t type = 0;
  std::string_view bytes = {};
};

// Removes the first tag from the front of `tags` and returns it. Returns nothing at the end. At damage it
// also returns nothing, and bytes are left.
inline std::optional<Tag> read_tag(std::string_view& tags) {
  if (tags.size() < 3) {
    return std::nullopt;
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(tags[i]); };
  const std::size_t size = static_cast<std::size_t>(byte(0) << 8 | byte(1));
  if (size == 0 || size > tags.size() - 2) {
    return std::nullopt;
  }
  const Tag tag{byte(2), tags.substr(3, size - 1)};
  tags.remove_prefix(2 + size);
  return tag;
}

// Returns true if `tags` consists of complete tags only.
inline bool has_whole_tags(std::string_view tags) {
  while (read_tag(tags)) {
  }
  return tags.empty();
}

}  // namespace bloomery
