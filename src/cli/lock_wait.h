// How a verb that changes a file waits for its turn.
//
// While another process updates or replaces the file, the verb waits. After a short moment it says so, once. By
// then nobody can know who holds the lock, so the message names the file. With --no-wait the verb is refused at
// once. The lock that is taken in the end is that of the file that has the name then.
//
// Ctrl-C ends the wait. A verb that has not asked for stop signals yet ends as any program does; nothing was
// changed then.
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

  // Locks the file as FileLock::take() does, and waits if it must. `verb` is the name in the message. `stop`
  // may be null. Errors: also kIo with EINTR once `stop` is true.
  Result<FileLock> take(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

  // Waits until nobody holds the lock, but holds it no longer than a moment. Errors: those of take().
  Status until_free(std::string_view verb, const std::string& file, const std::atomic<bool>* stop) const;

 private:
  bool refuses_ = false;
};

}  // namespace bloomery::cli
