// The dictionary of a compressed log: words by a 16-bit index, the least recently used one replaced first.
//
// An index is given in the order of arrival. When the dictionary is full, the least recently used word is
// replaced and its index is given to the new word. Every look-up makes a word the most recently used one, in
// the writer and in the reader alike, so that both assign the same indexes.
//
//   dictionary                   words
//   region, table, row           32,767; in files of recovered.edits region and table have 1
//   family, qualifier            127
//   tags                         32,767
//
// A view of a word is valid until forget_replaced(), even if the word is replaced. Source:
// docs/formats/hbase-wal.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"

namespace bloomery::wal {

class WordDictionary {
 public:
  WordDictionary(std::size_t capacity, std::shared_ptr<MemoryBudget> budget)
      : capacity_(capacity), memory_(std::move(budget)) {}

  // Adds a word; an empty one is not added. Errors: kCapacity.
  Status add(std::string_view word);
  // Returns the word, or nothing if there is none at this index.
  std::optional<std::string_view> find(std::size_t index);
  // Frees the words that were replaced.
  void forget_replaced();

 private:
  struct Word {
    std::unique_ptr<char[]> bytes = {};
    std::uint32_t size = 0;
    std::uint16_t newer = 0;
    std::uint16_t older = 0;
  };

  void use(std::size_t index);
  void link_as_newest(std::size_t index);
  void unlink(std::size_t index);
  Status charge(std::size_t bytes);

  std::size_t capacity_;
  std::vector<Word> words_;
  std::size_t newest_ = 0;
  std::size_t oldest_ = 0;
  std::vector<std::unique_ptr<char[]>> replaced_;
  std::uint64_t held_bytes_ = 0;      // of words and replaced words
  std::uint64_t replaced_bytes_ = 0;  // of replaced words
  MemoryShare memory_;                // the maximum of held_bytes_
};

}  // namespace bloomery::wal
