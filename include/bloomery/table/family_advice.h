// The Bloom filter type that pays for a family, for a mix of gets, computed from the counts of
// advise_filters().
//
// advise.h makes these values and documents the model. All are plain values, and functions are pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bloomery {

// HBase's BLOOMFILTER setting of a family. kToday is the present state of its files.
enum class BloomKind : std::uint8_t { kNone, kRow, kRowCol, kRowPrefix, kToday };
inline constexpr std::size_t kBloomKinds = 5;

const char* bloom_kind_name(BloomKind kind);  // "ROWCOL", "ROWPREFIX", "today"

enum class GetKind : std::uint8_t {
  kPresentCell,        // a column that exists
  kAbsentColumn,       // a column that does not exist, in a row that does
  kColumnOfAbsentRow,  // a column of a row that does not exist
  kWholeRow,           // a row that exists, with no column named
  kAbsentRow,          // a row that does not exist, with no column named
};
inline constexpr std::size_t kGetKinds = 5;

const char* get_kind_name(GetKind kind);  // "absent column"

// The mix of gets, as shares from 0 to 1.
struct GetMix {
  double whole_rows = 0.5;
  double absent = 0.5;

  // Returns the share of each GetKind. Half of the absent columns are in absent rows.
  std::array<double, kGetKinds> weights() const;
};

// Means per get.
struct ExpectedReads {
  double files = 0;
  double blocks = 0;  // data blocks, each once
};

// The size of a filter of this type for a family, and the reads that are left with it.
struct BloomKindAdvice {
  std::uint64_t filter_bytes = 0;
  double fpp = 1;                                   // mean over files by bytes of filter; 1 if there is none
  std::array<ExpectedReads, kGetKinds> reads = {};  // for each GetKind; 0 if no such get exists

  double blocks_per_get(const GetMix& mix) const;
};

struct AdvisedFile {
  std::string path = {};
  std::string store = {};  // the directory of the file
  std::string family = {};
  std::uint64_t file_bytes = 0;
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;     // counted, or estimated from the sample's share of the cells
  std::uint64_t columns = 0;  // columns of rows, counted or estimated like `rows`
  std::uint64_t counted_cells = 0;
  std::string bloom_type = {};  // in HBase's words, "NONE" without a filter
  std::uint64_t filter_bytes = 0;
  double fpp = 1;  // the fpp of one query, from the set bits
};

struct FamilyAdvice {
  std::string family = {};
  std::vector<AdvisedFile> files = {};
  std::uint64_t stores = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t uncounted_files = 0;  // files of its stores that a get also reads; not in any number
  bool is_sample = false;             // at least one store was sampled
  // Element [k] is the number of rows, or of columns of rows, that are in k files of a store; [0] is 0.
  std::vector<std::uint64_t> rows_in_files = {};
  std::vector<std::uint64_t> columns_in_files = {};
  std::array<BloomKindAdvice, kBloomKinds> kinds = {};

  const BloomKindAdvice& of(BloomKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  // Returns NONE, ROW or ROWCOL, whichever pays for the counted files. A more expensive type must save a get
  // both 1 % of a block and 5 % of the reads of the cheaper one.
  BloomKind best(const GetMix& mix) const;
};

}  // namespace bloomery
