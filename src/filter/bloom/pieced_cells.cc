#include "filter/bloom/pieced_cells.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bloomery/filter/sizing.h"
#include "filter/bloom/bloom_header.h"
#include "filter/bloom/bloom_kernel.h"
#include "filter/bloom/counting_cells.h"
#include "filter/pages/checked_pages.h"

namespace bloomery {
namespace {

// Adapts the words of a paged payload to the kernels of bloom and counting filters.
//
//   PageReader     finds a word for kernels that query; a null page has zeros
//   WordBuffer     the words of one key, for kernels that change them: loaded on access, changed here, and
//                  written back together, or not at all if memory is lacking
//
// Threads: one thread changes and copies the pages; others may release copies.

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

template <typename Words>
BloomTableOf<Words> bits_of(Words words, const BloomShape& shape) {
  return {.words = words, .bits = shape.bits, .hash_count = shape.hash_count};
}
template <typename Words>
CountingTableOf<Words> counters_of(Words words, const BloomShape& shape) {
  return {.words = words, .counters = shape.bits, .hash_count = shape.hash_count};
}

// Returns a table over `words`, the buffered words of one key. It keeps a reference to them.
BloomTableOf<WordBuffer&> bits_in(WordBuffer& words, const BloomShape& shape) {
  return {.words = words, .bits = shape.bits, .hash_count = shape.hash_count};
}
CountingTableOf<WordBuffer&> counters_in(WordBuffer& words, const BloomShape& shape) {
  return {.words = words, .counters = shape.bits, .hash_count = shape.hash_count};
}

Result<CheckedPages> pieces_of(const NativeHeader& header, PagedWords payload, std::uint64_t expected) {
  if (header.payload_bytes != expected) {
    return bad_header_field(native_header::kPayloadBytesAt, "payload bytes",
                            std::to_string(expected) + " for " + std::to_string(header.bits) + " cells",
                            header.payload_bytes);
  }
  return CheckedPages(std::move(payload), 0, header.payload_checksum);
}

template <typename Table>
void prefetch_places_of(const CheckedPages& pieces, const Table& table, std::uint64_t cells_in_word,
                        std::uint64_t hash) {
  bloom_cells::Positions positions(table, hash);
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    pieces.prefetch_place(positions.next() / cells_in_word);
  }
}

std::uint64_t last_word_of(const CheckedPages& pieces) {
  const std::uint64_t* const word = pieces.word(pieces.size_bytes() / kWordBytes - 1);
  return word == nullptr ? 0 : *word;
}

}  // namespace

// ---- bits

Result<PiecedBloom> PiecedBloom::open(const NativeHeader& header, PagedWords payload) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape_of(header));
  BLOOMERY_ASSIGN_OR_RETURN(CheckedPages pieces,
                            pieces_of(header, std::move(payload), bloom_payload_bytes(shape.bits)));
  BLOOMERY_RETURN_IF_ERROR(check_bits_behind_last(shape, last_word_of(pieces)));
  return PiecedBloom(shape, std::move(pieces));
}

void PiecedBloom::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  bloom_cells::may_contain_batch(bits_of(PageReader(pieces_), shape_), hashes, answers.data());
}

void PiecedBloom::prefetch_places(const Hash128& hash) const {
  prefetch_places_of(pieces_, bits_of(PageReader(pieces_), shape_), 64, hash.low);
}

void PiecedBloom::prefetch(const Hash128& hash) const {
  bloom_cells::prefetch_for_update(bits_of(PageReader(pieces_), shape_), hash.low);
}

Added PiecedBloom::insert(const Hash128& hash) {
  WordBuffer words(pieces_);
  if (!bloom_kernel::insert_into(bits_in(words, shape_), hash.low)) {
    return Added::kKnown;
  }
  return words.write_to(pieces_) ? Added::kNew : Added::kNoMemory;
}

// ---- counters

Result<PiecedCounting> PiecedCounting::open(const NativeHeader& header, PagedWords payload) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape_of(header));
  BLOOMERY_ASSIGN_OR_RETURN(CheckedPages pieces,
                            pieces_of(header, std::move(payload), counting_payload_bytes(shape.bits)));
  BLOOMERY_RETURN_IF_ERROR(check_counters_behind_last(shape, last_word_of(pieces)));
  return PiecedCounting(shape, std::move(pieces));
}

void PiecedCounting::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  bloom_cells::may_contain_batch(counters_of(PageReader(pieces_), shape_), hashes, answers.data());
}

void PiecedCounting::prefetch_places(const Hash128& hash) const {
  prefetch_places_of(pieces_, counters_of(PageReader(pieces_), shape_), kCountersPerWord, hash.low);
}

void PiecedCounting::prefetch(const Hash128& hash) const {
  bloom_cells::prefetch_for_update(counters_of(PageReader(pieces_), shape_), hash.low);
}

// A known key increments its counters too.
Added PiecedCounting::insert(const Hash128& hash) {
  WordBuffer words(pieces_);
  const bool is_new = counting_cells::insert(counters_in(words, shape_), hash.low);
  if (!words.write_to(pieces_)) {
    return Added::kNoMemory;
  }
  return is_new ? Added::kNew : Added::kKnown;
}

Removed PiecedCounting::remove(const Hash128& hash) {
  WordBuffer words(pieces_);
  if (!counting_cells::remove(counters_in(words, shape_), hash.low)) {
    return Removed::kAbsent;
  }
  return words.write_to(pieces_) ? Removed::kYes : Removed::kNoMemory;
}

std::optional<std::uint32_t> PiecedCounting::count_at_most(const Hash128& hash) const {
  return counting_cells::count_at_most(counters_of(PageReader(pieces_), shape_), hash.low);
}

}  // namespace bloomery
