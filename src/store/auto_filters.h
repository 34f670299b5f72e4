// Sets the filters of a new file of a family with BLOOMFILTER => AUTO.
//
//   1. which ones     filter_choice.h: from what gets read; before there are any, as in the family's newest
//                     file, and for the first file of rows
//   2. their rates    filter_spread.h: from the sizes of the family's files, of the new one, and of the
//                     flushes that will come until the next compaction
//   3. the budget     all filters of the family have at most the bits that HBase's filters with the rate
//                     StoreOptions::filter_rate would have; with both kinds, those of HBase's ROWCOL
//
// A rate cannot be changed after a file is written. So a large file leaves bits for the small ones to come.
// If the other files have more than their share, the new one still gets half of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/hfile/hfile_write_options.h"
#include "bloomery/store/store_options.h"
#include "store/filter_spread.h"
#include "store/memstore.h"
#include "store/region.h"

namespace bloomery::store {

// The keys that filters of a file have.
struct FilterKeys {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

FilterKeys keys_of(const Memstore& memstore);
// Returns the sums over the files; keys that several files have count several times.
FilterKeys keys_of(std::span<const table::StoreFilePointer> files);

// Returns chunks of equal size that have room for the keys, with the bits of the rate; nothing for
// kNoFilterRate.
std::optional<HFileFilterSize> filter_size(const FilterPart& part, double rate);

// Takes what was counted of the family's reads, and sets the filters of the file that will replace these
// files. Does nothing unless the schema says AUTO.
void set_filters(HFileWriteOptions& file, RegionFamily& family, const FamilySchema& schema,
                 const FilterKeys& keys, std::span<const table::StoreFilePointer> replaced,
                 const StoreOptions& options);

}  // namespace bloomery::store
