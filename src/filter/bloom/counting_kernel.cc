#include "filter/bloom/counting_kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bit_count.h"
#include "filter/bloom/bloom_cells.h"
#include "filter/bloom/counting_cells.h"

namespace bloomery::counting_kernel {
namespace {

constexpr std::uint64_t kLowestBits = 0x1111111111111111;  // the lowest bit of every counter
constexpr std::uint64_t kEvenCounters = 0x0f0f0f0f0f0f0f0f;

// Counts the counters that `mark` selects: mark(word) has the lowest bit of each selected counter of a word.
// The marks of four words share one word.
template <typename Mark>
std::uint64_t count_marked(std::span<const std::uint64_t> words, Mark mark) {
  std::array<std::uint64_t, 256> marks;
  std::uint64_t count = 0;
  while (!words.empty()) {
    const auto piece = words.first(std::min(words.size(), marks.size() * kCounterBits));
    marks.fill(0);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      marks[i / kCounterBits] |= mark(relaxed_load(piece[i])) << (i % kCounterBits);
    }
    count += count_set_bits(marks);
    words = words.subspan(piece.size());
  }
  return count;
}

std::uint64_t mark_non_zero(std::uint64_t word) {
  return (word | word >> 1 | word >> 2 | word >> 3) & kLowestBits;
}

std::uint64_t mark_saturated(std::uint64_t word) {
  return word & word >> 1 & word >> 2 & word >> 3 & kLowestBits;
}

// Adds counters that are stored in bytes. No sum exceeds 15.
std::uint64_t add_in_bytes(std::uint64_t left, std::uint64_t right) {
  const std::uint64_t sums = left + right;
  const std::uint64_t carries = sums & ~kEvenCounters;
  return (sums | (carries - (carries >> 4))) & kEvenCounters;
}

}  // namespace

bool may_contain(const CountingTable& table, std::uint64_t hash) {
  return bloom_cells::may_contain(table, hash);
}

bool insert(const CountingTable& table, std::uint64_t hash) {
  return counting_cells::insert(table, hash);
}

bool remove(const CountingTable& table, std::uint64_t hash) {
  return counting_cells::remove(table, hash);
}

std::optional<std::uint32_t> count_at_most(const CountingTable& table, std::uint64_t hash) {
  return counting_cells::count_at_most(table, hash);
}

void may_contain_batch(const CountingTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  bloom_cells::may_contain_batch(table, hashes, answers);
}

void insert_batch(const CountingTable& table, std::span<const Hash128> hashes) {
  bloom_cells::update_batch(table, hashes, [&](std::size_t i) { insert(table, hashes[i].low); });
}

std::uint64_t count_non_zero(std::span<const std::uint64_t> words) {
  return count_marked(words, mark_non_zero);
}

std::uint64_t count_saturated(std::span<const std::uint64_t> words) {
  return count_marked(words, mark_saturated);
}

void add(std::span<std::uint64_t> words, std::span<const std::uint64_t> other) {
  std::ranges::transform(words, other, words.begin(), [](std::uint64_t left, std::uint64_t right) {
    const std::uint64_t even = add_in_bytes(left & kEvenCounters, right & kEvenCounters);
    const std::uint64_t odd = add_in_bytes((left >> 4) & kEvenCounters, (right >> 4) & kEvenCounters);
    return even | odd << 4;
  });
}

void saturate(std::span<std::uint64_t> words) {
  std::ranges::transform(words, words.begin(),
                         [](std::uint64_t word) { return mark_non_zero(word) * kSaturated; });
}

}  // namespace bloomery::counting_kernel
