// Suggests the rows at which a table could be split, so that its regions hold about equally many bytes.
//
// It reads the indexes of the files, and the cells only of files with at most 4 data blocks. Each data block
// counts with its bytes on disk at the row in its index entry; in small files each row counts with its share.
// Only such rows are suggested. So every region has the requested size up to one block of each file. It keeps
// at most 2^17 rows; beyond that it merges neighbours, which limits the resolution.
//
// Example:
//    auto table = Table::open("to-load");
//    if (table) {
//      auto advice = advise_splits(*table, {.regions = 16});
//      for (const std::string& row : advice->keys) {
//        std::cout << row << "\n";   // 15 rows, or fewer
//      }
//    }
//
// The load on the regions is ignored, and so are rows that share a prefix which must not be split.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/table/table.h"

namespace bloomery {

// The requested number of regions, or the size of each. Exactly one of them is not 0.
struct SplitWish {
  std::uint64_t regions = 0;
  std::uint64_t region_bytes = 0;
};

struct SplitAdvice {
  // Ascending, none empty. There are fewer than requested if the table has too few blocks: a region gets at
  // least one.
  std::vector<std::string> keys = {};
  std::vector<std::uint64_t> region_bytes = {};  // data blocks on disk; one element more than keys
};

// Errors: kInvalidArgument for a wish of 0 or more than 2^16 regions; kNotFound, kIo, kCorruption,
// kUnsupported and kCapacity of a file, with its name. Threads: any.
Result<SplitAdvice> advise_splits(const Table& table, const SplitWish& wish, const FileMemory& memory = {});

}  // namespace bloomery
