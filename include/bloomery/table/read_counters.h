// Counters of the reads of a table, by file and by family.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/hfile/hfile_facts.h"

namespace bloomery {

// The answers of a file's Bloom filter to gets.
struct FilterCounters {
  std::uint64_t checks = 0;     // gets that queried it
  std::uint64_t negatives = 0;  // gets that skipped the file
  // Maybes after which the file was read: true if it had the row, or a requested column; otherwise false. A
  // file that was not read after a maybe, since a newer one had the answer, is in neither count.
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
  std::string region = {};  // TableRegion::name
  std::string family = {};
  std::string path = {};
  FilterCounters filter = {};
  HFileCounters blocks = {};  // including those of opening the file
};

// The gets of a family. Each is counted when it ends.
struct FamilyReadCounters {
  std::string family = {};
  std::uint64_t column_gets = 0;  // gets that named columns
  std::uint64_t row_gets = 0;     // gets that named none
  // The gets among them that found no cell of the family:
  std::uint64_t absent_column_gets = 0;
  std::uint64_t absent_row_gets = 0;
};

struct TableReadCounters {
  std::vector<FileReadCounters> files = {};       // files that were opened, by region, family and path
  std::vector<FamilyReadCounters> families = {};  // by name
};

}  // namespace bloomery
