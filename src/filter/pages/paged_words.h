// The words of a filter in pages of 64 KiB that copies of the filter share until they are written (copy-on-write), of which
// few are copied in one step.
//
//   words    0 to 8,191                | 8,192 to 16,383                 | ...
//   slot     page, ours alone          | page, shared                    |
//                                      | deferred words: 17 100 8,000    |      as they are for us
//
// To copy a page takes some 40 us, or to make one that is null, and the items of one command write to thousands of pages. So
// a step copies a few pages. Other words that it writes to shared or null pages go into a list beside the page: deferred
// words (deferred_words.h). A later step that writes to the page copies it, and writes them into it. How many words a page
// may defer differs from page to page, so that pages are not copied all at the same time.
//
// A line is 64 bytes: eight words, a window of a blocked filter in the setting fast, 512 bits.
//
// Invariants: a word is what stands among the deferred words of its page, otherwise what stands in the page, otherwise 0. A page
// that is written in its place is ours alone and has no deferred words.
//
// Not here: a checksum (checked_pages.h). Threads: one thread changes the words, and copies them. Other threads may release
// copies.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prefetch.h"
#include "bloomery/base/result.h"
#include "filter/pages/deferred_words.h"
#include "filter/pages/shared_page.h"

namespace bloomery {

inline constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);
inline constexpr std::uint64_t kLineBytes = kWordsInLine * kWordBytes;
inline constexpr std::uint64_t kLinesInPage = 1024;
inline constexpr std::uint64_t kWordsInPage = kLinesInPage * kWordsInLine;
inline constexpr std::uint64_t kPageBytes = kWordsInPage * kWordBytes;
// No filter is larger. Bytes from outside may name any size, and its slots alone would take 1/2048 of it.
inline constexpr std::uint64_t kMostPagedBytes = std::uint64_t{1} << 36;

using LineWords = std::array<std::uint64_t, kWordsInLine>;

