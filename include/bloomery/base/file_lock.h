// The right to change what a name stands for: held by whoever replaces or updates a file, from before its bytes are read
// until the new ones have the name.
//
//   FileLock lock = *FileLock::take("set.bloom");
//   AnyFilter filter = *AnyFilter::open("set.bloom", {.access = Access::kCopy});
//   filter.insert_batch(hashes);
//   filter.native().save("set.bloom", {.replace = true, .lock = &lock});     // nobody came between
//
// It is the advisory lock flock(2) of the file that has the name. Every save and every update of this library takes it,
// so that of two that meet one is refused at once, and never waits. Readers take none. Programs that rename or write files
// without asking are not kept out; but a save or an update that they outran is an error, not a success.
// Not here: locks over a network file system, which were not tried.
#pragma once

#include <memory>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

class File;

// One thread at a time. Closing it, or the end of the process, gives the lock back.
class FileLock {
 public:
  // Locks the file that `path` names, through symbolic links; holds nothing where no file has the name.
  // Errors: kInvalidArgument for what is no regular file; kIo, with EWOULDBLOCK where another process, or another
  // FileLock or filter of this one, holds it.
  static Result<FileLock> take(const std::string& path);

  FileLock(FileLock&&) noexcept;
  FileLock& operator=(FileLock&&) noexcept;
  ~FileLock();

  // False where no file had the name.
  bool holds_file() const { return file_ != nullptr; }
  // The open file, for this library's own use; null where it holds none.
  const File* file() const { return file_.get(); }

 private:
  explicit FileLock(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace bloomery
