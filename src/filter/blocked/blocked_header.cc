#include "filter/blocked/blocked_header.h"

#include <string>

namespace bloomery {

Result<BlockedShape> blocked_shape_of(const NativeHeader& header) {
  const BlockedShape shape{.words = header.bits / 64,
                           .hash_count = header.hash_count,
                           .setting = static_cast<BlockedSetting>(header.stride_bytes)};
  Status status = check_blocked_shape(shape);
  if (status && header.bits % 64 != 0) {
    status =
        Error::invalid_argument("bits", "expected a multiple of 64, found " + std::to_string(header.bits));
  }
  if (!status) {
    return bad_header_shape(status.error());
  }
  return shape;
}

}  // namespace bloomery
