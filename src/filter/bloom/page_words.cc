#include "filter/bloom/page_words.h"

#include <algorithm>

namespace bloomery {

std::uint64_t* PageReader::operator+(std::uint64_t index) const {
  static std::uint64_t zero = 0;
  const std::uint64_t* const word = pages_->word(index);
  // Kernels use one table type for reads and writes.
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
