// A FileLock is the right to change the file that has a name. A program that replaces or updates a file
// holds the lock from before it reads the old bytes until the new bytes have the name.
//
// Example:
//    FileLock lock = *FileLock::take("set.bloom");
//    AnyFilter filter = *AnyFilter::open("set.bloom", {.access = Access::kCopy});
//    const auto refused = filter.insert_batch(hashes);
//    Status saved = filter.save("set.bloom", {.replace = true, .lock = &lock});   // nobody came between
//
// The lock is the advisory lock flock(2) of the file that has the name. Every save and every update of this
// library acquires it. If two of them collide, one fails at once, unless it asked to wait. Readers need no
// lock. Programs that ignore the lock may still rename or write the file. If such a program comes first,
// the save or update is an error, not a success.
//
// Limits: locks over a network file system were not tested.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

class File;

// One thread at a time. The destructor, or the end of the process, releases the lock.
class FileLock {
 public:
  // Locks the file that `path` names, through symbolic links. If no file has the name, the result holds no
  // lock. Errors: kInvalidArgument if it is no regular file. Also kIo: with EWOULDBLOCK if another process,
  // or another FileLock or filter of this one, holds the lock; with EBUSY if the file is replaced again and
  // again.
  static Result<FileLock> take(const std::string& path);
  // Locks like take(path), but waits while somebody holds the lock. Locks the file that has the name at the
  // end of the wait, which may be a replacement. Calls `go_on` after every failed attempt, some
  // milliseconds apart. Errors: kInvalidArgument and kIo of take(path); with EWOULDBLOCK or EBUSY only
  // after `go_on` has returned false.
  static Result<FileLock> take(const std::string& path, const std::function<bool()>& go_on);

  FileLock(FileLock&&) noexcept;
  FileLock& operator=(FileLock&&) noexcept;
  ~FileLock();

  // Returns true if a file is locked, and false if no file had the name.
  bool holds_file() const { return file_ != nullptr; }
  // Returns the open file, for this library's own use, or null if no file is locked.
  const File* file() const { return file_.get(); }

 private:
  explicit FileLock(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace bloomery
