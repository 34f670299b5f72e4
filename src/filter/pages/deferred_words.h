// Deferred writes to a page: the current values of some of its words, kept until the page is copied.
//
//   handle ──> table ──> older table ──> ...      null: no word
//   table      owners | count | slots | older ... | u16 place of each slot | padding | u64 value of each slot
//
// A table is a hash table with linear probing. The number of slots is a power of two, and at most three
// quarters are occupied. The eight words of a line (64 bytes of the page) have one home slot, so a line is
// read in one search. Words are never removed one by one; all of them are dropped when the page is copied.
//
// Copies of a filter share tables. A writer does not copy a shared table, because one command writes to
// thousands of pages. It puts a small table of its own in the chain before the shared one. The first table
// that contains a word has its value. When there are kMostTables, they are merged into one.
//
// Invariant: a table that has two owners never changes.
//
// Threads: one thread changes a filter; others may release filters that share its tables.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "filter/pages/shared_handle.h"

namespace bloomery {

inline constexpr std::uint32_t kWordsInLine = 8;

class DeferredWords {
 public:
  // A copy of a DeferredWords shares its tables.
  bool is_empty() const { return !table_; }
  // Returns the number of words, in which a word in two tables counts twice.
  std::uint32_t count() const { return table_ ? table_->count + table_->older.count : 0; }
  std::uint64_t memory_bytes() const { return table_ ? bytes_for(table_->slots) + table_->older.bytes : 0; }
  // Returns the address that a search reads first, for prefetching; `otherwise` if there is none.
  const void* head_or(const void* otherwise) const { return table_ ? table_.get() : otherwise; }

  // Returns word number `place` of the page, or null if it is not deferred.
  const std::uint64_t* find(std::uint32_t place) const;
  // Copies the deferred ones among the eight words of a line to `words`. Returns true if there are any.
  bool read_line(std::uint32_t line, std::uint64_t* words) const;
  // Calls use(place, value) for every word. For a word in several tables, the last call has the current
  // value.
  template <typename Use>
  void for_each(Use use) const {
    for_each_of(table_.get(), use);
  }

  // Reserves slots for `more` words in a table without another owner. Returns false if memory is lacking;
  // nothing has changed then.
  [[nodiscard]] bool reserve(std::uint32_t more);
  // Precondition: reserve() has returned true for this word.
  void put(std::uint32_t place, std::uint64_t value) { table_->put(place, value); }

 private:
  static constexpr std::uint16_t kFree = 0xFFFF;

  struct Table;
  // The older tables after this one, and their totals.
  struct Older {
    SharedHandle<Table> first = {};
    std::uint32_t tables = 0;
    std::uint32_t count = 0;
    std::uint64_t bytes = 0;
  };
  struct Table {
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t count = 0;
    std::uint32_t slots = 0;
    Older older;

    void give_back();
    static std::uint64_t values_at(std::uint32_t slots) {
      return sizeof(Table) + (slots * sizeof(std::uint16_t) + 7) / 8 * 8;
    }
    static std::uint32_t room_of(std::uint32_t slots) { return slots - slots / 4; }
    std::uint16_t* places() { return reinterpret_cast<std::uint16_t*>(this + 1); }
    std::uint64_t* values() {
      return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(this) + values_at(slots));
    }
    std::uint32_t home_of(std::uint32_t line) const {
      constexpr std::uint32_t kMix = 0x9E3779B1;
      return line * kMix >> 16 & (slots - 1);
    }
    std::uint32_t after(std::uint32_t slot) const { return (slot + 1) & (slots - 1); }
    // Returns the slot of a place, or the free slot where it would be inserted.
    std::uint32_t slot_of(std::uint32_t place) {
      std::uint32_t slot = home_of(place / kWordsInLine);
      while (places()[slot] != kFree && places()[slot] != place) {
        slot = after(slot);
      }
      return slot;
    }
    void put(std::uint32_t place, std::uint64_t value) {
      const std::uint32_t slot = slot_of(place);
      count += places()[slot] == place ? 0U : 1U;
      places()[slot] = static_cast<std::uint16_t>(place);
      values()[slot] = value;
    }
  };

  template <typename Use>
  static void for_each_in(Table* table, Use& use) {
    for (std::uint32_t slot = 0; slot < table->slots; ++slot) {
      if (table->places()[slot] != kFree) {
        use(std::uint32_t{table->places()[slot]}, table->values()[slot]);
      }
    }
  }
  template <typename Use>
  static void for_each_of(Table* table, Use& use) {
    if (table != nullptr) {
      for_each_of(table->older.first.get(), use);
      for_each_in(table, use);
    }
  }
  static std::uint64_t bytes_for(std::uint32_t slots) {
    return Table::values_at(slots) + slots * sizeof(std::uint64_t);
  }
  // Returns a power of two of slots that has room for so many words.
  static std::uint32_t slots_for(std::uint32_t words);
  // Returns a table without words, or null if memory is lacking.
  static SharedHandle<Table> new_table(std::uint32_t slots);
  bool push(std::uint32_t words);
  bool grow(std::uint32_t words);
  bool join(std::uint32_t words);

  SharedHandle<Table> table_;
};

}  // namespace bloomery
