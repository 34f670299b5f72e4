// The payload of a filter file in copy-on-write pages (paged_words.h), with a CRC that every write updates.
//
//   CheckedPages   bytes `begin` to the end of some pages, and their CRC-32C
//   OfPages        base class of a filter with such a payload: the queries about its bytes
//
// Every write updates the CRC from the difference of the words that it writes (base/crc32c_change.h). So the
// time of a step does not grow with the payload.
//
// Invariant: crc() is the CRC of the bytes. Threads: one thread changes and copies the pages; others may
// release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/base/result.h"
#include "filter/pages/paged_words.h"

namespace bloomery {

class CheckedPages {
 public:
  // Precondition: `begin` is a multiple of 64, at most the size of the pages; `crc` is the CRC of the bytes
  // from there on.
  CheckedPages(PagedWords pages, std::uint64_t begin, std::uint32_t crc)
      : pages_(std::move(pages)), first_(begin / kWordBytes), crc_(crc) {}
  // Errors: kCapacity.
  static Result<CheckedPages> zeroed(std::uint64_t bytes);

  // Writes bytes where there are zeros. Returns false if memory is lacking. Precondition: `offset` and the
  // bytes are whole words within the size.
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);

  std::uint64_t size_bytes() const { return pages_.size_bytes() - first_ * kWordBytes; }
  std::uint32_t crc() const { return crc_; }
  std::uint64_t memory_bytes() const { return pages_.memory_bytes(); }
  // Copies bytes. Precondition: offset + out.size() <= size_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const {
    pages_.load(first_ * kWordBytes + offset, out);
  }

  // Returns the address of a word, or null if its page has no memory; the word is then 0.
  const std::uint64_t* word(std::uint64_t index) const { return pages_.word(first_ + index); }
  // Returns true if the `count` words from `index` on are contiguous at word(index).
  bool are_neighbours(std::uint64_t index, std::uint64_t count) const {
    return (first_ + index) % kWordsInPage + count <= kWordsInPage &&
           pages_.are_neighbours_from(first_ + index);
  }

  void prefetch_place(std::uint64_t index) const { pages_.prefetch_place(first_ + index); }
  void prefetch(std::uint64_t index) const { pages_.prefetch(first_ + index); }
  void begin_step() { pages_.begin_step(); }
  // Writes several words. Returns false if memory is lacking; then nothing has changed. Precondition:
  // `before` has their current values, and the indexes are different.
  [[nodiscard]] bool put(std::span<const std::uint64_t> indexes, std::span<const std::uint64_t> before,
                         std::span<const std::uint64_t> after);

 private:
  PagedWords pages_;
  std::uint64_t first_;  // the index in pages_ of our word 0
  std::uint32_t crc_;
};

class OfPages {
 public:
  void begin_step() { pieces_.begin_step(); }
  std::uint64_t payload_bytes() const { return pieces_.size_bytes(); }
  std::uint32_t payload_crc() const { return pieces_.crc(); }
  std::uint64_t memory_bytes() const { return pieces_.memory_bytes(); }
  // Copies bytes of the payload. Precondition: offset + out.size() <= payload_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const { pieces_.read(offset, out); }

 protected:
  explicit OfPages(CheckedPages pieces) : pieces_(std::move(pieces)) {}

  CheckedPages pieces_;
};

}  // namespace bloomery
