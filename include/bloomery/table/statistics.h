// Counts what is in the files of a table: how large keys, values and rows are, how many cells a row has, and which row is
// the largest.
//
// These are the numbers of HBase's own tool (`hbase hfile -s`), for all files of a family together. Every cell of every
// file counts, also old versions, markers, and what they hide. A row that lies in several files counts in each of them.
// Of a half that a split or a merge left, the rows of its region count.
//
// Example:
//    auto table = Table::open("to-load");
//    if (table) {
//      auto families = table_statistics(*table);
//      for (const FamilyStatistics& family : families.value()) {
//        std::cout << family.name << " " << family.row_bytes.most << "\n";
//      }
//    }
//
// Source: HBase 2.6, HFilePrettyPrinter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/table/table.h"

namespace bloomery {

// How sizes are spread. Quantiles are exact below 256, and at most 1/128 too large above it; none is above `most`.
struct SizeSpread {
  std::uint64_t count = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation; it divides by count - 1, as HBase does
  std::uint64_t median = 0;
  std::uint64_t at_75 = 0;  // at least 75 of 100 are not larger
  std::uint64_t at_95 = 0;
  std::uint64_t at_98 = 0;
  std::uint64_t at_99 = 0;
  std::uint64_t at_999 = 0;  // 999 of 1,000
};

struct FamilyStatistics {
  std::string name = {};
  std::uint64_t files = 0;
  std::uint64_t cells = 0;
  std::uint64_t deletes = 0;         // of the cells: markers of every kind
  std::int64_t least_timestamp = 0;  // of all cells; milliseconds since 1970 unless a client set them
  std::int64_t most_timestamp = 0;
  SizeSpread key_bytes = {};       // of each cell: row, family, qualifier, time, type, and their lengths
  SizeSpread last_key_bytes = {};  // of the last cell of each row, which HBase's tool calls "Key length"
  SizeSpread value_bytes = {};     // as stored: a value of a MOB family is its reference
  SizeSpread row_bytes = {};       // keys, values and tags with their lengths
  SizeSpread row_cells = {};
  std::string largest_row = {};       // the first of row_bytes.most bytes
  std::string largest_row_file = {};  // the path of the file that has it
};

// Called with the number of a file, from 0, and how many there are: before the file, and now and then within it. An error
// ends the count.
using StatisticsWatch = std::function<Status(std::size_t file, std::size_t files)>;

// Counts all families of the table, in the order of the schema. Reads every cell once. Memory is that of one open file,
// and 300 KiB a family. Errors: kNotFound, kIo, kCorruption, kUnsupported and kCapacity of a file, with its name; those
// of `watch`. Threads: any.
Result<std::vector<FamilyStatistics>> table_statistics(const Table& table, const FileMemory& memory = {},
                                                       const StatisticsWatch& watch = {});

}  // namespace bloomery
