#include "filter/bloom/pieced_cells.h"

#include <string>

#include "filter/bloom/bloom_header.h"
#include "filter/bloom/bloom_kernel.h"
#include "filter/bloom/counting_cells.h"
#include "filter/bloom/page_words.h"

namespace bloomery {
namespace {

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
