// Finds the HFiles that a verb's arguments name: files, and those in a directory and below it.
//
//   below a directory                                                   is
//   a file with the first block or the trailer of an HFile              used
//   another file whose name has HBase's form for store files            damaged: emptied, or overwritten
//   anything else: .regioninfo, references to halves of files, logs     skipped, and counted
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
  bool is_damaged = false;  // it has the name of a store file, but other contents

  // Errors: kCorruption if is_damaged.
  Status check() const;
};

struct HFilePaths {
  std::vector<HFilePath> files = {};  // in the order of the names, and below a directory by path
  bool has_directory = false;
  std::uint64_t passed_over = 0;
  std::string first_passed_over = {};

  // Returns true if output about a file needs its name.
  bool needs_names() const { return has_directory || files.size() > 1; }
};

// Errors: kInvalidArgument for a directory without HFiles; errors of reading directories and files.
Result<HFilePaths> find_hfiles(const std::vector<std::string>& names);

// Prints on stderr how many files were skipped, if any.
void tell_of_passed_over(std::string_view verb, const HFilePaths& found);

}  // namespace bloomery::cli
