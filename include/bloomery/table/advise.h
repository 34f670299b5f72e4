// Recommends a Bloom filter type for each family of a table, from counts over its files.
//
// Example:
//    auto advice = advise_filters("table");
//    for (const FamilyAdvice& family : advice->families) {
//      std::cout << family.family << ": " << bloom_kind_name(family.best(GetMix())) << "\n";
//    }
//
// The measure is the number of data blocks that a get reads:
//
//   blocks per get = sum over files of (needed + fpp (in range - needed)) / gets
//
// The fpp is that of the file's own filter if it is of that type; otherwise it is the fpp of HBase's default
// filter. A store is the files of one family in one region, and a get reads one store. The model queries
// every row, every column, and every gap after them once, or does so for a sample of rows.
// docs/hfile-advise.md has the formulae.
//
// Links are followed to their files. References to halves of files, which a split or a merge leaves, are not
// counted. A family that has some has uncounted_files, and its numbers cover only the other files.
//
// Limits: time ranges, delete markers, caches, and the lists of store-file trackers are ignored.
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
#include "bloomery/table/uncounted_file.h"

namespace bloomery {

struct TableAdvice {
  std::vector<FamilyAdvice> families = {};    // by name
  std::vector<std::string> others = {};       // paths that are not HFiles
  std::vector<UncountedFile> uncounted = {};  // FamilyAdvice::uncounted_files counts them
  // Directories of regions that a split or a merge has replaced. HBase no longer reads them, and they are not
  // counted.
  std::vector<std::string> replaced_regions = {};
  // The errors of files that were left out, or that have a damaged filter. The advice covers the other files.
  std::vector<Error> errors = {};
};

struct AdviceOptions {
  // The length of the row prefix in a ROWPREFIX_FIXED_LENGTH filter (BloomKind::kRowPrefix). At most
  // kLongestRow.
  std::size_t prefix_bytes = 0;
  // The approximate number of rows to count in each store, in ranges spread over its blocks. 0 means all
  // rows. By default stores above 2 GiB are sampled, with 100,000 rows.
  std::optional<std::uint64_t> sample_rows = {};
  FileMemory memory = {};  // the limit for what is kept of each file
};

// Reads the HFiles below a directory: a table, a region or a family, in HBase's layout. Directories whose
// names begin with a dot are skipped. Memory holds of each file of one store a block and up to 64 KiB of
// read-ahead. Safe from any thread.
//
// Errors: kNotFound, kIo and kInvalidArgument for the directory itself. Also kInvalidArgument for a prefix
// that is longer than a row.
Result<TableAdvice> advise_filters(const std::string& directory, const AdviceOptions& options = {});

}  // namespace bloomery
