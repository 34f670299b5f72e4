// A Bloom filter of the rows of a memstore, for one writer, and readers without locks.
//
//   layer     lines of 64 bytes; a row has five bits in one line
//
// The first layer has 4 KiB and takes kFirstRows rows; the rows after them go to a second layer, which is
// allocated then. So the many memstores that stay small cost little. The second layer has one byte for each
// 128 bytes that the memstore may occupy. At 128 MiB that is 1 MiB, which a second-level cache holds. With
// 20-byte rows and 100-byte values a row has some 15 bits. A blocked filter of src/filter has locked inserts,
// or excludes readers.
//
// Threads: may_contain() from any thread; insert() from one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/memory.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::store {

class RowFilter {
 public:
  static constexpr std::uint64_t kFirstRows = 2048;

  explicit RowFilter(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  static Hash128 hash_of(std::string_view row) { return hash_bytes(row, {}); }

  // Allocates what the next insert() needs. Errors: kCapacity; then the filter is unchanged.
  Status reserve();
  // Brings the line of the next insert() into the cache. Precondition: reserve() succeeded.
  void prefetch(const Hash128& hash) const;
  void insert(const Hash128& hash);
  // Returns false only if the row was not inserted before the call.
  bool may_contain(std::string_view row) const;

  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Layer {
    AlignedBuffer memory;
    std::uint64_t lines = 0;
    std::atomic<std::uint64_t*> words = nullptr;  // published last
  };

  const Layer& layer_of_next() const { return layers_[rows_ < kFirstRows ? 0 : 1]; }
  Layer& layer_of_next() { return layers_[rows_ < kFirstRows ? 0 : 1]; }

  std::uint64_t most_bytes_;
  std::uint64_t rows_ = 0;
  std::array<Layer, 2> layers_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace bloomery::store
