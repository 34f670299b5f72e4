// The first bytes of a file, by which verbs tell filters of ours from other files before they open one.
//
// Not here: filters of other systems (dialects.h, recognise_dialects()); other files by name (base/file_beginnings.h).
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

  // Returns whether the file begins as our own filters do, so that their code opens it. The files of a spread build are ours
  // too; that code says what they are.
  bool begins_as_ours() const;
};

}  // namespace bloomery::cli
