// The entries of a cache up to a number of bytes, and the policy that decides which of them stay.
//
//   new ──> window (1/16 of the bytes) ──> contest ──> main (the rest) ──> dropped
//                                             └──────> dropped
//
// The window takes everything, so that what is asked for twice within a short time is found. Once the cache is
// full, what falls out of the window must win its place in main. It is compared with the entry that main would
// drop next. The one that was asked for less stays out (frequency_sketch.h). If both were asked for equally
// often, the older one stays. So neither a scan nor a loop over more than the cache holds drives out what is
// kept.
//
// Main is a ring with a hand (CLOCK). An entry remembers up to three questions. The hand takes one from each
// entry that it passes, and stops at an entry that has none left. A question therefore moves nothing: it reads
// one cache line of the index and one of the entry.
//
// This is W-TinyLFU (Einziger, Friedman, Manes), with rings in place of lists that are ordered by last use.
// docs/design/block-cache.md has what it was measured against.
//
// A key has a group, which is dropped as a whole: the blocks of a file, or all keys of a cache that has one group. The value of an entry is what the cache
// is for; the simulation in bench/ has none. For one thread, or under a lock.
#pragma once

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
  std::uint64_t id = 0;                                             // no two groups of a cache share it
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();  // the entries' own
};

struct CacheKey {
  CacheGroup* group = nullptr;
  std::uint64_t number = 0;

  bool operator==(const CacheKey&) const = default;
  // Returns 64 random bits: those of SplitMix64's finaliser.
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

  // Returns null if the key is not kept. The pointer is valid until the next insert() or drop(). `hash`, here
  // and below, is key.hash().
  Value* find(const CacheKey& key, std::uint64_t hash) {
    const std::size_t place = place_of(key, hash);
    if (index_.empty()) {
      return nullptr;
    }
    sketch_.age();
    if (index_[place].slot == kNone) {
      return nullptr;
    }
    Entry& entry = entries_[index_[place].slot];
    if (entry.uses < kMostUses) {
      ++entry.uses;
      sketch_.add(hash);
    }
    return &entry.value;
  }

  // Keeps the value, unless it is larger than everything. Others may be dropped for it, or it for others.
  // Precondition: the key is not kept.
  void insert(const CacheKey& key, std::uint64_t hash, Value value, std::uint64_t size_bytes) {
    if (size_bytes > most_bytes_ || size_bytes > std::numeric_limits<std::uint32_t>::max()) {
      return;
    }
    if (2 * (count_ + 1) > index_.size()) {
      grow();
    }
    sketch_.add(hash);
    const std::uint32_t slot = take_slot();
    entries_[slot] = {
        .key = key, .value = std::move(value), .size_bytes = static_cast<std::uint32_t>(size_bytes)};
    index_[place_of(key, hash)] = place_for(slot, hash);
    ++count_;
    bytes_ += size_bytes;
    join_group(slot);
    append(window_, slot);
    settle();
  }

  // Forgets the key if it is kept.
  void drop(const CacheKey& key, std::uint64_t hash) {
    const std::size_t place = place_of(key, hash);
    if (!index_.empty() && index_[place].slot != kNone) {
      const std::uint32_t slot = index_[place].slot;
      take_out(entries_[slot].is_in_window ? window_ : main_, slot);
      remove(slot);
    }
  }

  void drop(CacheGroup& group) {
    while (group.first != kNone) {
      const std::uint32_t slot = group.first;
      take_out(entries_[slot].is_in_window ? window_ : main_, slot);
      remove(slot);
    }
  }

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t dropped() const { return dropped_; }  // for others, or as it was not let in

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint8_t kMostUses = 3;
  static constexpr std::uint64_t kWindowShare = 16;
  static constexpr std::size_t kLeastPlaces = 16;

  struct Entry {
    CacheKey key = {};
    Value value = {};
    std::uint32_t size_bytes = 0;
    std::uint32_t before = kNone;  // in its ring
    std::uint32_t behind = kNone;
    std::uint32_t before_in_group = kNone;
    std::uint32_t behind_in_group = kNone;
    std::uint8_t uses = 0;
    bool is_in_window = false;
  };

  // Entries in the order of their coming.
  struct Ring {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint64_t bytes = 0;
  };

