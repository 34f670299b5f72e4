// The first bytes of a file. Verbs use them to distinguish filters of ours from other files before opening
// one.
//
// recognise_dialects() (dialects.h) identifies filters of other systems; base/file_beginnings.h names other
// files.
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

  // Returns true if the file begins like our own filters, so that their code opens it. The files of a
  // distributed build are ours too; that code names them.
  bool begins_as_ours() const;
};

}  // namespace bloomery::cli
