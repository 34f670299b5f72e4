// -o FILE and --force: the file that a verb makes, claimed before the verb begins to work.
//
//   the file exists, no --force    refused now, not after an hour of reading
//   the file exists, --force       locked until its successor has the name; this refuses an `add` in between,
//                                  which would be lost
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery::cli {

class OutputFile {
 public:
  // "-" is standard output, which is neither checked nor locked. Errors: kInvalidArgument for an existing
  // file that may not be replaced; those of FileLock::take().
  static Result<OutputFile> claim(const std::string& path, bool may_replace);

  // Returns the options for the save. They refer to this object and to `stop`.
  SaveTo save_to(const std::atomic<bool>& stop) const;

 private:
  OutputFile() = default;

  bool may_replace_ = false;
  std::optional<FileLock> lock_;
};

}  // namespace bloomery::cli
