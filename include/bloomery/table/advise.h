// Which kind of Bloom filter pays for the families of a table, counted from its files.
//
//   blocks a get reads = sum over files of (needed + fpp (in range - needed)) / gets
//
// with the fpp that a file's own filter has where it is of the kind, else of the filter that HBase would
// write with its defaults. A store is what HBase calls one: the files of one family in one region; a get asks
// one store. Every row, column, and gap behind them is asked for in turn, or a sample of rows. Formulae:
// docs/hfile-advise.md. Not here: time ranges, what deletes hide, caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/result.h"

namespace bloomery {

// HBase's BLOOMFILTER of a family, and what its files have now.
enum class BloomKind : std::uint8_t { kNone, kRow, kRowCol, kRowPrefix, kToday };
inline constexpr std::size_t kBloomKinds = 5;

const char* bloom_kind_name(BloomKind kind);  // "ROWCOL", "ROWPREFIX", "today"

enum class GetKind : std::uint8_t {
  kPresentCell,        // a column that is there
  kAbsentColumn,       // a column that is not, of a row that is
  kColumnOfAbsentRow,  // a column of a row that is not
  kWholeRow,           // a row, no column named
  kAbsentRow,          // the same, of a row that is not there
};
inline constexpr std::size_t kGetKinds = 5;

const char* get_kind_name(GetKind kind);  // "absent column"

// Which gets are made: shares, from 0 to 1.
struct GetMix {
  double whole_rows = 0.5;
  double absent = 0.5;

  // Of each GetKind; of columns that are not there, half are of absent rows.
  std::array<double, kGetKinds> weights() const;
};

// Means of one get.
struct ExpectedReads {
  double files = 0;
  double blocks = 0;  // of data, each once
};

// What a kind of filter costs a family and what gets read with it.
struct BloomKindAdvice {
  std::uint64_t filter_bytes = 0;
  double fpp = 1;                                   // the mean over files, by bytes of filter; 1 without any
  std::array<ExpectedReads, kGetKinds> reads = {};  // of each GetKind; 0 where no such get could be made

  double blocks_per_get(const GetMix& mix) const;
};

struct AdvisedFile {
  std::string path = {};
  std::string store = {};  // the directory it lies in
  std::string family = {};
  std::uint64_t file_bytes = 0;
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;     // counted, or from the sample's share of its cells
  std::uint64_t columns = 0;  // of rows, likewise
  std::uint64_t counted_cells = 0;
  std::string bloom_type = {};  // in HBase's words, "NONE" without a filter
  std::uint64_t filter_bytes = 0;
  double fpp = 1;  // by the bits that are set; of a question
};

struct FamilyAdvice {
  std::string family = {};
  std::vector<AdvisedFile> files = {};
  std::uint64_t stores = 0;
  std::uint64_t file_bytes = 0;
  bool is_sample = false;  // of a store at least
  // [k]: how many rows, and columns of rows, are in k of a store's files; [0] is none.
  std::vector<std::uint64_t> rows_in_files = {};
  std::vector<std::uint64_t> columns_in_files = {};
  std::array<BloomKindAdvice, kBloomKinds> kinds = {};

  const BloomKindAdvice& of(BloomKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  // NONE, ROW or ROWCOL, whichever pays: a dearer kind only where it spares a get both 1 % of a block and 5 %
  // of what the cheaper one reads.
  BloomKind best(const GetMix& mix) const;
};

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
};

// Reads the HFiles below a directory: a table, a region or a family, as HBase lays them out. Directories
// whose names begin with a dot are passed over. In memory are a block of each file of one store. Safe from
// any thread.
//   Errors: kNotFound, kIo, kInvalidArgument for the directory itself; kInvalidArgument for a prefix that is
//   longer than a row.
Result<TableAdvice> advise_filters(const std::string& directory, const AdviceOptions& options = {});

}  // namespace bloomery
