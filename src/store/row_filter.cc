#include "store/row_filter.h"

#include <algorithm>
#include <utility>

#include "base/atomic_word.h"
#include "base/pages.h"
#include "base/prefetch.h"
#include "bloomery/base/uint128.h"

namespace bloomery::store {
namespace {

constexpr std::uint64_t kFirstLayerBytes = 4096;
constexpr std::uint64_t kBytesOfCellsPerByte = 128;
constexpr unsigned kBitsOfRow = 5;
constexpr unsigned kWordBits = 6;
constexpr unsigned kLineBits = 9;

std::uint64_t* line_of(std::uint64_t* words, std::uint64_t lines, const Hash128& hash) {
  const auto line = static_cast<std::uint64_t>(Uint128{hash.low} * lines >> 64);
  return words + line * (kCacheLineBytes / sizeof(std::uint64_t));
}

// Calls `use(word, bit)` for each bit of a row.
template <typename Use>
void for_each_bit(std::uint64_t* line, std::uint64_t bits, const Use& use) {
  for (unsigned i = 0; i < kBitsOfRow; ++i, bits >>= kLineBits) {
    const std::uint64_t bit = bits & ((1u << kLineBits) - 1);
    use(line[bit >> kWordBits], bit & 63);
  }
}

// Tests all bits without a branch, because none could be predicted.
bool has_bits(std::uint64_t* line, std::uint64_t bits) {
  std::uint64_t all = 1;
  for_each_bit(line, bits,
               [&](const std::uint64_t& word, std::uint64_t bit) { all &= relaxed_load(word) >> bit; });
  return all != 0;
}

}  // namespace

Status RowFilter::reserve() {
  Layer& layer = layer_of_next();
  if (layer.lines > 0) {
    return {};
  }
  const std::uint64_t wanted =
      rows_ < kFirstRows ? kFirstLayerBytes : std::max(kFirstLayerBytes, most_bytes_ / kBytesOfCellsPerByte);
  const std::uint64_t size = rounded_up(wanted, kCacheLineBytes);
  BLOOMERY_ASSIGN_OR_RETURN(layer.memory, AlignedBuffer::zeroed_on_huge_pages(size));
  layer.lines = size / kCacheLineBytes;
  layer.words.store(reinterpret_cast<std::uint64_t*>(layer.memory.bytes().data()), std::memory_order_release);
  bytes_.store(bytes_.load(std::memory_order_relaxed) + size, std::memory_order_relaxed);
  return {};
}

void RowFilter::prefetch(const Hash128& hash) const {
  const Layer& layer = layer_of_next();
  prefetch_to_write(line_of(layer.words.load(std::memory_order_relaxed), layer.lines, hash));
}

void RowFilter::insert(const Hash128& hash) {
  const Layer& layer = layer_of_next();
  std::uint64_t* const words = layer.words.load(std::memory_order_relaxed);
  for_each_bit(line_of(words, layer.lines, hash), hash.high, [](std::uint64_t& word, std::uint64_t bit) {
    relaxed_store(word, relaxed_load(word) | std::uint64_t{1} << bit);
  });
  ++rows_;
}

bool RowFilter::may_contain(std::string_view row) const {
  const Hash128 hash = hash_of(row);
  const auto has = [&](const Layer& layer) {
    std::uint64_t* const words = layer.words.load(std::memory_order_acquire);
    return words != nullptr && has_bits(line_of(words, layer.lines, hash), hash.high);
  };
  return has(layers_[0]) || has(layers_[1]);
}

}  // namespace bloomery::store
