// What gets read of the files of a store, by what is asked and by the kind of Bloom filter.
//
// A store is what HBase calls one: the files of one family in one region; a get asks one store. A file is
// read when the row is within its key range and its filter does not say no. A filter of a kind cannot spare
// the reads of a file that has what it is asked for; of the others it spares all but its false positives:
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
  std::uint64_t blocks = 0;  // of data, each once a get

  void add(std::uint64_t more_blocks) {
    ++files;
    blocks += more_blocks;
  }
};

// Of the gets of one kind: what they read of a file whose key range has the row, and the part of it that a
// filter of each kind cannot spare.
struct FileReads {
  ReadSum in_range = {};
  std::array<ReadSum, kBloomKinds> needed = {};
};

// What was counted of one file.
struct FileCounts {
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t prefixes = 0;  // of rows, of the length that was asked for
  std::array<FileReads, kGetKinds> reads = {};
};

struct StoreCounts {
  std::vector<FileCounts> files = {};
  std::array<std::uint64_t, kGetKinds> gets = {};
  // [k]: how many rows, and columns of rows, are in k of the files; [0] is none.
  std::vector<std::uint64_t> rows_in_files = {};
  std::vector<std::uint64_t> columns_in_files = {};
  bool is_sample = false;
};

// Bytes of bits, and the probability that a question for what is absent is a maybe; of a column, that one of
// its two probes is.
struct FilterCost {
  std::uint64_t bytes = 0;
  double fpp = 1;
};

// Of a filter that HBase would write with its defaults: error rate 0.01, chunks of 128 KiB, folded.
FilterCost default_filter(BloomKind kind, std::uint64_t keys);

}  // namespace bloomery::table
