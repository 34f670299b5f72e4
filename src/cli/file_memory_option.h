// `--file-memory`: the memory limit for a file of another system, for all verbs that open such files.
#pragma once

#include <string>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

class FileMemoryOption {
 public:
  // Adds the option to a verb.
  void add_to(CLI::App& verb);

  // Errors: kInvalidArgument.
  Result<FileMemory> parse() const;

 private:
  std::string given_;
};

}  // namespace bloomery::cli
