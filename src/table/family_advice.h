// Which kind of Bloom filter pays for a family, from what was counted of its stores.
//
//   blocks a get reads = sum over files of (needed + fpp (in range - needed)) / gets         get_reads.h
//
// with the fpp that a file's own filter has where it is of the kind, else of the filter that HBase would
// write. A dearer kind is advised only where it spares a get both 1 % of a block and 5 % of what the cheaper
// one reads. Formulae: docs/hfile-advise.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "table/get_reads.h"

namespace bloomery::cli {

struct AdvisedFile {
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
  FilterCost cost_of(FilterKind kind) const;

 private:
  std::uint64_t of_all(std::uint64_t counted) const;
};

// Which gets are made: shares, from 0 to 1.
struct GetMix {
  double whole_rows = 0.5;
  double absent = 0.5;

  // Of each GetKind; of columns that are not there, half are of absent rows.
  std::array<double, kGetKinds> weights() const;
};

struct ExpectedReads {
  double files = 0;
  double blocks = 0;
};

// [k]: in k of a store's files.
using Spread = std::vector<std::uint64_t>;

class FamilyAdvice {
 public:
  // `files` are all those of the store, in the order of its counts.
  void add_store(std::vector<AdvisedFile> files, const StoreCounts& counts);

  const std::vector<AdvisedFile>& files() const { return files_; }
  std::uint64_t stores() const { return stores_; }
  bool is_sample() const { return is_sample_; }
  const Spread& rows_in_files() const { return rows_in_files_; }
  const Spread& columns_in_files() const { return columns_in_files_; }
  double gets(GetKind get) const { return gets_[static_cast<std::size_t>(get)]; }
  // Means over all gets of the kind; 0 where there are none.
  ExpectedReads reads(GetKind get, FilterKind kind) const;
  double blocks_per_get(const GetMix& mix, FilterKind kind) const;
  std::uint64_t filter_bytes(FilterKind kind) const;
  std::uint64_t file_bytes() const;
  // The mean over the files with such a filter, by its bytes; 1 without.
  double fpp(FilterKind kind) const;
  // The kind that pays, of those without a length.
  FilterKind best(const GetMix& mix) const;
  // Why, in a sentence with its numbers.
  std::string explain(const GetMix& mix) const;

 private:
  std::vector<AdvisedFile> files_;
  std::uint64_t stores_ = 0;
  bool is_sample_ = false;
  Spread rows_in_files_;
  Spread columns_in_files_;
  std::array<double, kGetKinds> gets_ = {};
  std::array<std::array<ExpectedReads, kFilterKinds>, kGetKinds> sums_ = {};
};

}  // namespace bloomery::cli
