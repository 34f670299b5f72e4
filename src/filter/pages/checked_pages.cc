#include "filter/pages/checked_pages.h"

#include <algorithm>

#include "base/crc32c_change.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostTogether = 8;

}  // namespace

Result<CheckedPages> CheckedPages::zeroed(std::uint64_t bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(PagedWords pages, PagedWords::zeroed(bytes));
  return CheckedPages(std::move(pages), 0, crc32c_of_zeros(bytes));
}

bool CheckedPages::put(std::span<const std::uint64_t> indexes, std::span<const std::uint64_t> before,
                       std::span<const std::uint64_t> after) {
  const auto page_of = [&](std::size_t i) { return (first_ + indexes[i]) / kWordsInPage; };
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    unsigned in_page = 1;  // words of the page up to this one
    for (std::size_t j = 0; j < i; ++j) {
      in_page += page_of(j) == page_of(i) ? 1U : 0U;
    }
    if (before[i] != after[i] && !pages_.ready(first_ + indexes[i], in_page)) {
      return false;
    }
  }
  const std::uint64_t words = size_bytes() / kWordBytes;
  for (std::size_t i = 0; i < indexes.size();) {
    // Words that follow each other move the CRC together.
    std::array<std::uint64_t, kMostTogether> difference;
    std::size_t count = 0;
    do {
      difference[count] = before[i + count] ^ after[i + count];
      if (difference[count] != 0) {
        pages_.write(first_ + indexes[i + count], after[i + count]);
      }
      ++count;
    } while (count < kMostTogether && i + count < indexes.size() && indexes[i + count] == indexes[i] + count);
    crc_ ^= crc32c_of_change(std::as_bytes(std::span(difference).first(count)),
                             (words - indexes[i] - count) * kWordBytes);
    i += count;
  }
  return true;
}

std::uint64_t* PageReader::operator+(std::uint64_t index) const {
  static std::uint64_t zero = 0;
  const std::uint64_t* const word = pages_->word(index);
  // Kernels have one kind of table for reading and writing.
  return word == nullptr ? &zero
                         : const_cast<std::uint64_t*>(word);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

std::uint64_t* WordBuffer::operator+(std::uint64_t index) {
  const auto end = indexes_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto at = static_cast<std::size_t>(std::find(indexes_.begin(), end, index) - indexes_.begin());
  if (at == count_) {
    const std::uint64_t* const word = pages_->word(index);
    indexes_[at] = index;
    before_[at] = word == nullptr ? 0 : *word;
    after_[at] = before_[at];
    ++count_;
  }
  return &after_[at];
}

bool WordBuffer::write_to(CheckedPages& pages) const {
  return pages.put(std::span(indexes_).first(count_), std::span(before_).first(count_),
                   std::span(after_).first(count_));
}

}  // namespace bloomery
