#include "hash/xxh64.h"

// The header's own inlined form, as in hash128.cc.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {

std::uint64_t xxh64(std::string_view key, std::uint64_t seed) {
  return XXH64(key.data(), key.size(), seed);
}

}  // namespace bloomery
