#include "redis_module/bit_chunks.h"

#include <algorithm>
#include <string>

namespace bloomery::redis_module {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

std::byte mask_of(std::uint64_t position) {
  return static_cast<std::byte>(1U << (position % 8));
}

}  // namespace

Result<BitChunks> BitChunks::zeroed(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMostBytes) {
    return Error::capacity(
        "filter", "expected 1 to " + std::to_string(kMostBytes) + " bytes, found " + std::to_string(bytes));
  }
  BitChunks made;
  made.size_bytes_ = bytes;
  made.chunks_.resize((bytes + kChunkBytes - 1) / kChunkBytes);
  return made;
}

std::uint64_t BitChunks::chunk_size(std::size_t index) const {
  return std::min(kChunkBytes, size_bytes_ - index * kChunkBytes);
}

bool BitChunks::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t index = offset >> kChunkShift;
    const std::uint64_t within = offset % kChunkBytes;
    const auto piece = bytes.first(std::min<std::uint64_t>(bytes.size(), chunk_size(index) - within));
    if (read(index) != nullptr || !is_zero(piece)) {
      std::byte* const to = write(index);
      if (to == nullptr) {
        return false;
      }
      std::ranges::copy(piece, to + within);
    }
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

void BitChunks::load(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::size_t index = offset >> kChunkShift;
    const std::uint64_t within = offset % kChunkBytes;
    const auto piece = out.first(std::min<std::uint64_t>(out.size(), chunk_size(index) - within));
    if (const std::byte* const from = read(index); from != nullptr) {
      std::copy_n(from + within, piece.size(), piece.begin());
    } else {
      std::ranges::fill(piece, std::byte{0});
    }
    offset += piece.size();
    out = out.subspan(piece.size());
  }
}

bool BitChunks::test(std::uint64_t position) const {
  const std::byte* const bytes = read(position >> (kChunkShift + 3));
  return bytes != nullptr && (bytes[(position / 8) % kChunkBytes] & mask_of(position)) != std::byte{0};
}

bool BitChunks::set(std::uint64_t position) {
  std::byte* const bytes = write(position >> (kChunkShift + 3));
  if (bytes == nullptr) {
    return false;
  }
  bytes[(position / 8) % kChunkBytes] |= mask_of(position);
  return true;
}

void BitChunks::prefetch(std::uint64_t position) const {
  if (const std::byte* const bytes = read(position >> (kChunkShift + 3)); bytes != nullptr) {
    __builtin_prefetch(bytes + (position / 8) % kChunkBytes);
  }
}

std::uint64_t BitChunks::memory_bytes() const {
  std::uint64_t total = chunks_.size() * sizeof(SharedChunk);
  for (const SharedChunk& chunk : chunks_) {
    total += chunk.memory_bytes();
  }
  return total;
}

}  // namespace bloomery::redis_module
