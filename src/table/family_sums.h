// Sums up, over the stores of a family, the expected reads of gets for each type of Bloom filter.
//
//   blocks per get = sum over files of (needed + fpp (in range - needed)) / gets         get_reads.h
//
// The fpp is that of the file's own filter if it has this type, and otherwise that of the filter that HBase
// would write. Formulae: docs/hfile-advise.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/table/family_advice.h"
#include "table/get_reads.h"

namespace bloomery::table {

// A file of a store, and the counts of its cells.
struct CountedFile {
  std::string path = {};
  std::string store = {};  // the file's directory
  std::string family = {};
  std::uint64_t file_bytes = 0;
  std::uint64_t cells = 0;
  hbase::BloomType bloom_type = hbase::BloomType::kNone;
  std::uint64_t filter_keys = 0;  // the number of keys in the file's filter
  FilterCost filter = {};         // size and fpp of the file's filter
  FileCounts counts = {};         // of all cells or of a sample

  // Numbers for the entire file. They are counted, or estimated from the sample's share of its cells.
  std::uint64_t rows() const;
  std::uint64_t columns() const;
  std::uint64_t prefixes() const;
  // Returns the size and fpp of a filter of this type for the file.
  FilterCost cost_of(BloomKind kind) const;

 private:
  std::uint64_t of_all(std::uint64_t counted) const;
};

// Element [k] counts the rows or columns that are in k of a store's files.
using Spread = std::vector<std::uint64_t>;

class FamilySums {
 public:
  // Adds a store. `files` are all of its files, in the order of `counts`.
  void add_store(std::vector<CountedFile> files, const StoreCounts& counts);

  // Returns the advice for the family.
  FamilyAdvice advice(const std::string& family) const;

 private:
  BloomKindAdvice advice_of(BloomKind kind) const;

  std::vector<CountedFile> files_;
  std::uint64_t stores_ = 0;
  bool is_sample_ = false;
  Spread rows_in_files_;
  Spread columns_in_files_;
  std::array<double, kGetKinds> gets_ = {};
  std::array<std::array<ExpectedReads, kBloomKinds>, kGetKinds> sums_ = {};
};

}  // namespace bloomery::table
