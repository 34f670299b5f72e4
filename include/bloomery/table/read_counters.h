// Counts of what the reads of a table did: by file, and by family.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/hfile/hfile_facts.h"

namespace bloomery {

// What the Bloom filter of a file answered to gets.
struct FilterCounters {
  std::uint64_t checks = 0;     // gets for which it was asked
  std::uint64_t negatives = 0;  // the file was spared
  // It said maybe, the file was read, and had the row, or a column that was asked for; or had not. A file that was
  // not read after a maybe, since a newer one had the answer, is in neither.
  std::uint64_t true_positives = 0;
  std::uint64_t false_positives = 0;

  FilterCounters& operator+=(const FilterCounters& other) {
    checks += other.checks;
    negatives += other.negatives;
    true_positives += other.true_positives;
    false_positives += other.false_positives;
    return *this;
  }
};

struct FileReadCounters {
  std::string region = {};  // as in TableRegion
  std::string family = {};
  std::string path = {};
  FilterCounters filter = {};
  HFileCounters blocks = {};  // also those of opening the file
};

// The gets of a family, each counted when it has ended.
struct FamilyReadCounters {
  std::string family = {};
  std::uint64_t column_gets = 0;  // that named columns
  std::uint64_t row_gets = 0;     // that named none
  // Of these, those that found no cell of the family.
  std::uint64_t absent_column_gets = 0;
  std::uint64_t absent_row_gets = 0;
};

struct TableReadCounters {
  std::vector<FileReadCounters> files = {};       // that were opened, by region, family and path
  std::vector<FamilyReadCounters> families = {};  // by name
};

}  // namespace bloomery
