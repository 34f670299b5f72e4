#include "redis_module/recent_keys.h"

#include "base/endian.h"

namespace bloomery::redis_module {

std::string RecentKeys::from(std::uint64_t number) const {
  std::string bytes((next_ - number) * sizeof(std::uint64_t), '\0');
  for (std::size_t at = 0; number < next_; ++number, at += sizeof(std::uint64_t)) {
    store_little(reinterpret_cast<std::byte*>(bytes.data() + at), hashes_[number % hashes_.size()]);
  }
  return bytes;
}

}  // namespace bloomery::redis_module
