// `--file-memory`: the most memory that may be kept of a file of another system. It is the same in all verbs
// that open such files.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "cli/numbers.h"

namespace bloomery::cli {

class FileMemoryOption {
 public:
  // Adds the option to a verb.
  void add_to(CLI::App& verb) {
    verb.add_option(
        "--file-memory", given_,
        "SIZE that may be kept of a file of another system; the larger of 256M and four times its "
        "bytes unless given");
  }

  // Errors: kInvalidArgument.
  Result<FileMemory> parse() const {
    FileMemory memory;
    if (!given_.empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(memory.limit_bytes, parse_size("--file-memory", given_));
      if (memory.limit_bytes == 0) {
        return Error::invalid_argument("--file-memory", "expected a byte or more, found " + given_);
      }
    }
    return memory;
  }

 private:
  std::string given_;
};

}  // namespace bloomery::cli
