// Finds the HFiles that a verb's arguments name: files, and files in directories and their subdirectories.
//
//   in a directory                                                      treatment
//   a file with the first block or the trailer of an HFile              used
//   another file whose name has the form of HBase's store files         damaged: emptied, or overwritten
//   any other file: .regioninfo, references to half files, logs         skipped, and counted
//
// Symbolic links to directories are not followed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

struct HFilePath {
  std::string path;
  bool is_damaged = false;  // it has the name of a store file but other contents

  // Errors: kCorruption if the file is damaged.
  Status check() const;
};

struct HFilePaths {
  std::vector<HFilePath> files = {};  // in the order of the arguments; within a directory by path
  bool has_directory = false;
  std::uint64_t passed_over = 0;
  std::string first_passed_over = {};

  // Returns true if output must name the file that it is about.
  bool needs_names() const { return has_directory || files.size() > 1; }
};

// Errors: kInvalidArgument for a directory without HFiles; errors of reading directories and files.
Result<HFilePaths> find_hfiles(const std::vector<std::string>& names);

// Prints on stderr how many files were skipped, if any.
void tell_of_passed_over(std::string_view verb, const HFilePaths& found);

}  // namespace bloomery::cli
