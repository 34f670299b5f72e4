#include "cli/file_memory_option.h"

#include <CLI/CLI.hpp>

#include "cli/numbers.h"

namespace bloomery::cli {

void FileMemoryOption::add_to(CLI::App& verb) {
  verb.add_option("--file-memory", given_,
                  "SIZE that may be kept of a file of another system; the larger of 256M and four times its "
                  "bytes unless given");
}

Result<FileMemory> FileMemoryOption::parse() const {
  FileMemory memory;
  if (!given_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(memory.limit_bytes, parse_size("--file-memory", given_));
    if (memory.limit_bytes == 0) {
      return Error::invalid_argument("--file-memory", "expected a byte or more, found " + given_);
    }
  }
  return memory;
}

}  // namespace bloomery::cli
