// Adapts the words of a paged payload to the kernels of bloom and counting filters.
//
//   PageReader     finds a word for kernels that query; a null page has zeros
//   WordBuffer     the words of one key, for kernels that change them: loaded on access, changed here, and
//                  written back together, or not at all if memory is lacking
//
// Threads: one thread changes and copies the pages; others may release copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/filter/sizing.h"
#include "filter/pages/checked_pages.h"

namespace bloomery {

// Finds words for queries of CountingTableOf and BloomTableOf, which write nothing through it.
class PageReader {
 public:
  explicit PageReader(const CheckedPages& pages) : pages_(&pages) {}
  std::uint64_t* operator+(std::uint64_t index) const;

 private:
  const CheckedPages* pages_;
};

class WordBuffer {
 public:
  explicit WordBuffer(const CheckedPages& pages) : pages_(&pages) {}
  // Returns the address of the buffered copy of a word. Precondition: at most kMaxHashCount different words
  // are accessed.
  std::uint64_t* operator+(std::uint64_t index);
  // Writes the changed words to `pages`, the pages that the buffer was made for. Returns false if memory is
  // lacking; then nothing has changed.
  [[nodiscard]] bool write_to(CheckedPages& pages) const;

 private:
  const CheckedPages* pages_;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kMaxHashCount> indexes_;
  std::array<std::uint64_t, kMaxHashCount> before_;
  std::array<std::uint64_t, kMaxHashCount> after_;
};

}  // namespace bloomery
