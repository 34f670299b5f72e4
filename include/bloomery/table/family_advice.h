// Which kind of Bloom filter pays for a family, for a mix of gets: what advise_filters() counted, as numbers.
//
// Made by advise.h, which says how. All of it is plain values; functions are pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace bloomery
