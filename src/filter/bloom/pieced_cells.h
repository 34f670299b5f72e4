// The bloom and the counting filter of a file over a paged payload.
//
// The kernels of filter/bloom compute and change the cells of a key. They accept tables whose words are in
// pages.
//
// Not here: exceptions, counts, the file (pieced_file.h). Threads: one thread changes and copies the words;
// others may release copies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bloomery/filter/sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/growing_plan.h"
#include "filter/native/native_header.h"
#include "filter/pages/checked_pages.h"

namespace bloomery {

class PiecedBloom : public OfPages {
 public:
  // Errors: kCorruption for a header or payload that is invalid for the type.
  static Result<PiecedBloom> open(const NativeHeader& header, PagedWords payload);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // prefetch_places() prefetches the slots of the pages with a key's words; prefetch(), called a few keys
  // later, the words.
  void prefetch_places(const Hash128& hash) const;
  void prefetch(const Hash128& hash) const;
  // The outcome is kNew, kKnown or kNoMemory.
  Added insert(const Hash128& hash);

 private:
  PiecedBloom(const BloomShape& shape, CheckedPages pieces) : OfPages(std::move(pieces)), shape_(shape) {}

  BloomShape shape_;
};

class PiecedCounting : public OfPages {
 public:
  static Result<PiecedCounting> open(const NativeHeader& header, PagedWords payload);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // prefetch_places() prefetches the slots of the pages with a key's words; prefetch(), called a few keys
  // later, the words.
  void prefetch_places(const Hash128& hash) const;
  void prefetch(const Hash128& hash) const;
  Added insert(const Hash128& hash);
  // Removes one insertion of the key. The outcome is kAbsent if the key is certainly absent.
  Removed remove(const Hash128& hash);
  // Returns an upper bound of the key's count, like CountingBloomFilter::count_at_most().
  std::optional<std::uint32_t> count_at_most(const Hash128& hash) const;

 private:
  PiecedCounting(const BloomShape& shape, CheckedPages pieces) : OfPages(std::move(pieces)), shape_(shape) {}

  BloomShape shape_;
};

}  // namespace bloomery
