#include "codec/redisbloom/chain_of.h"

#include "hash/murmur2.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint64_t kSeed64 = 0xc6a4a7935bd1e995;
constexpr std::uint32_t kSeed32 = 0x9747b28c;

}  // namespace

KeyHash key_hash(std::string_view key, std::uint32_t options) {
  if ((options & kForce64) != 0) {
    const std::uint64_t a = murmur64a(key, kSeed64);
    return {.a = a, .b = murmur64a(key, a)};
  }
  const std::uint32_t a = murmur2_32(key, kSeed32);
  return {.a = a, .b = murmur2_32(key, a)};
}

}  // namespace bloomery::redisbloom
