#include "codec/xor_singleheader/fuse_construction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "filter/spool/sort_hashes.h"

namespace bloomery::xor_singleheader {
namespace {

// The count of a cell is 4 times the number of its keys, plus the XOR of the places (0 to 2) that it has
// among their cells.
constexpr std::uint8_t kOne = 4;
constexpr std::uint8_t kPlaces = 3;

bool has_keys(std::uint8_t count, unsigned keys) {
  return count / kOne == keys;
}

class Peeling {
 public:
  explicit Peeling(const FuseShape& shape)
      : shape_(shape), counts_(shape.cells()), sums_(shape.cells()), alone_(std::size_t{shape.cells()} + 2) {}

  // Counts the hashes in their cells. Returns false if a cell has 64 keys, which overflows its counter.
  // Hashes in ascending order touch neighbouring cells.
  bool count(std::span<const std::uint64_t> hashes) {
    std::ranges::fill(counts_, std::uint8_t{0});
    std::ranges::fill(sums_, 0);
    bool fits = true;
    for (const std::uint64_t hash : hashes) {
      const auto cells = fuse_cells(shape_, hash);
      for (unsigned place = 0; place < cells.size(); ++place) {
        std::uint8_t& count = counts_[cells[place]];
        count = static_cast<std::uint8_t>((count + kOne) ^ place);
        sums_[cells[place]] ^= hash;
        fits &= count >= kOne;
      }
    }
    return fits;
  }

  // Replaces the hashes by those that were peeled, in order, and notes which cell each of them gets. Returns
  // how many were peeled.
  std::size_t peel(std::span<std::uint64_t> hashes) {
    places_.resize(hashes.size());
    std::size_t waiting = 0;
    for (std::uint32_t cell = 0; cell < shape_.cells(); ++cell) {
      alone_[waiting] = cell;
      waiting += std::size_t{has_keys(counts_[cell], 1)};
    }
    std::size_t peeled = 0;
    while (waiting > 0) {
      const std::uint32_t own = alone_[--waiting];
      if (!has_keys(counts_[own], 1)) {
        continue;  // another cell of its key was popped first
      }
      const std::uint64_t hash = sums_[own];
      const unsigned place = counts_[own] & kPlaces;
      places_[peeled] = static_cast<std::uint8_t>(place);
      hashes[peeled++] = hash;
      const auto cells = fuse_cells(shape_, hash);
      for (unsigned step = 1; step < cells.size(); ++step) {
        const unsigned other = (place + step) % 3;
        std::uint8_t& count = counts_[cells[other]];
        alone_[waiting] = cells[other];
        waiting += std::size_t{has_keys(count, 2)};
        count = static_cast<std::uint8_t>((count - kOne) ^ other);
        sums_[cells[other]] ^= hash;
      }
    }
    return peeled;
  }

  // Fills the cells in the reverse order. Precondition: all hashes were peeled.
  template <typename Cell>
  std::vector<Cell> fill(std::span<const std::uint64_t> hashes) const {
    std::vector<Cell> filled(shape_.cells());
    for (std::size_t i = hashes.size(); i-- > 0;) {
      const auto cells = fuse_cells(shape_, hashes[i]);
      const unsigned place = places_[i];
      filled[cells[place]] = static_cast<Cell>(fuse_fingerprint(hashes[i]) ^ filled[cells[(place + 1) % 3]] ^
                                               filled[cells[(place + 2) % 3]]);
    }
    return filled;
  }

 private:
  FuseShape shape_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint64_t> sums_;   // the XOR of the hashes of its keys
  std::vector<std::uint32_t> alone_;  // cells that had one key when they were pushed
  std::vector<std::uint8_t> places_;  // which of its cells each peeled key gets
};

}  // namespace

template <typename Cell>
Result<FuseArray<Cell>> construct_fuse(std::span<const std::uint64_t> keys, std::uint32_t tries) {
  Peeling peeling(fuse_shape_of(static_cast<std::uint32_t>(keys.size())));
  HashSorter sorter;
  std::vector<std::uint64_t> hashes(keys.size());
  SampleNumbers seeds = fuse_seeds();
  for (std::uint32_t i = 0; i < tries; ++i) {
    const std::uint64_t seed = seeds.next();
    std::ranges::transform(keys, hashes.begin(), [seed](std::uint64_t key) { return fuse_hash(key, seed); });
    sorter.sort(hashes);
    if (peeling.count(hashes) && peeling.peel(hashes) == hashes.size()) {
      return FuseArray<Cell>{.seed = seed, .cells = peeling.fill<Cell>(hashes)};
    }
  }
  return Error::capacity("xor_singleheader", "expected keys that one of its " + std::to_string(tries) +
                                                 " seeds peels, found " + std::to_string(keys.size()) +
                                                 " that none does: the library gives up too");
}

template Result<FuseArray<std::uint8_t>> construct_fuse(std::span<const std::uint64_t>, std::uint32_t);
template Result<FuseArray<std::uint16_t>> construct_fuse(std::span<const std::uint64_t>, std::uint32_t);

}  // namespace bloomery::xor_singleheader
