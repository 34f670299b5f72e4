#include "hash/xxh.h"

#include <cassert>

// The header's own inlined form: a call through the shared library costs a short key time.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {
namespace {

// Returns a pointer that is never null; that of an empty span may be.
const void* first_byte(std::span<const std::byte> bytes) {
  const void* const data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
  assert(data != nullptr);  // tells the analyser what the header does not say
  return data;
}

}  // namespace

std::uint64_t xxh64(std::string_view key, std::uint64_t seed) {
  const char* const data = key.empty() ? "" : key.data();
  assert(data != nullptr);  // tells the analyser what the header does not say
  return XXH64(data, key.size(), seed);
}

std::uint32_t xxh32(std::span<const std::byte> bytes) {
  return XXH32(first_byte(bytes), bytes.size(), 0);
}

std::uint64_t xxh3_64(std::span<const std::byte> bytes) {
  return XXH3_64bits(first_byte(bytes), bytes.size());
}

}  // namespace bloomery
