#include "c_api/key_pieces.h"

#include <limits>
#include <string>

#include "c_api/key_views.h"

namespace bloomery::c_api {
namespace {

Error refused(const std::string& detail) {
  return Error::invalid_argument("bloomery_keys", detail);
}

// Checks keys of one width: no lengths without offsets, a size that memory can hold, and data unless the
// width is 0.
Status check_fixed(const bloomery_keys& keys) {
  if (keys.lengths != nullptr) {
    return refused("offsets: expected offsets beside the lengths, found null");
  }
  if (keys.width > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / keys.count) {
    return refused("width: expected keys that memory can hold, found " + std::to_string(keys.width) +
                   " bytes each");
  }
  if (keys.data == nullptr && keys.width > 0) {
    return refused("data: expected the bytes of the keys, found null");
  }
  return {};
}

// Turns keys that are all empty into keys of width 0, since their offsets may point outside the data.
void make_empty(bloomery_keys& keys) {
  keys.offsets = nullptr;
  keys.width = 0;
}

Status check_offsets(const bloomery_keys& keys) {
  bool has_bytes = false;
  for (std::size_t i = 0; i < keys.count; ++i) {
    const std::uint64_t begin = keys.offsets[i];
    if (keys.lengths == nullptr && keys.offsets[i + 1] < begin) {
      return refused("offsets: expected them ascending, found " + std::to_string(keys.offsets[i + 1]) +
                     " behind " + std::to_string(begin));
    }
    const std::uint64_t length = keys.lengths == nullptr ? keys.offsets[i + 1] - begin : keys.lengths[i];
    if (begin > kMostBytes || length > kMostBytes - begin) {
      return refused("expected keys that memory can hold, found one of " + std::to_string(length) +
                     " bytes at " + std::to_string(begin));
    }
    has_bytes = has_bytes || length > 0;
  }
  return keys.data == nullptr && has_bytes
             ? Status(refused("data: expected the bytes of the keys, found null"))
             : Status();
}

}  // namespace

Result<bloomery_keys> checked_keys(const bloomery_keys* keys) {
  bloomery_keys read = BLOOMERY_KEYS_INIT;
  BLOOMERY_RETURN_IF_ERROR(read_struct(read, keys, "bloomery_keys"));
  if (read.count == 0) {
    return read;
  }
  if (read.count >
      static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(std::uint64_t)) {
    return refused("count: expected keys that memory can hold, found " + std::to_string(read.count));
  }
  if (read.offsets == nullptr) {
    BLOOMERY_RETURN_IF_ERROR(check_fixed(read));
  } else if (read.lengths != nullptr || read.data == nullptr || !are_ascending(read)) {
    BLOOMERY_RETURN_IF_ERROR(check_offsets(read));
  } else if (read.offsets[0] == read.offsets[read.count]) {
    make_empty(read);
  }
  return read;
}

}  // namespace bloomery::c_api
