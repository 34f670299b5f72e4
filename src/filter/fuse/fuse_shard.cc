#include "filter/fuse/fuse_shard.h"

#include <algorithm>
#include <string>

#include "base/crc32c.h"

namespace bloomery {
namespace {

constexpr std::uint8_t kOneKey = 4;           // a key, in a count
constexpr std::uint8_t kPlaceBits = 3;        // the XOR of the places
constexpr std::uint8_t kFull = 63 * kOneKey;  // a cell with this count keeps it

void count_in(std::uint8_t& count, std::uint32_t place) {
  count = static_cast<std::uint8_t>((count < kFull ? count + kOneKey : count) ^ place);
}
void count_out(std::uint8_t& count, std::uint32_t place) {
  count = static_cast<std::uint8_t>((count < kFull ? count - kOneKey : count) ^ place);
}
bool has_one(std::uint8_t count) {
  return count / kOneKey == 1;
}

}  // namespace

// Counts every key in its cells, segment after segment, so that the cells that are changed are in the cache.
template <std::uint32_t kArity>
void FuseShardBuilder::count_keys(std::span<const std::uint64_t> hashes, std::uint64_t seed_step) {
  const std::uint64_t cells = fuse_cell_count(cells_, kArity);
  counts_.assign(cells, 0);
  sums_.assign(cells, 0);
  order_.resize(hashes.size());
  segment_ends_.assign(std::size_t{cells_.segments} + 1, 0);
  // Copies of members: a store to a count could otherwise change them, and every access would read them
  // again.
  const std::uint32_t starts = starts_;
  const std::uint32_t segment_log = cells_.segment_log;
  std::uint32_t* const ends = segment_ends_.data();
  for (const std::uint64_t hash : hashes) {
    ++ends[(FuseKey(hash, seed_step).start(starts) >> segment_log) + 1];
  }
  for (std::size_t i = 1; i < segment_ends_.size(); ++i) {
    ends[i] += ends[i - 1];
  }
  std::uint64_t* const order = order_.data();
  for (const std::uint64_t hash : hashes) {
    const FuseKey key(hash, seed_step);
    order[ends[key.start(starts) >> segment_log]++] = key.y;
  }
  std::uint8_t* const counts = counts_.data();
  std::uint64_t* const sums = sums_.data();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t y = order[i];
    const auto at = FuseKey(y).cells(starts, segment_log);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      count_in(counts[at[place]], place);
      sums[at[place]] ^= y;
    }
  }
}

// Peels the keys of the cells [first, end) that have one key, and all keys that can be peeled because of it.
template <std::uint32_t kArity>
void FuseShardBuilder::peel_from(std::uint64_t first, std::uint64_t end) {
  const std::uint32_t starts = starts_;
  const std::uint32_t segment_log = cells_.segment_log;
  std::uint8_t* const counts = counts_.data();
  std::uint64_t* const sums = sums_.data();
  std::uint64_t* const order = order_.data();
  std::uint8_t* const places = places_.data();
  std::uint32_t* const stack = stack_.data();
  std::size_t peeled = peeled_;
  for (std::uint64_t cell = first; cell < end; ++cell) {
    std::size_t waiting = 0;
    stack[waiting] = static_cast<std::uint32_t>(cell);
    waiting += std::size_t{has_one(counts[cell])};
    while (waiting != 0) {
      const std::uint32_t own = stack[--waiting];
      const std::uint8_t own_count = counts[own];
      if (!has_one(own_count)) {
        continue;  // another cell of its key was peeled first
      }
      const std::uint32_t own_place = own_count & kPlaceBits;
      const std::uint64_t y = sums[own];
      order[peeled] = y;
      places[peeled++] = static_cast<std::uint8_t>(own_place);
      const auto at = FuseKey(y).cells(starts, segment_log);
      counts[own] = kOneKey;  // its key is taken out of it in the loop too
      for (std::uint32_t place = 0; place < kArity; ++place) {
        std::uint8_t count = counts[at[place]];
        count_out(count, place);
        counts[at[place]] = count;
        sums[at[place]] ^= y;
        stack[waiting] = static_cast<std::uint32_t>(at[place]);
        waiting += std::size_t{has_one(count)};
      }
      counts[own] = 0;
    }
  }
  peeled_ = peeled;
}

