#include "filter/shards/hash_bits.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

// Kept hash bits make keys collide at a rate of at most 2^-8 of the fpp, if 64 bits suffice for that.
constexpr int kCollisionMarginBits = 8;
constexpr int kMinHashBits = 56;

}  // namespace

std::uint32_t hash_bits_for(std::uint64_t most_keys, double fpp) {
  const double collisions = std::max<double>(static_cast<double>(most_keys), 1) / fpp;
  const int bits = std::ilogb(collisions) + 1 + kCollisionMarginBits;
  return static_cast<std::uint32_t>(std::clamp(bits, kMinHashBits, 64));
}

Result<std::uint32_t> checked_hash_bits(std::uint64_t key_count, double fpp, std::uint32_t most_hash_bits) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  if (key_count > kMaxStaticKeys) {
    return Error::invalid_argument("keys", "expected at most 2^46, found " + std::to_string(key_count));
  }
  BLOOMERY_RETURN_IF_ERROR(shape_for_fpp(key_count, fpp));  // checks the limit that 64 hash bits set
  const std::uint32_t hash_bits = std::min(hash_bits_for(key_count, fpp), most_hash_bits);
  const double collisions = std::ldexp(static_cast<double>(key_count), -static_cast<int>(hash_bits));
  if (collisions > fpp / 2) {
    return Error::capacity("keys", "expected few enough for the " + std::to_string(hash_bits) +
                                       " hash bits that were kept of them, found " +
                                       std::to_string(key_count));
  }
  return hash_bits;
}

}  // namespace bloomery
