// One chunk of a chunked Bloom filter: a bit array that is filled and queried.
//
//   position i of a key = |first + i * second| mod bits       i = 0 .. k - 1
//   position p          = bit (p mod 8), counted from the lowest, of byte (p div 8)
//
// The sum wraps around as a signed integer of 32 bits, as in Java.
//
// A chunk is filled at its full size and folded when it ends. Folding combines its halves with OR while it
// remains large enough for its keys (bloom_sizing.h). A position modulo the folded size is the same bit, so
// the folded chunk is a filter of the same keys.
//
// Source: HBase's BloomFilterUtil and BloomFilterChunk; docs/formats/hfile.md. bloom_meta.h finds the chunk
// of a key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/hfile/hfile_choices.h"
#include "hfile/bloom/bloom_hash.h"
#include "hfile/bloom/bloom_sizing.h"

namespace bloomery::hbase {

// The positions of a key's bits in an array of `bits` bits.
class ChunkPositions {
 public:
  // Precondition: bits > 0.
  explicit ChunkPositions(std::uint32_t bits)
      : bits_(bits), mask_(bits - 1), masked_((bits & (bits - 1)) == 0) {}

  std::uint32_t of(HashPair pair, std::uint32_t i) const {
    const std::uint32_t sum = pair.first + i * pair.second;
    return masked_ ? magnitude(sum) & mask_ : magnitude(sum) % bits_;
  }

  // Calls work(position) for the key's positions number `begin` up to `end`, until it returns false. Returns
  // true if no call returned false.
  template <typename Work>
  bool each(HashPair pair, std::uint32_t begin, std::uint32_t end, Work work) const {
    return masked_ ? each_of(pair, begin, end, [&](std::uint32_t number) { return work(number & mask_); })
                   : each_of(pair, begin, end, [&](std::uint32_t number) { return work(number % bits_); });
  }

 private:
  // Returns the absolute value of the signed integer with these bits. It uses arithmetic only: a branch on
  // the sign of a hash would be mispredicted every other time.
  static std::uint32_t magnitude(std::uint32_t sum) {
    const std::uint32_t sign = 0 - (sum >> 31);
    return (sum ^ sign) - sign;
  }

  template <typename Work>
  static bool each_of(HashPair pair, std::uint32_t begin, std::uint32_t end, Work work) {
    std::uint32_t sum = pair.first + begin * pair.second;
    for (; begin < end; ++begin, sum += pair.second) {
      if (!work(magnitude(sum))) {
        return false;
      }
    }
    return true;
  }

  std::uint32_t bits_;
  std::uint32_t mask_;
  bool masked_;  // bits_ is a power of two, as in a full chunk of the default size
};

// A position is a Java int, so no chunk can have more bytes than this.
inline constexpr std::size_t kMaxChunkBytes = std::numeric_limits<std::int32_t>::max() / 8;

// Returns true if the chunk can be queried. A damaged chunk may have no bytes, or more than positions can
// reach.
inline bool can_be_asked(std::span<const std::byte> chunk) {
  return !chunk.empty() && chunk.size() <= kMaxChunkBytes;
}

// Returns true if the chunk may hold the key, or if it cannot be queried.
bool may_contain(std::span<const std::byte> chunk, std::uint32_t hash_count, HashPair pair);

// The query of may_contain() in steps, which can be interleaved with queries for other keys. prefetch()
// fetches the next bits, and test() tests them.
//
//   probe.prefetch(3);
//   ...
//   is_maybe = probe.test(3) && (probe.prefetch(255), probe.test(255))      // for any number of hashes
//
// Half of a full chunk's bits are set. Each bit therefore rejects half of the remaining absent keys.
class ChunkProbe {
 public:
  // Begins a query. A chunk that cannot be queried has no bits left, so the answer is maybe.
  void start(std::span<const std::byte> chunk, std::uint32_t hash_count, HashPair pair) {
    const bool can = can_be_asked(chunk);
    bytes_ = chunk.data();
    bits_ = can ? static_cast<std::uint32_t>(chunk.size() * 8) : 1;
    left_ = can ? hash_count : 0;
    sum_ = pair.first;
    step_ = pair.second;
  }

  // Prefetches the next `count` bits, or those that are left.
  void prefetch(std::uint32_t count) const {
    each(count, [&](std::uint32_t position) { __builtin_prefetch(bytes_ + position / 8); });
  }
  // Returns true if the next `count` bits, or those that are left, are all set.
  bool test(std::uint32_t count) {
    unsigned set = 1;
    sum_ = each(count, [&](std::uint32_t position) {
      set &= std::to_integer<unsigned>(bytes_[position / 8]) >> (position % 8);
    });
    left_ -= std::min(count, left_);
    return (set & 1) != 0;
  }
  // Like test(1), for a loop over many queries. Precondition: !is_done().
  bool test_one() {
    const std::uint32_t position = ChunkPositions(bits_).of({sum_, 0}, 0);
    sum_ += step_;
    --left_;
    return (std::to_integer<unsigned>(bytes_[position / 8]) >> (position % 8) & 1) != 0;
  }
  // Returns true if all bits were tested. Then the answer is maybe.
  bool is_done() const { return left_ == 0; }

 private:
  // Calls work(position) for the next bits, and returns the sum after them.
  template <typename Work>
  std::uint32_t each(std::uint32_t count, Work work) const {
    const ChunkPositions positions(bits_);
    const std::uint32_t end = std::min(count, left_);
    (void)positions.each({sum_, step_}, 0, end, [&](std::uint32_t position) {
      work(position);
      return true;
    });
    return sum_ + end * step_;
  }

  const std::byte* bytes_ = nullptr;
  std::uint32_t bits_ = 1;
  std::uint32_t left_ = 0;  // bits that are not tested yet
  std::uint32_t sum_ = 0;   // first + i * second for the next bit, i
  std::uint32_t step_ = 0;
};

struct FinishedChunk {
  std::string bytes;
  std::uint32_t key_count = 0;
  std::uint32_t max_keys = 0;  // after folding
};

// Calls: (add* finish)*.   Precondition of add(): !is_full().
class ChunkBuilder {
 public:
  ChunkBuilder(const ChunkShape& shape, BloomHash hash)
      : shape_(shape), hash_(hash), positions_(shape.byte_size * 8), bits_(shape.byte_size, '\0') {}

  // Adds a key. Every call counts as one key, so the caller omits repeated keys.
  void add(std::string_view key);
  bool is_full() const { return key_count_ >= shape_.max_keys; }
  std::uint32_t key_count() const { return key_count_; }
  // Returns the chunk, folded, and begins an empty one.
  FinishedChunk finish();

 private:
  ChunkShape shape_;
  BloomHash hash_;
  ChunkPositions positions_;
  std::string bits_;
  std::uint32_t key_count_ = 0;
};

}  // namespace bloomery::hbase
