// The definition of the ribbon kernel.
#include <algorithm>
#include <bit>

#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kTailMix = 0x94d049bb133111eb;

// Returns true if the parity of the picked bits differs from column j of the fingerprint. It is one
// expression on purpose: GCC 12.2 at -O1 miscompiles a comparison of two conditions here, and drops the
// parity.
bool differs(std::uint64_t picked, std::uint64_t fingerprint, std::uint32_t j) {
  return ((static_cast<std::uint64_t>(std::popcount(picked)) ^ (fingerprint >> j)) & 1) != 0;
}

// The words of a band, and the columns of its blocks.
struct Band {
  const std::uint64_t* words;
  std::uint32_t narrow_blocks;
  std::uint32_t columns;

  const std::uint64_t* block(std::uint64_t index) const {
    return words + words_before(index, narrow_blocks, columns);
  }
};

bool band_contains(const Band& band, const RibbonKey& key, std::uint64_t start) {
  const std::uint64_t block = start / kRibbonBlockSlots;
  const std::uint64_t offset = start % kRibbonBlockSlots;
  const std::uint32_t columns = band.columns + (block >= band.narrow_blocks ? 1 : 0);
  const std::uint64_t row = key.row();
  const std::uint64_t fingerprint = key.fingerprint();
  const std::uint64_t low_row = row << offset;
  const std::uint64_t high_row = offset == 0 ? 0 : row >> (kRibbonBlockSlots - offset);
  const std::uint64_t* const low = band.block(block);
  const std::uint64_t* const high = band.block(block + 1);
  for (std::uint32_t j = 0; j < columns; ++j) {
    // A row that ends in its block must not read the next block, which may not exist.
    const std::uint64_t picked = (low[j] & low_row) ^ (high_row == 0 ? 0 : high[j] & high_row);
    if (differs(picked, fingerprint, j)) {
      return false;
    }
  }
  return true;
}

// Returns 64 bits of a bit string from `bit` on. Reads no word from `words_end` on.
std::uint64_t bits_at(const std::uint64_t* words, const std::uint64_t* words_end, std::uint64_t bit) {
  const std::uint64_t* const word = words + bit / 64;
  const std::uint64_t shift = bit % 64;
  const std::uint64_t low = *word >> shift;
  return shift == 0 || word + 1 == words_end ? low : low | word[1] << (64 - shift);
}

// Returns true if the tail contains the key. The tail has `slots` bits a column and begins at bit `first` of
// `words`, which end at `end`.
bool tail_contains(const std::uint64_t* words, const std::uint64_t* end, std::uint64_t first,
                   std::uint32_t slots, std::uint32_t columns, const RibbonKey& key) {
  if (slots == 0) {
    return false;
  }
  const auto row = key.tail_row(slots);
  const std::uint64_t fingerprint = key.fingerprint();
  for (std::uint32_t j = 0; j < columns; ++j) {
    std::uint64_t picked = 0;
    for (std::uint32_t slot = 0; slot < slots; slot += 64) {
      picked ^= bits_at(words, end, first + std::uint64_t{j} * slots + slot) & row[slot / 64];
    }
    if (differs(picked, fingerprint, j)) {
      return false;
    }
  }
  return true;
}

bool shard_contains(const RibbonTable& table, const RibbonShard& shard, const RibbonPlace& at) {
  const std::uint64_t* const codes = table.words + shard.front;
  const std::uint64_t* const band0 = table.words + shard.band0;
  const std::uint32_t columns = table.columns;
  if (shard.blocks0 != 0) {
    const std::uint64_t start = multiply_high(at.place, band_starts(shard.blocks0));
    if (!is_bumped(codes, 0, start)) {
      return band_contains({band0, shard.narrow0, columns}, RibbonKey(at.hash, shard.seed, 0), start);
    }
  }
  const std::uint64_t* const band1 = band0 + words_before(shard.blocks0, shard.narrow0, columns);
  if (shard.blocks1 != 0) {
    const RibbonKey key(at.hash, shard.seed, 1);
    const std::uint64_t start = key.start(band_starts(shard.blocks1));
    if (!is_bumped(codes, band_buckets(shard.blocks0), start)) {
      return band_contains({band1, shard.narrow1, columns}, key, start);
    }
  }
  return tail_contains(codes, band0, code_bits(shard.blocks0, shard.blocks1), shard.tail_slots,
                       shard.tail_columns, RibbonKey(at.hash, shard.seed, 2));
}

void may_contain_batch(const RibbonTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i % 64 == 0) {
      answers[i / 64] = 0;
    }
    answers[i / 64] |= static_cast<std::uint64_t>(ribbon_may_contain(table, hashes[i].low)) << (i % 64);
  }
}

void back_substitute(std::span<const BandEquation> equations, std::uint32_t first_column,
                     std::uint32_t columns, std::uint64_t* out) {
  // Bit i of windows[j] is column j of slot + 1 + i, where `slot` is the one that is solved next. Each
  // iteration moves the window by one slot: bit 0 is the slot that was solved.
  std::array<std::uint64_t, kColumnGroup> windows{};
  for (std::size_t slot = equations.size(); slot-- > 0;) {
    const BandEquation& equation = equations[slot];
    for (std::uint32_t j = 0; j < columns; ++j) {
      // Bit 0 of the shifted window is still 0. So the parity below is the sum of the equation's other slots,
      // and the slot itself gets that sum XOR the fingerprint.
      const std::uint64_t window = windows[j] << 1;
      const std::uint64_t wanted = equation.fingerprint >> (first_column + j);
      windows[j] =
          window | (equation.row == 0
                        ? 0
                        : (wanted ^ static_cast<std::uint64_t>(std::popcount(window & equation.row))) & 1);
    }
    if (slot % kRibbonBlockSlots == 0) {
      std::copy_n(windows.begin(), columns, out + slot / kRibbonBlockSlots * kColumnGroup);
    }
  }
}

}  // namespace

std::array<std::uint64_t, kTailWords> RibbonKey::tail_row(std::uint32_t slots) const {
  std::array<std::uint64_t, kTailWords> row{};
  std::uint64_t state = mixed;
  for (std::uint32_t i = 0; i * 64 < slots; ++i) {
    state += kSeedStep;
    // Two multiplications are needed. After one, the low bits of all words are nearly linear in the low bits
    // of y, so many slots of the tail would be linearly dependent.
    std::uint64_t word = (state ^ (state >> 30)) * kKeyMix;
    word = (word ^ (word >> 27)) * kTailMix;
    word ^= word >> 31;
    const std::uint32_t left = slots - i * 64;
    row[i] = left >= 64 ? word : word & ((std::uint64_t{1} << left) - 1);
  }
  return row;
}

bool ribbon_may_contain(const RibbonTable& table, std::uint64_t hash) {
  const RibbonPlace at = ribbon_place(table, hash);
  if (at.index >= table.held || !is_sound(table, at.index)) {
    return true;
  }
  return shard_contains(table, table.shards[at.index], at);
}

const RibbonKernel kScalarRibbonKernel = {.name = "scalar",
                                          .available = [] { return true; },
                                          .may_contain = ribbon_may_contain,
                                          .may_contain_batch = may_contain_batch,
                                          .back_substitute = back_substitute};

}  // namespace bloomery
