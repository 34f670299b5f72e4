// -o FILE and --force: the file that a verb makes, claimed before the verb begins to work.
//
// A file that is there already and may not be replaced is refused now rather than after an hour's reading. One that may be is
// locked from now on until its successor has the name: an `add` that came between would be lost, so it is refused.
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
  // "-" is standard output, which is neither looked at nor locked. Errors: kInvalidArgument for a file that exists and may
  // not be replaced; those of FileLock::take().
  static Result<OutputFile> claim(const std::string& path, bool may_replace);

  // For the save; refers to this object and to `stop`.
  SaveTo save_to(const std::atomic<bool>& stop) const;

 private:
  OutputFile() = default;

  bool may_replace_ = false;
  std::optional<FileLock> lock_;
};

}  // namespace bloomery::cli
