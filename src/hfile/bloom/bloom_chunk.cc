#include "hfile/bloom/bloom_chunk.h"

#include <algorithm>
#include <cassert>

namespace bloomery::hbase {
namespace {

// Returns the OR of all segments of `folded_bytes` in `bits`.
std::string folded(std::string_view bits, std::size_t folded_bytes) {
  std::string result(bits.substr(0, folded_bytes));
  for (std::size_t i = folded_bytes; i < bits.size(); ++i) {
    char& byte = result[i % folded_bytes];
    byte = static_cast<char>(byte | bits[i]);
  }
  return result;
}

}  // namespace

bool may_contain(std::span<const std::byte> chunk, std::uint32_t hash_count, HashPair pair) {
  if (!can_be_asked(chunk)) {
    return true;
  }
  const ChunkPositions positions(static_cast<std::uint32_t>(chunk.size() * 8));
  // The loop tests all bits of a group before it decides. So the cache misses of a group overlap, and no bit
  // costs a branch prediction. This saves more time than stopping at the first zero bit would.
  constexpr std::uint32_t kGroup = 8;
  for (std::uint32_t begin = 0; begin < hash_count; begin += kGroup) {
    unsigned set = 1;
    positions.each(pair, begin, std::min(begin + kGroup, hash_count), [&](std::uint32_t position) {
      set &= std::to_integer<unsigned>(chunk[position / 8]) >> (position % 8);
      return true;
    });
    if (set == 0) {
      return false;
    }
  }
  return true;
}

void ChunkBuilder::add(std::string_view key) {
  assert(!is_full());
  const HashPair pair = hash_pair(hash_, key);
  char* const bits = bits_.data();  // a local: a store through a char* could alias the member
  const ChunkPositions positions = positions_;
  positions.each(pair, 0, shape_.hash_count, [&](std::uint32_t position) {
    bits[position / 8] = static_cast<char>(bits[position / 8] | 1 << (position % 8));
    return true;
  });
  ++key_count_;
}

FinishedChunk ChunkBuilder::finish() {
  const ChunkShape shape = folded_shape(shape_, key_count_);
  FinishedChunk chunk{folded(bits_, shape.byte_size), key_count_, shape.max_keys};
  bits_.assign(shape_.byte_size, '\0');
  key_count_ = 0;
  return chunk;
}

}  // namespace bloomery::hbase
