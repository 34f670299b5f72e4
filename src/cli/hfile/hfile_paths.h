// The HFiles that a verb is given: files as they are named, and those in a directory and below it.
//
//   below a directory                                                          is
//   a file with the first block or the trailer of an HFile                     taken
//   another file with a name as HBase gives to store files                     taken, and damaged: emptied, or overwritten
//   anything else: .regioninfo, references to halves of files, logs            passed over, and counted
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
  bool is_damaged = false;  // it has the name of a store file, and the bytes of something else

  // Errors: kCorruption if it is damaged so.
  Status check() const;
};

struct HFilePaths {
  std::vector<HFilePath> files = {};  // in the order of the names, and below a directory by path
  bool has_directory = false;
  std::uint64_t passed_over = 0;
  std::string first_passed_over = {};

  // Whether what is printed of a file needs its name.
  bool needs_names() const { return has_directory || files.size() > 1; }
};

// Errors: kInvalidArgument for a directory without HFiles; those of reading directories and files.
Result<HFilePaths> find_hfiles(const std::vector<std::string>& names);

// Says on stderr how many files were passed over, if some were.
void tell_of_passed_over(std::string_view verb, const HFilePaths& found);

}  // namespace bloomery::cli
