// Counts what gets read of the files of a store, by the kind of get and by the kind of Bloom filter.
//
// A store is what HBase calls a store: the files of one family in one region. A get asks one store. It reads
// a file if the row is within the file's key range and the filter does not say no.
//
// A file is needed by a get if it has what its filter is asked for; no filter of this kind spares its reads.
// For all other files in range, only the filter's false positives are read:
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
  std::uint64_t blocks = 0;  // data blocks, each counted once a get

  void add(std::uint64_t more_blocks) {
    ++files;
    blocks += more_blocks;
  }
};

// The reads of a file by gets of one kind: those of all gets whose row is in the file's key range, and for
// each kind of filter those that it cannot spare.
struct FileReads {
  ReadSum in_range = {};
  std::array<ReadSum, kBloomKinds> needed = {};
};

// The counts of one file.
struct FileCounts {
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t prefixes = 0;  // of the length that was asked for
  std::array<FileReads, kGetKinds> reads = {};
};

struct StoreCounts {
  std::vector<FileCounts> files = {};
  std::array<std::uint64_t, kGetKinds> gets = {};
  // [k] counts the rows, and the columns of rows, that are in k of the files. [0] is always 0.
  std::vector<std::uint64_t> rows_in_files = {};
  std::vector<std::uint64_t> columns_in_files = {};
  bool is_sample = false;
};

// The size of a filter's bits, and the probability that a question for an absent key is answered maybe. A
// question for a column makes two probes; it is answered maybe if at least one of them is.
struct FilterCost {
  std::uint64_t bytes = 0;
  double fpp = 1;
};

// The cost of a filter for `keys` keys as HBase writes it by default: error rate 0.01, chunks of 128 KiB,
// folded.
FilterCost default_filter(BloomKind kind, std::uint64_t keys);

}  // namespace bloomery::table
