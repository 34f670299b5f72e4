// Which kind of Bloom filter pays for the families of a table, counted from its files.
//
//   blocks a get reads = sum over files of (needed + fpp (in range - needed)) / gets
//
// with the fpp that a file's own filter has where it is of the kind, else of the filter that HBase would
// write with its defaults. A store is what HBase calls one: the files of one family in one region; a get asks
// one store. Every row, column, and gap behind them is asked for in turn, or a sample of rows. Formulae:
// docs/hfile-advise.md. Not here: time ranges, what deletes hide, caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/table/family_advice.h"

namespace bloomery {

struct TableAdvice {
  std::vector<FamilyAdvice> families = {};  // by name
  std::vector<std::string> others = {};     // paths that are no HFiles
  // Of files that were left out, or have a damaged filter; the advice is from the rest.
  std::vector<Error> errors = {};
};

struct AdviceOptions {
  // Of rows, of a ROWPREFIX_FIXED_LENGTH filter: BloomKind::kRowPrefix is of this length. At most
  // kLongestRow.
  std::size_t prefix_bytes = 0;
  // About so many rows of each store are counted, in stretches that are spread over its blocks; 0 is all.
  // Unless given, stores above 2 GiB are sampled, with 100,000 rows.
  std::optional<std::uint64_t> sample_rows = {};
  FileMemory memory = {};  // that may be kept of each file
};

// Reads the HFiles below a directory: a table, a region or a family, as HBase lays them out. Directories
// whose names begin with a dot are passed over. In memory are a block of each file of one store. Safe from
// any thread.
//   Errors: kNotFound, kIo, kInvalidArgument for the directory itself; kInvalidArgument for a prefix that is
//   longer than a row.
Result<TableAdvice> advise_filters(const std::string& directory, const AdviceOptions& options = {});

}  // namespace bloomery
