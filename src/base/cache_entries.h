// The entries of a cache bounded in bytes, and its eviction policy.
//
//   new ──> window (1/16 of the bytes) ──> contest ──> main (the rest) ──> evicted
//                                             └──────> evicted
//
// The window admits every entry, so that two queries within a short time hit. Once the cache is full, an
// entry that leaves the window must be admitted to main. It is compared with main's next victim: the one with
// the lower estimated frequency is evicted (frequency_sketch.h); if both are equal, the newer one. So neither
// a scan nor a loop over more entries than the cache holds evicts hot entries.
//
// Main is a ring with a hand (CLOCK). An entry counts up to three hits. The hand subtracts one from each
// entry that it passes, and stops at an entry that has none left. So a hit moves nothing: it reads one cache
// line of the index, which has the value.
//
// This is W-TinyLFU (Einziger, Friedman, Manes), with rings in place of lists that are ordered by last use.
// docs/design/block-cache.md compares it with other policies.
//
// Each key belongs to a group, which can be dropped as one: the blocks of a file, or all keys of a cache with
// one group. The value type depends on the cache; the simulation in bench/ has none. Values are stored in the
// index, so a large one should be a pointer. Threads: one at a time, or under a lock.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/frequency_sketch.h"

namespace bloomery {

// The keys that are dropped together. Invariant: it outlives its entries.
struct CacheGroup {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t id = 0;  // no two groups of a cache share it
  // The next two members belong to the cache that has the entries.
  std::uint32_t first = kNone;   // the first of its entries
  std::uint32_t number = kNone;  // unique among the cache's groups with entries
};

struct CacheKey {
  CacheGroup* group = nullptr;
  std::uint64_t number = 0;

