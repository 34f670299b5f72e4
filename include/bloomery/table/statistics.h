// Computes statistics of the files of a table: the sizes of keys, values and rows, the number of cells per
// row, and the largest row.
//
// These are the numbers of HBase's own tool (`hbase hfile -s`), for all files of a family together. Every
// cell of every file counts, including old versions, markers and hidden cells. A row that is in several files
// counts in each of them. For a half that a split or a merge left, only the rows of its region count.
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

// A distribution of sizes. Quantiles are exact below 256, and at most 1/128 too large above it; none exceeds
// `most`.
struct SizeSpread {
  std::uint64_t count = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation; it divides by count - 1, as HBase does
  std::uint64_t median = 0;
  std::uint64_t at_75 = 0;  // at least 75 of 100 sizes are not larger
  std::uint64_t at_95 = 0;
  std::uint64_t at_98 = 0;
  std::uint64_t at_99 = 0;
  std::uint64_t at_999 = 0;  // 999 of 1,000
};

struct FamilyStatistics {
  std::string name = {};
  std::uint64_t files = 0;
  std::uint64_t cells = 0;
  std::uint64_t deletes = 0;         // delete markers of every kind among the cells
  std::int64_t least_timestamp = 0;  // in milliseconds since 1970, unless a client set them
  std::int64_t most_timestamp = 0;
  SizeSpread key_bytes = {};       // of each cell: row, family, qualifier, time, type, and their lengths
  SizeSpread last_key_bytes = {};  // of the last cell of each row, which HBase's tool calls "Key length"
  SizeSpread value_bytes = {};     // as stored: a value of a MOB family is its reference
  SizeSpread row_bytes = {};       // keys, values and tags with their lengths
  SizeSpread row_cells = {};
  std::string largest_row = {};       // the first row with row_bytes.most bytes
  std::string largest_row_file = {};  // the path of the file that has it
};

// Called with the number of a file, from 0, and the number of files: at the file's first cell, and again
// every 65,536 cells. An error ends the count.
using StatisticsWatch = std::function<Status(std::size_t file, std::size_t files)>;

// Counts all families of the table, in the order of the schema. Reads every cell once. Needs the memory of
// one open file, and 300 KiB for each family. Errors: kNotFound, kIo, kCorruption, kUnsupported and kCapacity
// of a file, with its name; errors from `watch`. Threads: any.
Result<std::vector<FamilyStatistics>> table_statistics(const Table& table, const FileMemory& memory = {},
                                                       const StatisticsWatch& watch = {});

}  // namespace bloomery
