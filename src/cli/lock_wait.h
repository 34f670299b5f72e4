// How a verb that changes a file waits for its lock.
//
// While another process updates or replaces the file, the verb waits. After a short moment it prints one
// message, which names the file, because the holder of the lock cannot be known. With --no-wait the verb
// fails at once. The lock that is acquired belongs to the file that has the name at the end of the wait.
//
// Ctrl-C ends the wait. A verb that has not asked for stop signals yet is terminated; no file has changed
// then.
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

  // Acquires the lock of FileLock::take(), waiting if necessary. `verb` is the name in the message. `stop`
  // may be null. Errors: also kIo with EINTR once `stop` is true.
  Result<FileLock> take(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

  // Waits until nobody holds the lock, and holds it only briefly. Errors: kInvalidArgument and kIo of take().
  Status until_free(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

 private:
  bool refuses_ = false;
};

}  // namespace bloomery::cli
