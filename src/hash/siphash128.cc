#include "hash/siphash128.h"

#include <sodium/crypto_shorthash_siphash24.h>

#include "base/endian.h"

namespace bloomery {

std::array<std::uint64_t, 2> siphash128(const void* data, std::size_t size,
                                        std::span<const std::uint8_t, 16> key) {
  std::array<unsigned char, crypto_shorthash_siphashx24_BYTES> hash{};
  crypto_shorthash_siphashx24(hash.data(), static_cast<const unsigned char*>(data), size, key.data());
  const auto* const bytes = reinterpret_cast<const std::byte*>(hash.data());
  return {load_little64(bytes), load_little64(bytes + 8)};
}

}  // namespace bloomery
