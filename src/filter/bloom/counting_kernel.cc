#include "filter/bloom/counting_kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bit_count.h"
#include "bloomery/filter/sizing.h"
#include "filter/bloom/bloom_cells.h"

namespace bloomery::counting_kernel {
namespace {

constexpr std::uint64_t kLowestBits = 0x1111111111111111;  // the lowest bit of every counter
constexpr std::uint64_t kEvenCounters = 0x0f0f0f0f0f0f0f0f;

// The different positions of one key, each with the number of times that the key hits it.
class Hits {
 public:
  Hits(const CountingTable& table, std::uint64_t hash) : count_(table.hash_count) {
    bloom_cells::Positions positions(table, hash);
    std::generate_n(positions_.begin(), count_, [&positions] { return positions.next(); });
    std::sort(positions_.begin(), positions_.begin() + count_);
  }

  // Calls visit(position, times) until a call returns false. Returns whether none did.
  template <typename Visit>
  bool all_of(Visit visit) const {
    for (std::uint32_t begin = 0, end = 0; begin < count_; begin = end) {
      while (end < count_ && positions_[end] == positions_[begin]) {
        ++end;
      }
      if (!visit(positions_[begin], std::uint64_t{end - begin})) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<std::uint64_t, kMaxHashCount> positions_;
  std::uint32_t count_;
};

// Changes one counter to next(counter), unless it has that value already. Returns its value before.
template <typename Next>
std::uint64_t change(const CountingTable& table, std::uint64_t position, Next next) {
  std::uint64_t& word = *table.word_of(position);
  const std::uint64_t shift = CountingTable::shift_of(position);
  std::uint64_t found = relaxed_load(word);
  while (true) {
    const std::uint64_t counter = (found >> shift) & kSaturated;
    const std::uint64_t wanted = next(counter);
    if (wanted == counter || relaxed_replace(word, found, found ^ ((counter ^ wanted) << shift))) {
      return counter;
    }
  }
}

bool holds(const CountingTable& table, const Hits& hits) {
  return hits.all_of([&table](std::uint64_t position, std::uint64_t times) {
    const std::uint64_t counter = table.counter(position);
    return counter == kSaturated || counter >= times;
  });
}

// Counts the counters whose lowest bit `mark` sets. The marks of four words are put into the bits of one
// word.
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

// Adds counters that lie in bytes. No sum exceeds 15.
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
  bloom_cells::Positions positions(table, hash);
  bool found_zero = false;
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    const auto raised = [](std::uint64_t counter) { return std::min(counter + 1, kSaturated); };
    found_zero |= change(table, positions.next(), raised) == 0;
  }
  return found_zero;
}

bool remove(const CountingTable& table, std::uint64_t hash) {
  const Hits hits(table, hash);
  if (!holds(table, hits)) {
    return false;
  }
  hits.all_of([&table](std::uint64_t position, std::uint64_t times) {
    change(table, position,
           [times](std::uint64_t counter) { return counter == kSaturated ? counter : counter - times; });
    return true;
  });
  return true;
}

std::optional<std::uint32_t> count_at_most(const CountingTable& table, std::uint64_t hash) {
  std::uint64_t least = kSaturated;
  Hits(table, hash).all_of([&](std::uint64_t position, std::uint64_t times) {
    const std::uint64_t counter = table.counter(position);
    least = counter == kSaturated ? least : std::min(least, counter / times);
    return true;
  });
  return least == kSaturated ? std::nullopt : std::optional(static_cast<std::uint32_t>(least));
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
