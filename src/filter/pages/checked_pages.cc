#include "filter/pages/checked_pages.h"

#include <array>

#include "base/crc32c_change.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostTogether = 8;

}  // namespace

Result<CheckedPages> CheckedPages::zeroed(std::uint64_t bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(PagedWords pages, PagedWords::zeroed(bytes));
  return CheckedPages(std::move(pages), 0, crc32c_of_zeros(bytes));
}

bool CheckedPages::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!pages_.store(first_ * kWordBytes + offset, bytes)) {
    return false;
  }
  crc_ ^= crc32c_of_change(bytes, size_bytes() - offset - bytes.size());
  return true;
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
    // Consecutive words update the CRC together.
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

}  // namespace bloomery
