// The words of a filter in copy-on-write pages of 64 KiB, which copies of the filter share. A step copies
// only a few pages.
//
//   words    0 to 8,191                | 8,192 to 16,383                 | ...
//   slot     page, ours alone          | page, shared                    |
//                                      | deferred words: 17 100 8,000    |      values that this filter sees
//
// Copying a page, or allocating a null one, costs about 40 us, and the items of one command write to
// thousands of pages. So a step copies a few pages. Its other writes to shared or null pages are stored next
// to the page as deferred words (deferred_words.h). A later step that writes to the page copies it and
// applies them. The limit of deferred words differs from page to page, so that pages are not copied all at
// the same time.
//
// A line is 64 bytes: eight words, a window of a blocked filter in the setting fast, 512 bits.
//
// Invariants: a word's value is its deferred value, otherwise its value in the page, otherwise 0. A page that
// is written in place has no other owner and no deferred words.
//
// Not here: a checksum (checked_pages.h). Threads: one thread changes and copies the words. Other threads may
// release copies.
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
// The limit of a filter. Untrusted bytes may name any size, and the slots alone would need 1/2048 of it.
inline constexpr std::uint64_t kMostPagedBytes = std::uint64_t{1} << 36;

using LineWords = std::array<std::uint64_t, kWordsInLine>;

class PagedWords {
 public:
  PagedWords() = default;
  // Shares all pages, so `other` is no longer the sole owner of any page.
  PagedWords(const PagedWords& other);
  PagedWords(PagedWords&&) noexcept = default;
  PagedWords& operator=(const PagedWords& other) { return *this = PagedWords(other); }
  PagedWords& operator=(PagedWords&&) noexcept = default;
  ~PagedWords() = default;
  // Errors: kCapacity for no bytes, or above kMostPagedBytes.
  static Result<PagedWords> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }
  // Returns the bytes of non-null memory. Memory that copies share counts in full.
  std::uint64_t memory_bytes() const { return slots_.size() * sizeof(Slot) + held_bytes_; }

  // Writes bytes. Zeros for a page without memory need none. Returns false if memory is lacking.
  // Precondition: offset + bytes.size() <= size_bytes(), and no word there was written before.
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);
  // Copies bytes. Precondition: offset + out.size() <= size_bytes().
  void load(std::uint64_t offset, std::span<std::byte> out) const;

  // Begins a step and resets its limits of pages and words to copy.
  void begin_step();
  // Returns the words of a line: in the page, or in `scratch` if some are deferred. Null means zeros.
  const std::uint64_t* line(std::uint64_t index, LineWords& scratch) const {
    const Slot& slot = slots_[index / kLinesInPage];
    return slot.deferred.is_empty() ? in_page(slot, index * kWordsInLine) : merged(slot, index, scratch);
  }
  // Calls change(words) with the words of a line, to change at most `most` of them. Returns false without the
  // call if memory is lacking.
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

  // prefetch_place() prefetches the slot of a word's page. Called later, prefetch() prefetches the word in
  // the page and the first deferred table. Prefetching null would cost a page-table walk, so the slot's
  // address replaces a null one.
  void prefetch_place(std::uint64_t word) const { prefetch_to_read(&slots_[word / kWordsInPage]); }
  void prefetch(std::uint64_t word) const {
    const Slot& slot = slots_[word / kWordsInPage];
    const std::uint64_t* const words = in_page(slot, word);
    prefetch_to_read(words == nullptr ? static_cast<const void*>(&slot) : words);
    prefetch_to_read(slot.deferred.head_or(&slot));
  }

  // Returns the address of a word, or null if its page has no memory; the word is then 0.
  const std::uint64_t* word(std::uint64_t index) const {
    const Slot& slot = slots_[index / kWordsInPage];
    const std::uint64_t* const deferred = slot.deferred.find(place_of(index));
    return deferred != nullptr ? deferred : in_page(slot, index);
  }
  // Returns true if the words of the page from `word` on are contiguous at its address, because none is
  // deferred.
  bool are_neighbours_from(std::uint64_t word) const {
    return slots_[word / kWordsInPage].deferred.is_empty();
  }
  // Prepares `more` writes to the page of a word: owns the page, or reserves deferred words. Returns false if
  // memory is lacking; nothing has changed then.
  [[nodiscard]] bool ready(std::uint64_t word, unsigned more);
  // Precondition: ready() has returned true for this write.
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
  // Moves a page that nobody shares, with SharedPage::move_bytes().
  template <typename Move>
  void move_page(std::size_t page, Move move) {
    slots_[page].page.move_bytes(move);
  }

 private:
  struct Slot {
    SharedPage page;
    DeferredWords deferred;
    mutable bool is_ours = false;  // the page has no other owner and no deferred words
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
  // Adds the changed words of a line to the deferred words. Precondition: ready() has returned true for them.
  void defer_line(std::uint64_t line, const LineWords& before, const LineWords& words);
  // Makes this filter the page's sole owner and applies its deferred words. Returns null if memory is
  // lacking.
  std::byte* own(std::uint64_t page);
  static std::uint64_t held_by(const Slot& slot) {
    return slot.page.memory_bytes() + slot.deferred.memory_bytes();
  }

  std::uint64_t size_bytes_ = 0;
  std::uint64_t held_bytes_ = 0;  // of pages and deferred words
  std::uint64_t pages_left_ = 0;  // that this step may copy or allocate
  std::uint64_t words_left_ = 0;  // deferred ones that this step may apply to pages without another owner
  std::vector<Slot> slots_;
};

}  // namespace bloomery
