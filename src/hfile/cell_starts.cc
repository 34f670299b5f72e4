#include "hfile/cell_starts.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "hfile/encoding/plain_cells.h"
#include "hfile/flat_key.h"

namespace bloomery::hfile {
namespace {

// A cell has two lengths and a key of 12 bytes at least, so its start takes a fifth of it; twice that while
// the list grows.
constexpr std::size_t kBytesOfPayload = 2;

// Precondition: a sound cell begins there.
CellKey key_at(std::span<const std::byte> payload, std::uint32_t start) {
  const std::byte* const cell = payload.data() + start;
  CellKey key;
  (void)read_flat_key({reinterpret_cast<const char*>(cell + 8), load_big32(cell)}, key);
  return key;
}

}  // namespace

std::unique_ptr<const CellStarts> CellStarts::of(std::span<const std::byte> payload, const CellLayout& layout,
                                                 MemoryShare memory) {
  if (payload.size() > std::numeric_limits<std::uint32_t>::max() ||
      !memory.try_add(payload.size() / kBytesOfPayload)) {
    return nullptr;
  }
  auto made = std::make_unique<CellStarts>();
  PlainCells cells(payload, layout);
  CellKey before;
  while (true) {
    const std::size_t start = cells.position();
    FlatCell cell;
    const Step step = cells.next(cell);
    if (step == Step::kEnd) {
      made->starts_.shrink_to_fit();
      made->memory_ = std::move(memory);
      return made;
    }
    CellKey key;
    if (step == Step::kDamaged || !read_flat_key(cell.key, key) || (!made->starts_.empty() && key < before)) {
      return nullptr;
    }
    made->starts_.push_back(static_cast<std::uint32_t>(start));
    before = key;
  }
}

std::size_t CellStarts::seek(std::span<const std::byte> payload, const CellKey& key) const {
  const auto found = std::ranges::partition_point(
      starts_, [&](std::uint32_t start) { return key_at(payload, start) < key; });
  return found == starts_.end() ? payload.size() : *found;
}

}  // namespace bloomery::hfile
