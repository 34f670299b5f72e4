#include "codec/hbase/bloom_chunk.h"

#include <cassert>
#include <limits>

namespace bloomery::hbase {
namespace {

constexpr std::size_t kMaxChunkBytes = std::numeric_limits<std::int32_t>::max() / 8;

// Lays the pieces of `folded_bytes` over the first.
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
  if (chunk.empty() || chunk.size() > kMaxChunkBytes) {
    return true;
  }
  const ChunkPositions positions(static_cast<std::uint32_t>(chunk.size() * 8));
  for (std::uint32_t i = 0; i < hash_count; ++i) {
    const std::uint32_t position = positions.of(pair, i);
    if ((std::to_integer<unsigned>(chunk[position / 8]) >> (position % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

void ChunkBuilder::add(std::string_view key) {
  assert(!is_full());
  const HashPair pair = hash_pair(hash_, key);
  for (std::uint32_t i = 0; i < shape_.hash_count; ++i) {
    const std::uint32_t position = positions_.of(pair, i);
    char& byte = bits_[position / 8];
    byte = static_cast<char>(byte | 1 << (position % 8));
  }
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