  // A place of the index. `target` is what the value points at: it is prefetched together with the entry, since a
  // question waits for memory and for little else.
  struct Place {
    std::uint32_t slot = kNone;
    std::uint32_t tag = 0;
    const void* target = nullptr;
  };

  // ---- the index: places of slots, probed linearly; their number is a power of two

  Place place_for(std::uint32_t slot, std::uint64_t hash) const {
    Place place{.slot = slot, .tag = tag_of(hash)};
    if constexpr (requires(const Value& value) { value.get(); }) {
      place.target = entries_[slot].value.get();
    }
    return place;
  }
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
  bool is_of(const Place& place, const CacheKey& key, std::uint64_t hash) const {
    if (place.tag != tag_of(hash)) {
      return false;
    }
    __builtin_prefetch(place.target);
    return entries_[place.slot].key == key;
  }

  std::size_t mask() const { return index_.size() - 1; }
  std::size_t first_place(std::uint64_t hash) const {
    return index_.empty() ? 0 : static_cast<std::size_t>(hash >> (64 - std::countr_zero(index_.size())));
  }
  // Returns the place of the key, or the free one where it would be put.
  std::size_t place_of(const CacheKey& key, std::uint64_t hash) const {
    std::size_t i = first_place(hash);
    while (!index_.empty() && index_[i].slot != kNone && !is_of(index_[i], key, hash)) {
      i = (i + 1) & mask();
    }
    return i;
  }
  void grow() {
    index_.assign(index_.empty() ? kLeastPlaces : 2 * index_.size(), Place());
    for (const Ring* const ring : {&window_, &main_}) {
      for (std::uint32_t slot = ring->first; slot != kNone; slot = entries_[slot].behind) {
        const std::uint64_t hash = entries_[slot].key.hash();
        index_[place_of(entries_[slot].key, hash)] = place_for(slot, hash);
      }
    }
    sketch_.reserve(index_.size() / 2);
  }
  // The places behind the hole move up where their way leads over it.
  void free_place(const CacheKey& key) {
    std::size_t hole = place_of(key, key.hash());
    for (std::size_t i = (hole + 1) & mask(); index_[i].slot != kNone; i = (i + 1) & mask()) {
      const std::size_t wanted = first_place(entries_[index_[i].slot].key.hash());
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
        index_[hole] = index_[i];
        hole = i;
      }
    }
    index_[hole] = {};
  }

  std::uint32_t take_slot() {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

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
  void join_group(std::uint32_t slot) {
    CacheGroup& group = *entries_[slot].key.group;
    entries_[slot].behind_in_group = group.first;
    if (group.first != kNone) {
      entries_[group.first].before_in_group = slot;
    }
    group.first = slot;
  }
  // Forgets an entry that is in no ring any more.
  void remove(std::uint32_t slot) {
    Entry& entry = entries_[slot];
    (entry.before_in_group == kNone ? entry.key.group->first
                                    : entries_[entry.before_in_group].behind_in_group) =
        entry.behind_in_group;
    if (entry.behind_in_group != kNone) {
      entries_[entry.behind_in_group].before_in_group = entry.before_in_group;
    }
    free_place(entry.key);
    bytes_ -= entry.size_bytes;
    --count_;
    entry = {};
    free_slots_.push_back(slot);
  }

  // ---- the policy

  // Moves the hand of main to an entry without a use. Precondition: main is not empty.
  std::uint32_t next_victim() {
    for (;;) {
      const std::uint32_t slot = main_.first;
      if (entries_[slot].uses == 0) {
        return slot;
      }
      --entries_[slot].uses;
      take_out(main_, slot);
      append(main_, slot);
    }
  }

  // Lets the entry into main, or not. It is in no ring.
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
        entries_[slot].uses = 0;
        append(main_, slot);
      } else {
        remove(slot);
        ++dropped_;
      }
    }
    while (bytes_ > most_bytes_) {  // the window has room, and main takes what the window lacks
      const std::uint32_t victim = next_victim();
      take_out(main_, victim);
      remove(victim);
      ++dropped_;
    }
  }

  std::uint64_t most_bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Place> index_;
  Ring window_;
  Ring main_;
  std::uint64_t bytes_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t dropped_ = 0;
  FrequencySketch sketch_;
};

}  // namespace bloomery