class PagedWords {
 public:
  PagedWords() = default;
  // Shares all pages, so none of `other` is its own alone from now on.
  PagedWords(const PagedWords& other);
  PagedWords(PagedWords&&) noexcept = default;
  PagedWords& operator=(const PagedWords& other) { return *this = PagedWords(other); }
  PagedWords& operator=(PagedWords&&) noexcept = default;
  ~PagedWords() = default;
  // Errors: kCapacity for no bytes, or above kMostPagedBytes.
  static Result<PagedWords> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }
  // Memory that is not null. What copies share counts in full.
  std::uint64_t memory_bytes() const { return slots_.size() * sizeof(Slot) + held_bytes_; }

  // Writes bytes where none were written before; zeros take no memory. Returns false if memory is lacking. Precondition: offset
  // + bytes.size() <= size_bytes().
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);
  // Copies bytes. Precondition: as above.
  void load(std::uint64_t offset, std::span<std::byte> out) const;

  // A step begins: so many pages may be copied until the next one.
  void begin_step();
  // Returns the words of a line: in their place, or in `scratch` if some are deferred. Null means zeros.
  const std::uint64_t* line(std::uint64_t index, LineWords& scratch) const {
    const Slot& slot = slots_[index / kLinesInPage];
    return slot.deferred.is_empty() ? in_page(slot, index * kWordsInLine) : merged(slot, index, scratch);
  }
  // Calls change(words) with the words of a line, to change at most `most` of them. Returns false if memory is lacking; then it
  // did not call.
  template <typename Change>
  [[nodiscard]] bool change_line(std::uint64_t index, unsigned most, Change change) {
    const Slot& slot = slots_[index / kLinesInPage];
    if (!slot.is_ours && !ready(index * kWordsInLine, most)) {
      return false;
    }
    if (slot.is_ours) {
      change(own_words(slot, index * kWordsInLine));
      return true;
    }
    const LineWords before = copied(slot, index);
    LineWords words = before;
    change(words.data());
    defer_line(index, before, words);
    return true;
  }

  // Bring into the cache what the calls read first, and what they read then. To prefetch null would take a walk through the page
  // table, so the slot stands in for what there is not.
  void prefetch_place(std::uint64_t word) const { prefetch_to_read(&slots_[word / kWordsInPage]); }
  void prefetch(std::uint64_t word) const {
    const Slot& slot = slots_[word / kWordsInPage];
    const std::uint64_t* const words = in_page(slot, word);
    prefetch_to_read(words == nullptr ? static_cast<const void*>(&slot) : words);
    prefetch_to_read(slot.deferred.head_or(&slot));
  }

  // Returns the address of a word; null for 0.
  const std::uint64_t* word(std::uint64_t index) const {
    const Slot& slot = slots_[index / kWordsInPage];
    const std::uint64_t* const deferred = slot.deferred.find(place_of(index));
    return deferred != nullptr ? deferred : in_page(slot, index);
  }
  // Whether the words of a page from this one on follow its address.
  bool are_neighbours_from(std::uint64_t word) const {
    return slots_[word / kWordsInPage].deferred.is_empty();
  }
  // Makes room for writing `more` words of the page of a word. Returns false if memory is lacking; nothing has changed then.
  [[nodiscard]] bool ready(std::uint64_t word, unsigned more);
  // Precondition: ready() had room for it.
  void write(std::uint64_t index, std::uint64_t value);

  // Bit p is bit p % 8 of byte p / 8.
  bool test(std::uint64_t bit) const {
    const std::uint64_t* const at = word(bit / 64);
    return at != nullptr && (*at >> (bit % 64) & 1) != 0;
  }
  // Returns false if memory is lacking.
  [[nodiscard]] bool set(std::uint64_t bit) {
    const Slot& slot = slots_[bit / 64 / kWordsInPage];
    if (!slot.is_ours) {
      return set_slowly(bit);
    }
    *own_words(slot, bit / 64) |= std::uint64_t{1} << (bit % 64);
    return true;
  }
  void prefetch_place_of_bit(std::uint64_t bit) const { prefetch_place(bit / 64); }
  void prefetch_bit(std::uint64_t bit) const { prefetch(bit / 64); }

  std::size_t page_count() const { return slots_.size(); }
  // Moves a page that nobody shares, as SharedPage::move_bytes().
  template <typename Move>
  void move_page(std::size_t page, Move move) {
    slots_[page].page.move_bytes(move);
  }

 private:
  struct Slot {
    SharedPage page;
    DeferredWords deferred;
    mutable bool is_ours = false;  // the page is known to be ours alone, and has no deferred words
  };
  static_assert(std::endian::native == std::endian::little, "bits of words are bits of bytes");

  static std::uint32_t place_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word % kWordsInPage);
  }
  static const std::uint64_t* in_page(const Slot& slot, std::uint64_t word) {
    const std::byte* const page = slot.page.read();
    return page == nullptr ? nullptr : reinterpret_cast<const std::uint64_t*>(page) + word % kWordsInPage;
  }
  // Precondition: slot.is_ours.
  static std::uint64_t* own_words(const Slot& slot, std::uint64_t word) {
    return reinterpret_cast<std::uint64_t*>(slot.page.own()) + word % kWordsInPage;
  }
  static const std::uint64_t* merged(const Slot& slot, std::uint64_t line, LineWords& scratch);
  static LineWords copied(const Slot& slot, std::uint64_t line);
  std::uint64_t page_bytes(std::uint64_t page) const;
  bool set_slowly(std::uint64_t bit);
  // Puts those words of a line among the deferred ones that differ from what they were. Precondition: there is room.
  void defer_line(std::uint64_t line, const LineWords& before, const LineWords& words);
  // Makes a page ours alone, with its deferred words in it. Returns null if memory is lacking.
  std::byte* own(std::uint64_t page);
  static std::uint64_t held_by(const Slot& slot) {
    return slot.page.memory_bytes() + slot.deferred.memory_bytes();
  }

  std::uint64_t size_bytes_ = 0;
  std::uint64_t held_bytes_ = 0;  // of pages and deferred words
  std::uint64_t pages_left_ = 0;  // that this step may copy or make
  std::uint64_t words_left_ = 0;  // deferred ones that this step may write into pages which are ours again
  std::vector<Slot> slots_;
};

}  // namespace bloomery
