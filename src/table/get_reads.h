// Counts the reads of gets in the files of a store, by the kind of get and by the type of Bloom filter.
//
// A store is a store of HBase: the files of one family in one region. A get reads one store. It reads a file
// if the row is within the file's key range and the filter does not answer no.
//
// With a type of filter, a get needs a file if the file has the key that the get queries the filter for; no
// filter of that type can save these reads. Other files in range are read only after false positives:
//
//   expected reads = needed + fpp (in range - needed)        docs/hfile-advise.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/table/family_advice.h"
#include "hfile/bloom/bloom_key.h"

namespace bloomery::table {

inline bool names_column(GetKind kind) {
  return kind < GetKind::kWholeRow;
}

BloomKind bloom_kind_of(hbase::BloomType type);

struct ReadSum {
  std::uint64_t files = 0;
  std::uint64_t blocks = 0;  // data blocks, each counted once per get

  void add(std::uint64_t more_blocks) {
    ++files;
    blocks += more_blocks;
  }
};

// The reads of a file by gets of one kind. `in_range` counts all gets whose row is in the file's key range,
// and `needed` the reads that a filter of each type cannot save.
struct FileReads {
  ReadSum in_range = {};
  std::array<ReadSum, kBloomKinds> needed = {};
};

// The counts of one file.
struct FileCounts {
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t prefixes = 0;  // row prefixes of the requested length
  std::array<FileReads, kGetKinds> reads = {};
};

struct StoreCounts {
  std::vector<FileCounts> files = {};
  std::array<std::uint64_t, kGetKinds> gets = {};
  // Element [k] is the number of rows, or of columns of rows, that are in k of the files. [0] is always 0.
  std::vector<std::uint64_t> rows_in_files = {};
  std::vector<std::uint64_t> columns_in_files = {};
  bool is_sample = false;
};

// The size of a filter's bits, and the probability that a query for an absent key returns maybe. A query for
// a column makes two probes; it returns maybe if at least one of them does.
struct FilterCost {
  std::uint64_t bytes = 0;
  double fpp = 1;
};

// Returns the fpp of a filter of so many bits with these keys: (1 - e^(-k n / m))^k.
double filled_fpp(double bits, std::uint32_t hash_count, double keys);

// The cost of a filter for `keys` keys with HBase's defaults: error rate 0.01, chunks of 128 KiB, folded.
FilterCost default_filter(BloomKind kind, std::uint64_t keys);

}  // namespace bloomery::table
