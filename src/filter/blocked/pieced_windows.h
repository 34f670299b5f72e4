// The blocked filter of a file over a paged payload, and the window operations that it shares with the layers
// of a scalable filter.
//
//   fast     windows begin at multiples of 64 bytes, so each is one line of a page
//   dense    windows begin at any word; one that straddles two lines may be copied for a query
//
// The blocked kernels compute the bits of a key in its window. They get a table of that single window, and
// the rest of the hash in place of the hash (one_window.h).
//
// Not here: exceptions, counts, the file (pieced_file.h). Threads: one thread changes and copies the words;
// others may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/growing_plan.h"
#include "filter/native/native_header.h"
#include "filter/pages/checked_pages.h"

namespace bloomery {

// The words of a blocked filter. They begin at byte `at` of the pages, which is a multiple of 64.
struct PiecedTable {
  std::uint64_t at = 0;
  BlockedShape shape;
};

namespace pieced_windows {

inline constexpr std::size_t kGroup = 64;

// Answers at most kGroup hashes. Bits of `asked` select the queried ones; the others are 0 in the answer.
std::uint64_t ask(const CheckedPages& pieces, const PiecedTable& table, std::span<const Hash128> hashes,
                  std::uint64_t asked);
bool contains(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash);
// prefetch_places() prefetches the slot of the page with a key's window; prefetch(), called a few keys later,
// the window.
void prefetch_places(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash);
void prefetch(const CheckedPages& pieces, const PiecedTable& table, const Hash128& hash);
// The outcome is kNew, kKnown or kNoMemory.
Added insert(CheckedPages& pieces, const PiecedTable& table, const Hash128& hash);

}  // namespace pieced_windows

class PiecedBlocked : public OfPages {
 public:
  // Errors: kCorruption for a header that is invalid for this type.
  static Result<PiecedBlocked> open(const NativeHeader& header, PagedWords payload);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void prefetch_places(const Hash128& hash) const { pieced_windows::prefetch_places(pieces_, table_, hash); }
  void prefetch(const Hash128& hash) const { pieced_windows::prefetch(pieces_, table_, hash); }
  Added insert(const Hash128& hash) { return pieced_windows::insert(pieces_, table_, hash); }
  const BlockedShape& shape() const { return table_.shape; }

 private:
  PiecedBlocked(const BlockedShape& shape, CheckedPages pieces)
      : OfPages(std::move(pieces)), table_{.at = 0, .shape = shape} {}

  PiecedTable table_;
};

}  // namespace bloomery
