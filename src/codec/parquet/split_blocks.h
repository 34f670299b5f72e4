// The blocks of a split-block filter. A block is 32 bytes: eight little-endian words. A key sets one bit in
// each word of one block.
//
//   h      = XXH64(key), seed 0
//   block  = floor((h / 2^32) * blocks / 2^32)
//   word i: bit floor(((h mod 2^32) * salt(i) mod 2^32) / 2^27)
//
// SplitBlocks is a view of bytes, which need no alignment. Source: docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bloomery::parquet {

inline constexpr std::uint64_t kBlockBytes = 32;
inline constexpr std::uint32_t kBitsAKey = 8;

class SplitBlocks {
 public:
  // Precondition: the size is a multiple of 32 bytes, at least 32, at most 2^31.
  explicit SplitBlocks(std::span<const std::byte> bitset);

  std::span<const std::byte> bitset() const { return bitset_; }
  std::uint64_t block_count() const { return blocks_; }
  std::uint64_t bits() const { return bitset_.size() * 8; }
  // Returns the offset of the block for this hash.
  std::uint64_t offset_of(std::uint64_t hash) const { return ((hash >> 32) * blocks_ >> 32) * kBlockBytes; }
  const std::byte* block_of(std::uint64_t hash) const { return bitset_.data() + offset_of(hash); }
  bool test(std::uint64_t hash) const;

  std::uint64_t set_bits() const;
  // Returns the fpp for a random absent key: the mean over the blocks.
  double fpp() const;

 private:
  std::span<const std::byte> bitset_;
  std::uint64_t blocks_;
};

// Sets the key's bits in its block. Returns true if one of them was clear.
bool set_bits_of(std::uint64_t hash, std::byte* block);

// Returns true if any of the filters may contain the key.
bool any_may_contain(std::span<const SplitBlocks> filters, std::string_view key);
// Queries many keys like DialectFilter::may_contain_batch(). It prefetches blocks before it tests them.
void any_may_contain_batch(std::span<const SplitBlocks> filters, std::span<const std::string_view> keys,
                           std::span<std::uint64_t> answers);

}  // namespace bloomery::parquet