// Returns true if all keys can be peeled.
template <std::uint32_t kArity>
bool FuseShardBuilder::peel(std::span<const std::uint64_t> hashes, std::uint32_t seed) {
  count_keys<kArity>(hashes, seed * kFuseSeedStep);
  places_.resize(hashes.size());
  stack_.resize(counts_.size() +
                1);  // the keys of a cell decrease, so it has one key, and is pushed, only once
  peeled_ = 0;
  peel_from<kArity>(0, counts_.size());
  return peeled_ == hashes.size();
}

// A key that was peeled has a cell without keys, its own. So a key whose cells all have keys was not peeled.
template <std::uint32_t kArity>
void FuseShardBuilder::set_aside_rest(std::span<const std::uint64_t> hashes, std::uint64_t seed_step) {
  for (const std::uint64_t hash : hashes) {
    const FuseKey key(hash, seed_step);
    const auto at = key.cells(starts_, cells_.segment_log);
    if (std::any_of(at.begin(), at.begin() + kArity,
                    [this](std::uint64_t cell) { return counts_[cell] < kOneKey; })) {
      continue;
    }
    set_aside_.push_back(hash);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      count_out(counts_[at[place]], place);
      sums_[at[place]] ^= key.y;
    }
    for (std::uint32_t place = 0; place < kArity; ++place) {
      peel_from<kArity>(at[place], at[place] + 1);
    }
  }
}

template <std::uint32_t kArity, std::uint32_t kBits>
void FuseShardBuilder::fill(std::vector<std::uint64_t>& words) const {
  const FuseCellArray<kBits> array{.bytes = reinterpret_cast<std::byte*>(words.data()), .bits = shape_.bits};
  const std::uint32_t starts = starts_;
  const std::uint32_t segment_log = cells_.segment_log;
  const std::uint64_t* const order = order_.data();
  const std::uint8_t* const places = places_.data();
  for (std::size_t i = peeled_; i-- > 0;) {
    const FuseKey key(order[i]);
    const auto at = key.cells(starts, segment_log);
    // The key's own cell is still 0, so it does not count in the sum.
    std::uint64_t sum = key.f;
    for (std::uint32_t place = 0; place < kArity; ++place) {
      sum ^= array.at(at[place]);
    }
    sum ^= array.at(at[places[i]]);
    array.set(at[places[i]], sum);
  }
}

template <std::uint32_t kArity>
void FuseShardBuilder::fill_any(std::vector<std::uint64_t>& words) const {
  switch (shape_.bits) {
    case 8:
      return fill<kArity, 8>(words);
    case 16:
      return fill<kArity, 16>(words);
    default:
      return fill<kArity, 0>(words);
  }
}

template <std::uint32_t kArity>
void FuseShardBuilder::lay(std::span<const std::uint64_t> hashes, FuseEntry& entry) {
  while (!peel<kArity>(hashes, entry.seed)) {
    if (entry.seed + 1 == tries_) {
      set_aside_rest<kArity>(hashes, entry.seed * kFuseSeedStep);
      return;
    }
    ++entry.seed;
  }
}

Result<FuseShardImage> FuseShardBuilder::build(std::span<const std::uint64_t> hashes) {
  if (hashes.size() > kMaxFuseShardKeys) {
    return Error::capacity("fuse",
                           "expected at most 2^27 keys in a shard, found " + std::to_string(hashes.size()));
  }
  cells_ = fixed_cells_.segments != 0 ? fixed_cells_ : fuse_cells(hashes.size(), shape_.setting);
  starts_ = cells_.segments << cells_.segment_log;
  set_aside_.clear();
  FuseShardImage image{.entry = {.cells = cells_}, .words = {}};
  const std::uint32_t arity = shape_.arity();
  const std::uint64_t words = fuse_cell_words(fuse_cell_count(cells_, arity), shape_.bits);
  if (!hashes.empty()) {
    arity == 3 ? lay<3>(hashes, image.entry) : lay<4>(hashes, image.entry);
    image.words.reserve(words + set_aside_.size());
    image.words.resize(words);
    arity == 3 ? fill_any<3>(image.words) : fill_any<4>(image.words);
  }
  image.words.insert(image.words.end(), set_aside_.begin(), set_aside_.end());
  image.entry.set_aside = static_cast<std::uint32_t>(set_aside_.size());
  image.entry.checksum = crc32c(std::as_bytes(std::span(image.words)));
  return image;
}

}  // namespace bloomery
