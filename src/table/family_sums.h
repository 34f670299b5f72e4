// What gets would read of the stores of a family, summed over them, for each kind of Bloom filter.
//
//   blocks a get reads = sum over files of (needed + fpp (in range - needed)) / gets         get_reads.h
//
// with the fpp that a file's own filter has where it is of the kind, else of the filter that HBase would
// write. Formulae: docs/hfile-advise.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/table/family_advice.h"
#include "table/get_reads.h"

namespace bloomery::table {

// A file of a store, and what was counted of it.
struct CountedFile {
  std::string path = {};
  std::string store = {};  // the directory it lies in
  std::string family = {};
  std::uint64_t file_bytes = 0;
  std::uint64_t cells = 0;
  hbase::BloomType bloom_type = hbase::BloomType::kNone;
  std::uint64_t filter_keys = 0;  // as its filter counts them
  FilterCost filter = {};         // as it is
  FileCounts counts = {};         // of a sample, maybe

  // Of the whole file: counted, or from the sample's share of its cells.
  std::uint64_t rows() const;
  std::uint64_t columns() const;
  std::uint64_t prefixes() const;
  // What a filter of a kind costs it.
  FilterCost cost_of(BloomKind kind) const;

 private:
  std::uint64_t of_all(std::uint64_t counted) const;
};

// [k]: in k of a store's files.
using Spread = std::vector<std::uint64_t>;

class FamilySums {
 public:
  // `files` are all those of the store, in the order of its counts.
  void add_store(std::vector<CountedFile> files, const StoreCounts& counts);

  // What follows, for a user.
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