  bool operator==(const CacheKey&) const = default;
  // Returns 64 mixed bits: SplitMix64's finaliser.
  std::uint64_t hash() const {
    std::uint64_t x = number + group->id * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

template <typename Value>
class CacheEntries {
 public:
  explicit CacheEntries(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns null if the key is not cached. The pointer is valid until the next insert() or drop(). `hash` is
  // always key.hash().
  Value* find(const CacheKey& key, std::uint64_t hash) {
    if (index_.empty()) {
      return nullptr;
    }
    sketch_.age();
    Place& place = index_[place_of(key, hash)];
    if (place.slot == kNoSlot) {
      return nullptr;
    }
    if (place.uses < kMostUses) {
      ++place.uses;
      sketch_.add(hash);
    }
    return &place.value;
  }

  // Caches the value, unless it is larger than the cache. May evict other entries, or evict this one in
  // favour of others. Precondition: the key is not cached. If it throws std::bad_alloc, nothing has changed.
  // No other call allocates.
  void insert(const CacheKey& key, std::uint64_t hash, Value value, std::uint64_t size_bytes) {
    if (size_bytes > most_bytes_ || size_bytes > std::numeric_limits<std::uint32_t>::max()) {
      return;
    }
    if (count_ + 1 >= kNoSlot) {
      return;
    }
    if (2 * (count_ + 1) > index_.size()) {
      grow();
    }
    reserve_group();
    const std::uint32_t slot = take_slot();
    sketch_.add(hash);
    entries_[slot] = {.key = key, .size_bytes = static_cast<std::uint32_t>(size_bytes)};
    join_group(slot);
    index_[place_of(key, hash)] = {.number = key.number,
                                   .value = std::move(value),
                                   .group = key.group->number,
                                   .slot = slot & kNoSlot,
                                   .uses = 0};
    ++count_;
    bytes_ += size_bytes;
    append(window_, slot);
    settle();
  }

  // Removes the key if it is cached.
  void drop(const CacheKey& key, std::uint64_t hash) {
    const std::size_t place = place_of(key, hash);
    if (!index_.empty() && index_[place].slot != kNoSlot) {
      const std::uint32_t slot = index_[place].slot;
      take_out(entries_[slot].is_in_window ? window_ : main_, slot);
      remove(slot);
    }
  }

  void drop(CacheGroup& group) {
    while (group.first != CacheGroup::kNone) {
      const std::uint32_t slot = group.first;
      take_out(entries_[slot].is_in_window ? window_ : main_, slot);
      remove(slot);
    }
  }

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t dropped() const { return dropped_; }  // evicted for others, or not admitted

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kNoSlot = (std::uint32_t{1} << 30) - 1;
  static constexpr std::uint32_t kMostUses = 3;
  static constexpr std::uint64_t kWindowShare = 16;
  static constexpr std::size_t kLeastPlaces = 16;

  struct Entry {
    CacheKey key = {};
    std::uint32_t size_bytes = 0;
    std::uint32_t before = kNone;  // in its ring
    std::uint32_t behind = kNone;
    std::uint32_t before_in_group = kNone;
    std::uint32_t behind_in_group = kNone;
    bool is_in_window = false;
  };

  // Entries in the order of insertion.
  struct Ring {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint64_t bytes = 0;
  };

  // A bucket of the index. It has everything that a query reads, so that a query waits for memory once.
  struct Place {
    std::uint64_t number = 0;
    Value value = {};
    std::uint32_t group = CacheGroup::kNone;
    std::uint32_t slot : 30 = kNoSlot;
    std::uint32_t uses : 2 = 0;
  };

  // ---- the index: buckets, probed linearly; their number is a power of two

  std::size_t mask() const { return index_.size() - 1; }
  std::size_t first_place(std::uint64_t hash) const {
    return index_.empty() ? 0 : static_cast<std::size_t>(hash >> (64 - std::countr_zero(index_.size())));
  }
  // Returns the bucket of the key, or the free one where it would be stored.
  std::size_t place_of(const CacheKey& key, std::uint64_t hash) const {
    std::size_t i = first_place(hash);
    while (!index_.empty() && index_[i].slot != kNoSlot &&
           (index_[i].number != key.number || index_[i].group != key.group->number)) {
      i = (i + 1) & mask();
    }
    return i;
  }
  void grow() {
    std::vector<Place> before(std::max(2 * index_.size(), kLeastPlaces));
    sketch_.reserve(before.size() / 2);
    index_.swap(before);
    for (Place& place : before) {
      if (place.slot != kNoSlot) {
        const CacheKey& key = entries_[place.slot].key;
        index_[place_of(key, key.hash())] = std::move(place);
      }
    }
  }
  // Frees the bucket. Later entries of the probe sequence move into the hole if it is on their way.
  void free_place(const CacheKey& key) {
    std::size_t hole = place_of(key, key.hash());
    for (std::size_t i = (hole + 1) & mask(); index_[i].slot != kNoSlot; i = (i + 1) & mask()) {
      const std::size_t wanted = first_place(entries_[index_[i].slot].key.hash());
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
        index_[hole] = std::move(index_[i]);
        hole = i;
      }
    }
    index_[hole] = {};
  }

  std::uint32_t take_slot() {
    if (free_slot_ == kNone) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    return std::exchange(free_slot_, entries_[free_slot_].behind);
  }
  void free_slot(std::uint32_t slot) { entries_[slot] = {.behind = std::exchange(free_slot_, slot)}; }

  // ---- rings and groups

  void append(Ring& ring, std::uint32_t slot) {
    Entry& entry = entries_[slot];
    entry.before = ring.last;
    entry.behind = kNone;
    entry.is_in_window = &ring == &window_;
    (ring.last == kNone ? ring.first : entries_[ring.last].behind) = slot;
    ring.last = slot;
    ring.bytes += entry.size_bytes;
  }
  void take_out(Ring& ring, std::uint32_t slot) {
    const Entry& entry = entries_[slot];
    (entry.before == kNone ? ring.first : entries_[entry.before].behind) = entry.behind;
    (entry.behind == kNone ? ring.last : entries_[entry.behind].before) = entry.before;
    ring.bytes -= entry.size_bytes;
  }
  // Makes room for the number of one more group, so that the last entry of a group can leave.
  void reserve_group() {
    if (free_groups_.capacity() <= groups_) {
      free_groups_.reserve(std::max<std::size_t>(2 * std::size_t{groups_}, 4));
    }
  }
  void join_group(std::uint32_t slot) {
    CacheGroup& group = *entries_[slot].key.group;
    entries_[slot].behind_in_group = group.first;
    if (group.first != CacheGroup::kNone) {
      entries_[group.first].before_in_group = slot;
    } else {
      group.number = free_groups_.empty() ? groups_++ : free_groups_.back();
      if (!free_groups_.empty()) {
        free_groups_.pop_back();
      }
    }
    group.first = slot;
  }
  void leave_group(const Entry& entry) {
    CacheGroup& group = *entry.key.group;
    (entry.before_in_group == kNone ? group.first : entries_[entry.before_in_group].behind_in_group) =
        entry.behind_in_group;
    if (entry.behind_in_group != kNone) {
      entries_[entry.behind_in_group].before_in_group = entry.before_in_group;
    }
    if (group.first == CacheGroup::kNone) {
      free_groups_.push_back(std::exchange(group.number, CacheGroup::kNone));
    }
  }
  // Removes an entry that is in no ring any more.
  void remove(std::uint32_t slot) {
    Entry& entry = entries_[slot];
    free_place(entry.key);
    leave_group(entry);
    bytes_ -= entry.size_bytes;
    --count_;
    free_slot(slot);
  }

  // ---- the policy

  std::size_t place_of(std::uint32_t slot) const {
    return place_of(entries_[slot].key, entries_[slot].key.hash());
  }

  // Advances main's hand to an entry without hits. Precondition: main is not empty.
  std::uint32_t next_victim() {
    for (;;) {
      const std::uint32_t slot = main_.first;
      Place& place = index_[place_of(slot)];
      if (place.uses == 0) {
        return slot;
      }
      --place.uses;
      take_out(main_, slot);
      append(main_, slot);
    }
  }

  // Returns true if the entry, which is in no ring, is admitted to main. Evicts victims of main with a lower
  // estimated frequency until the entry fits.
  bool wins(std::uint32_t slot) {
    if (bytes_ <= most_bytes_) {
      return true;
    }
    const unsigned asked = sketch_.estimate(entries_[slot].key.hash());
    while (bytes_ > most_bytes_) {
      if (main_.first == kNone) {
        return false;
      }
      const std::uint32_t victim = next_victim();
      if (asked <= sketch_.estimate(entries_[victim].key.hash())) {
        return false;
      }
      take_out(main_, victim);
      remove(victim);
      ++dropped_;
    }
    return true;
  }

  void settle() {
    while (window_.bytes > most_bytes_ / kWindowShare) {
      const std::uint32_t slot = window_.first;
      take_out(window_, slot);
      if (wins(slot)) {
        index_[place_of(slot)].uses = 0;
        append(main_, slot);
      } else {
        remove(slot);
        ++dropped_;
      }
    }
    while (bytes_ > most_bytes_) {  // the window is not full: main had used its space
      const std::uint32_t victim = next_victim();
      take_out(main_, victim);
      remove(victim);
      ++dropped_;
    }
  }

  std::uint64_t most_bytes_;
  std::vector<Entry> entries_;
  std::uint32_t free_slot_ = kNone;  // the first of a list of them
  std::vector<Place> index_;
  std::vector<std::uint32_t> free_groups_;  // numbers of groups without entries
  std::uint32_t groups_ = 0;                // numbers in use or free
  Ring window_;
  Ring main_;
  std::uint64_t bytes_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t dropped_ = 0;
  FrequencySketch sketch_;
};

}  // namespace bloomery
