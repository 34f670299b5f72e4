// A hash table from offsets to the blocks of a cache, with open addressing and linear probing in one array.
//
//   first place of an offset = the high bits of offset * an odd number
//   place                    = the first place, or the next free one after it, round the end
//
// Invariants:
//
//   - At most half of the entries are taken. So a search is short, and mostly touches one cache line.
//   - No entry between the first place of an offset and its place is free.
//
// For one thread at a time.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hfile/block.h"

namespace bloomery::hfile {

class BlockTable {
 public:
  struct Entry {
    std::uint64_t offset = 0;
    BlockPointer block;  // null where the entry is free
    bool was_asked = false;
  };

  // Returns null if there is no such block. The pointer is valid until the next insert() or erase().
  Entry* find(std::uint64_t offset) {
    if (entries_.empty()) {
      return nullptr;
    }
    Entry& entry = entries_[place_of(offset)];
    return entry.block == nullptr ? nullptr : &entry;
  }

  // Precondition: no block with this offset is in the table.
  void insert(BlockPointer block) {
    if (2 * (count_ + 1) > entries_.size()) {
      grow();
    }
    const std::uint64_t offset = block->offset();
    Entry& entry = entries_[place_of(offset)];
    assert(entry.block == nullptr);
    entry = {offset, std::move(block), false};
    ++count_;
  }

  // Precondition: there is such a block. The blocks after the hole move up where the second invariant asks
  // for it.
  void erase(std::uint64_t offset) {
    std::size_t hole = place_of(offset);
    assert(entries_[hole].block != nullptr);
    entries_[hole].block = nullptr;
    --count_;
    for (std::size_t i = next(hole); entries_[i].block != nullptr; i = next(i)) {
      const std::size_t wanted = first_place(entries_[i].offset);
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {  // the hole lies on the block's way
        entries_[hole] = std::exchange(entries_[i], {});
        hole = i;
      }
    }
  }

  void clear() {
    entries_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kLeastEntries = 16;

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t first_place(std::uint64_t offset) const {
    const std::uint64_t mixed = offset * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    return static_cast<std::size_t>(mixed >> (64 - std::countr_zero(entries_.size())));
  }
  // The place of the offset's entry, or the free place where insert() would put it.
  std::size_t place_of(std::uint64_t offset) const {
    std::size_t i = first_place(offset);
    while (entries_[i].block != nullptr && entries_[i].offset != offset) {
      i = next(i);
    }
    return i;
  }

  void grow() {
    std::vector<Entry> old =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? kLeastEntries : 2 * entries_.size()));
    for (Entry& entry : old) {
      if (entry.block != nullptr) {
        entries_[place_of(entry.offset)] = std::move(entry);
      }
    }
  }

  std::vector<Entry> entries_;  // their number is a power of two
  std::size_t count_ = 0;
};

}  // namespace bloomery::hfile
