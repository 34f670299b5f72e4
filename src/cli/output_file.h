// -o FILE and --force: the output file of a verb, claimed before the verb starts its work. "-" is standard
// output.
//
//   the file exists, no --force    refused now, not after an hour of reading
//   the file exists, --force       refused if it is no filter (replaced_file.h), otherwise locked until the
//                                  new file has the name. So a concurrent `add`, which would be lost, waits.
//                                  If another process has the lock, waits for it
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "cli/lock_wait.h"

namespace bloomery {
class DialectFilter;
class NativeFilter;
}  // namespace bloomery

namespace bloomery::cli {

class OutputFile {
 public:
  // "-" is standard output, which is neither checked nor locked. Messages begin with `verb`; `dialect` is the
  // value of --dialect. Errors: kInvalidArgument for an existing file that may not be replaced; those of
  // LockWait::take().
  static Result<OutputFile> claim(std::string_view verb, const std::string& path, bool may_replace,
                                  const LockWait& wait, std::string_view dialect = {});

  bool is_standard_output() const { return path_ == "-"; }

  // Saves a filter under the path, or writes it to standard output.
  Status write(const NativeFilter& filter, const std::atomic<bool>& stop) const;
  Status write(const DialectFilter& filter, const std::atomic<bool>& stop) const;

  // Returns the options for saving under the path. They refer to this object and to `stop`.
  SaveTo save_to(const std::atomic<bool>& stop) const;

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  bool may_replace_ = false;
  std::optional<FileLock> lock_;
};

}  // namespace bloomery::cli
