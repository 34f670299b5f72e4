#include "filter/pages/paged_words.h"

#include <algorithm>
#include <string>

#include "base/prefetch.h"
#include "base/zero_bytes.h"

namespace bloomery {
namespace {

// The limits of one step's copies. Copying two pages costs 0.1 ms, and all pages of a small filter less than
// a millisecond.
constexpr std::uint64_t kPagesAStep = 2;
constexpr std::uint64_t kSmallPages = 16;
constexpr std::uint64_t kWordsAStep = 8192;

// Returns how many words a page may defer before it must be copied, even beyond the step's limit: 256 to
// 1,021.
std::uint32_t most_deferred(std::uint64_t page) {
  constexpr std::uint32_t kLeast = 256;
  return kLeast + 3 * (static_cast<std::uint32_t>(page) * 0x9E3779B1U >> 24);
}

}  // namespace

Result<PagedWords> PagedWords::zeroed(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMostPagedBytes) {
    return Error::capacity("filter", "expected 1 to 2^36 bytes, found " + std::to_string(bytes));
  }
  PagedWords made;
  made.size_bytes_ = bytes;
  made.slots_.resize((bytes + kPageBytes - 1) / kPageBytes);
  made.begin_step();
  return made;
}

// A copy increments the owner count of each page, which is a cache miss for each. Later counts are
// prefetched.
PagedWords::PagedWords(const PagedWords& other)
    : size_bytes_(other.size_bytes_),
      held_bytes_(other.held_bytes_),
      pages_left_(other.pages_left_),
      words_left_(other.words_left_) {
  constexpr std::size_t kAhead = 16;
  slots_.reserve(other.slots_.size());
  for (std::size_t i = 0; i < other.slots_.size(); ++i) {
    const Slot& later = other.slots_[std::min(i + kAhead, other.slots_.size() - 1)];
    prefetch_to_write(later.page.owners_or(&later));
    prefetch_to_write(later.deferred.head_or(&later));
    other.slots_[i].is_ours = false;
    slots_.push_back(other.slots_[i]);
  }
}

std::uint64_t PagedWords::page_bytes(std::uint64_t page) const {
  return std::min(kPageBytes, size_bytes_ - page * kPageBytes);
}

void PagedWords::begin_step() {
  pages_left_ = slots_.size() <= kSmallPages ? kSmallPages : kPagesAStep;
  words_left_ = kWordsAStep;
}

// ---- bytes

void PagedWords::load(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::uint64_t page = offset / kPageBytes;
    const std::uint64_t within = offset % kPageBytes;
    const auto part = out.first(std::min<std::uint64_t>(out.size(), page_bytes(page) - within));
    const Slot& slot = slots_[page];
    if (slot.page.read() == nullptr) {
      std::ranges::fill(part, std::byte{0});
    } else {
      std::copy_n(slot.page.read() + within, part.size(), part.begin());
    }
    // A deferred word may begin before the requested bytes, or end after them.
    slot.deferred.for_each([&](std::uint32_t place, const std::uint64_t& value) {
      const std::uint64_t at = place * kWordBytes;
      const std::uint64_t first = std::max(at, within);
      const std::uint64_t last = std::min(at + kWordBytes, within + part.size());
      if (first < last) {
        std::copy_n(reinterpret_cast<const std::byte*>(&value) + (first - at), last - first,
                    part.begin() + static_cast<std::ptrdiff_t>(first - within));
      }
    });
    offset += part.size();
    out = out.subspan(part.size());
  }
}

bool PagedWords::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t page = offset / kPageBytes;
    const std::uint64_t within = offset % kPageBytes;
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), page_bytes(page) - within));
    if (!all_zeros(part) || slots_[page].page.read() != nullptr) {
      std::byte* const to = own(page);
      if (to == nullptr) {
        return false;
      }
      std::ranges::copy(part, to + within);
    }
    offset += part.size();
    bytes = bytes.subspan(part.size());
  }
  return true;
}

// ---- reading words

LineWords PagedWords::copied(const Slot& slot, std::uint64_t line) {
  LineWords words{};
  if (const std::uint64_t* const page_words = in_page(slot, line * kWordsInLine); page_words != nullptr) {
    std::copy_n(page_words, kWordsInLine, words.begin());
  }
  slot.deferred.read_line(static_cast<std::uint32_t>(line % kLinesInPage), words.data());
  return words;
}

const std::uint64_t* PagedWords::merged(const Slot& slot, std::uint64_t line, LineWords& scratch) {
  scratch = copied(slot, line);
  return scratch.data();
}

// ---- writing words

std::byte* PagedWords::own(std::uint64_t page) {
  Slot& slot = slots_[page];
  const std::uint64_t before = held_by(slot);
  std::byte* const bytes = slot.page.write(page_bytes(page));
  if (bytes == nullptr) {
    return nullptr;
  }
  auto* const words = reinterpret_cast<std::uint64_t*>(bytes);
  slot.deferred.for_each([words](std::uint32_t place, std::uint64_t value) { words[place] = value; });
  slot.deferred = DeferredWords();
  slot.is_ours = true;
  held_bytes_ += held_by(slot) - before;
  return bytes;
}

bool PagedWords::ready(std::uint64_t word, unsigned more) {
  const std::uint64_t page = word / kWordsInPage;
  Slot& slot = slots_[page];
  if (slot.is_ours) {
    return true;
  }
  const std::uint32_t deferred = slot.deferred.count();
  if (slot.page.is_ours() && deferred <= words_left_) {
    words_left_ -= deferred;
  } else if (pages_left_ > 0) {
    --pages_left_;
  } else if (deferred < most_deferred(page)) {
    const std::uint64_t before = held_by(slot);
    const bool has_room = slot.deferred.reserve(more);
    held_bytes_ += held_by(slot) - before;
    return has_room;
  }
  return own(page) != nullptr;
}

void PagedWords::write(std::uint64_t index, std::uint64_t value) {
  Slot& slot = slots_[index / kWordsInPage];
  if (slot.is_ours) {
    *own_words(slot, index) = value;
  } else {
    slot.deferred.put(place_of(index), value);
  }
}

void PagedWords::defer_line(std::uint64_t line, const LineWords& before, const LineWords& words) {
  Slot& slot = slots_[line / kLinesInPage];
  for (std::uint32_t i = 0; i < kWordsInLine; ++i) {
    if (words[i] != before[i]) {
      slot.deferred.put(place_of(line * kWordsInLine + i), words[i]);
    }
  }
}

bool PagedWords::set_slowly(std::uint64_t bit) {
  if (test(bit)) {
    return true;
  }
  const std::uint64_t index = bit / 64;
  if (!ready(index, 1)) {
    return false;
  }
  const std::uint64_t* const before = word(index);
  write(index, (before == nullptr ? 0 : *before) | std::uint64_t{1} << (bit % 64));
  return true;
}

}  // namespace bloomery
