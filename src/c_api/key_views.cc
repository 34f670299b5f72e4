#include "c_api/key_views.h"

namespace bloomery::c_api {

bool are_ascending(const bloomery_keys& keys) {
  // The offsets ascend if no offset and no difference of neighbours has its highest bit set. The compiler
  // can vectorise a loop that ORs them.
  std::uint64_t bits = keys.offsets[0];
  for (std::size_t i = 0; i < keys.count; ++i) {
    bits |= keys.offsets[i + 1] | (keys.offsets[i + 1] - keys.offsets[i]);
  }
  return bits <= kMostBytes;
}

void read_keys(const bloomery_keys& keys, std::size_t first, std::span<std::string_view> views) {
  const auto* data = static_cast<const char*>(keys.data);
  if (keys.offsets == nullptr) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      views[i] = std::string_view(data + (first + i) * keys.width, keys.width);
    }
  } else if (keys.lengths == nullptr && data != nullptr) {
    std::uint64_t begin = keys.offsets[first];
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::uint64_t end = keys.offsets[first + i + 1];
      views[i] = std::string_view(data + begin, end - begin);
      begin = end;
    }
  } else {
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::uint64_t length = keys.lengths == nullptr ? 0 : keys.lengths[first + i];
      views[i] = length == 0 ? std::string_view() : std::string_view(data + keys.offsets[first + i], length);
    }
  }
}

}  // namespace bloomery::c_api
