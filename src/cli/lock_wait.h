// Waits for the lock of a file, for verbs that change it.
//
// While another process updates or replaces the file, the verb waits. After a short moment it prints one
// message, which names only the file, because the holder of the lock is unknown. With --no-wait the verb
// fails at once. The acquired lock belongs to the file that has the name at the end of the wait.
//
// Ctrl-C ends the wait. A verb that does not catch stop signals yet is terminated; no file has been changed
// by then.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

class LockWait {
 public:
  // Adds --no-wait to a verb.
  void add_to(CLI::App& verb);

  // Waits for the lock of FileLock::take() and acquires it. Messages begin with `verb`. `stop` may be null.
  // Errors: also kIo with EINTR once `stop` is true.
  Result<FileLock> take(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

  // Waits until the lock is free, without keeping it. Errors: kInvalidArgument and kIo of take().
  Status until_free(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

 private:
  bool refuses_ = false;
};

}  // namespace bloomery::cli
