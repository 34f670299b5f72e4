#include "filter/pages/deferred_words.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

#include "filter/pages/page_memory.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kFewestSlots = 8;
constexpr std::uint32_t kMostTables = 4;

}  // namespace

// ---- reading

const std::uint64_t* DeferredWords::find(std::uint32_t place) const {
  for (Table* table = table_.get(); table != nullptr; table = table->older.first.get()) {
    if (const std::uint32_t slot = table->slot_of(place); table->places()[slot] == place) {
      return table->values() + slot;
    }
  }
  return nullptr;
}

bool DeferredWords::read_line(std::uint32_t line, std::uint64_t* words) const {
  std::uint32_t found = 0;  // a bit for each word
  for (Table* table = table_.get(); table != nullptr; table = table->older.first.get()) {
    const std::uint16_t* const places = table->places();
    for (std::uint32_t slot = table->home_of(line); places[slot] != kFree; slot = table->after(slot)) {
      const std::uint32_t word = places[slot] % kWordsInLine;
      if (places[slot] / kWordsInLine == line && (found >> word & 1) == 0) {
        words[word] = table->values()[slot];
        found |= 1U << word;
      }
    }
  }
  return found != 0;
}

// ---- memory

std::uint32_t DeferredWords::slots_for(std::uint32_t words) {
  std::uint32_t slots = kFewestSlots;
  while (Table::room_of(slots) < words) {
    slots *= 2;
  }
  return slots;
}

SharedHandle<DeferredWords::Table> DeferredWords::new_table(std::uint32_t slots) {
  void* const memory = take_counted(bytes_for(slots));
  if (memory == nullptr) {
    return {};
  }
  auto* const table = new (memory) Table;
  table->slots = slots;
  std::fill_n(table->places(), slots, kFree);
  return SharedHandle<Table>(table);
}

// The destructor releases the older tables, at most kMostTables - 1, before the memory of this one.
void DeferredWords::Table::give_back() {
  const std::uint64_t bytes = bytes_for(slots);
  std::destroy_at(this);
  give_back_counted(this, bytes);
}

// ---- writing

// Pushes an empty table before the older ones.
bool DeferredWords::push(std::uint32_t words) {
  SharedHandle<Table> table = new_table(slots_for(words));
  if (!table) {
    return false;
  }
  if (table_) {
    table->older = {
        .first = table_, .tables = table_->older.tables + 1, .count = count(), .bytes = memory_bytes()};
  }
  table_ = std::move(table);
  return true;
}

// Replaces the first table, which has no other owner, by one with more slots.
bool DeferredWords::grow(std::uint32_t words) {
  SharedHandle<Table> table = new_table(slots_for(words));
  if (!table) {
    return false;
  }
  const auto put = [&table](std::uint32_t place, std::uint64_t value) { table->put(place, value); };
  for_each_in(table_.get(), put);
  table->older = std::move(table_->older);
  table_ = std::move(table);
  return true;
}

// Merges all tables into one that has no other owner.
bool DeferredWords::join(std::uint32_t words) {
  SharedHandle<Table> table = new_table(slots_for(words));
  if (!table) {
    return false;
  }
  for_each([&table](std::uint32_t place, std::uint64_t value) { table->put(place, value); });
  table_ = std::move(table);
  return true;
}

bool DeferredWords::reserve(std::uint32_t more) {
  if (!table_) {
    return push(more);
  }
  if (!table_.is_ours()) {
    return table_->older.tables + 1 < kMostTables ? push(more) : join(count() + more);
  }
  return table_->count + more <= Table::room_of(table_->slots) || grow(table_->count + more);
}

}  // namespace bloomery
