#include "hash/murmur3_x86_32.h"

#include <span>

namespace bloomery {
namespace {

using namespace murmur3_32;

// The state after all full words of the key, and the remaining bytes.
struct WholeWords {
  std::uint32_t hash;
  std::span<const std::byte> tail;
};

WholeWords hash_whole_words(std::string_view key, std::uint32_t seed) {
  std::span<const std::byte> left = std::as_bytes(std::span(key));
  std::uint32_t hash = seed;
  for (; left.size() >= 4; left = left.subspan(4)) {
    hash = with_word(hash, load_little32(left.data()));
  }
  return {.hash = hash, .tail = left};
}

}  // namespace

std::uint32_t murmur3_x86_32(std::string_view key, std::uint32_t seed) {
  const WholeWords words = hash_whole_words(key, seed);
  std::uint32_t tail = 0;
  for (std::size_t i = 0; i < words.tail.size(); ++i) {
    tail |= std::to_integer<std::uint32_t>(words.tail[i]) << (8 * i);
  }
  return finished(words.hash ^ mixed(tail), static_cast<std::uint32_t>(key.size()));  // mixed(0) is 0
}

std::uint32_t spark_murmur3_x86_32(std::string_view key, std::uint32_t seed) {
  const WholeWords words = hash_whole_words(key, seed);
  std::uint32_t hash = words.hash;
  for (const std::byte byte : words.tail) {
    hash = with_word(hash, static_cast<std::uint32_t>(static_cast<std::int8_t>(byte)));
  }
  return finished(hash, static_cast<std::uint32_t>(key.size()));
}

}  // namespace bloomery
