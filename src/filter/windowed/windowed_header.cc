#include "filter/windowed/windowed_header.h"

#include <string>

namespace bloomery {

// The shape is checked before any arithmetic uses it.
Result<BlockedShape> windowed_shape_of(const NativeHeader& header, const Window& window) {
  const std::uint64_t tables = std::uint64_t{window.generations} + 1;
  const BlockedShape shape{.words = header.bits / 64 / tables,
                           .hash_count = header.hash_count,
                           .setting = static_cast<BlockedSetting>(header.stride_bytes)};
  Status status = check_blocked_shape(shape);
  if (status && header.bits % (64 * tables) != 0) {
    status = Error::invalid_argument("bits", "expected a multiple of " + std::to_string(64 * tables) +
                                                 ", found " + std::to_string(header.bits));
  }
  if (!status) {
    return bad_header_shape(status.error());
  }
  if (window.kind == WindowKind::kCount && header.capacity != window.length) {
    return bad_header_field(native_header::kCapacityAt, "capacity",
                            "the window, " + std::to_string(window.length), header.capacity);
  }
  return shape;
}

}  // namespace bloomery
