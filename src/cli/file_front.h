// The first bytes of a file, by which verbs distinguish our filters from other files before opening them.
//
// recognise_dialects() (dialects.h) identifies filters of other systems; keys/file_beginnings.h names other
// file types.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::cli {

struct FileFront {
  std::string bytes;
  std::uint64_t file_bytes = 0;
  bool is_regular = true;

  // Reads up to `most` bytes. Errors: kNotFound, kIo.
  static Result<FileFront> read(const std::string& path, std::uint64_t most);

  // Returns true if the file begins like one of our filters. This includes the files of a distributed build;
  // the code that opens our filters names them in its errors.
  bool begins_as_ours() const;
};

}  // namespace bloomery::cli
