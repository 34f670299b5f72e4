// A hash table with open addressing whose entries are sorted by hash. It grows in place.
//
//   home(h) = h * homes / 2^64        so a larger hash never has an earlier home
//
//   | 03 | 11 |    | 2a | 2b | 2e |    | ...
//
// Entries ascend. If its home is occupied, an entry is stored after it. A search walks from the home to the
// first larger hash. An insertion shifts the entries that follow, up to the next empty slot.
//
// When four fifths of the homes are taken, the table grows by a third:
//
//   1. The mapping grows.
//   2. All entries are packed against its end, in order.
//   3. All entries are laid out again from its front, in order.
//
// So there is never a second table, and an entry of 8 bytes costs 10 to 13.3 bytes.
//
// Not here: the meaning of an entry; removal; hashes that somebody else could choose (callers hash under a
// secret).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/growing_buffer.h"
#include "bloomery/base/uint128.h"

namespace bloomery {

// Entry must be trivially copyable and have a member hash(). All bytes zero is an empty slot, and only an
// empty slot has the hash 0.
template <typename Entry>
class HashOrderedTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  std::uint64_t size() const { return size_; }
  std::uint64_t byte_size() const { return buffer_.size(); }

  // Returns the bytes that reserve(more) would add to byte_size().
  std::uint64_t growth_for(std::uint64_t more) const {
    const std::uint64_t bytes = (homes_for(more) + overflow_) * sizeof(Entry);
    return fits(more) || bytes < buffer_.size() ? 0 : bytes - buffer_.size();
  }

  // Grows the table, if necessary, so that inserting `more` further entries does not grow it. Returns false,
  // without any change, if memory is lacking.
  [[nodiscard]] bool reserve(std::uint64_t more) { return fits(more) || grow(homes_for(more)); }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(slots() + home_of(hash)); }

  // Returns the first slot, from the home on, whose hash is not smaller. The entries of this hash begin
  // there, and a new one belongs there. Precondition: reserve() was called; hash != 0.
  Entry* lower_bound(std::uint64_t hash) {
    Entry* slot = slots() + home_of(hash);
    while (slot->hash() - 1 < hash - 1) {  // stops at an empty slot: 0 - 1 is the largest number
      ++slot;
    }
    return slot;
  }

  // Inserts before `place`: a slot that lower_bound() returned, or one after entries of the same hash.
  // Returns false if memory is lacking.
  [[nodiscard]] bool insert_at(Entry* place, const Entry& entry) {
    Entry carried = entry;
    for (Entry* slot = place; carried.hash() != 0; ++slot) {
      std::swap(carried, *slot);
    }
    ++size_;
    if (slots()[slot_count() - 1].hash() == 0) {
      return true;
    }
    overflow_ *= 2;  // the last slot must stay empty, because it ends every search
    return grow(homes_);
  }

 private:
  static constexpr std::uint64_t kFewestHomes = 32768;

  Entry* slots() { return reinterpret_cast<Entry*>(buffer_.data()); }
  const Entry* slots() const { return reinterpret_cast<const Entry*>(buffer_.data()); }
  std::uint64_t slot_count() const { return buffer_.size() / sizeof(Entry); }

  static std::uint64_t home_of(std::uint64_t hash, std::uint64_t homes) {
    return static_cast<std::uint64_t>((Uint128{hash} * homes) >> 64);
  }
  std::uint64_t home_of(std::uint64_t hash) const { return home_of(hash, homes_); }

  bool fits(std::uint64_t more) const { return size_ + more <= homes_ / 5 * 4; }
  std::uint64_t homes_for(std::uint64_t more) const {
    return std::max({kFewestHomes, homes_ + homes_ / 3, (size_ + more) / 4 * 5 + 8});
  }

  [[nodiscard]] bool grow(std::uint64_t homes) {
    std::uint64_t first = 0;
    for (std::uint64_t used = slot_count();; used = slot_count(), overflow_ *= 2) {
      if (!buffer_.resize((homes + overflow_) * sizeof(Entry))) {
        return false;
      }
      first = pack_against_end(used, homes);
      homes_ = homes;
      if (first != kDoesNotFit) {
        break;
      }
    }
    lay_out_from(first);
    return true;
  }

  static constexpr std::uint64_t kDoesNotFit = ~std::uint64_t{0};

  // Moves the entries of the first `used` slots to the end, and leaves the last slot empty. Returns the index
  // of the first entry, or kDoesNotFit if an entry would be before its home: the table is then too short.
  std::uint64_t pack_against_end(std::uint64_t used, std::uint64_t homes) {
    Entry* const all = slots();
    std::uint64_t target = slot_count() - 1;
    bool fit = true;
    for (std::uint64_t i = used; i-- > 0;) {
      // No branch, because the processor would mispredict it at every third slot. An empty entry is written
      // too; the next entry overwrites it. Its home is 0, so it always fits.
      const Entry entry = all[i];
      all[i] = Entry{};
      all[target - 1] = entry;
      target -= std::uint64_t{entry.hash() != 0};
      fit &= home_of(entry.hash(), homes) <= target;
    }
    return fit ? target : kDoesNotFit;
  }

  // Lays out the entries from the front. No entry moves past its old slot, because none was before its home.
  void lay_out_from(std::uint64_t first) {
    Entry* const all = slots();
    const std::uint64_t end = slot_count() - 1;
    std::uint64_t next = 0;
    for (std::uint64_t i = first; i < end; ++i) {
      const Entry entry = all[i];
      all[i] = Entry{};
      next = std::max(next, home_of(entry.hash()));
      all[next++] = entry;
    }
  }

  GrowingBuffer buffer_{Pages::kHuge};
  std::uint64_t homes_ = 0;
  std::uint64_t overflow_ = 1024;  // slots after the last home; doubled if hashes crowd there
  std::uint64_t size_ = 0;
};

}  // namespace bloomery
