// Files that appear whole or not at all: given piece by piece (AtomicFile), or at once (save_atomically).
//
// Calls: create (append | write_at)* commit?
//
// The bytes go to a temporary file beside the target; commit() is fsync, rename, fsync of the directory.
// Invariants: until commit() the old file is untouched, and after any failure it stays; after a crash the old
// or the new file is there, whole; the temporary file does not outlive the AtomicFile, unless the process is
// killed or the disk refuses to remove it. Not here: a lock against other writers of the same file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

enum class IfExists { kRefuse, kReplace };

struct SaveOptions {
  IfExists if_exists = IfExists::kRefuse;
  // When it becomes true the save stops, removes its temporary file and fails with EINTR.
  const std::atomic<bool>* cancelled = nullptr;
};

// One thread at a time. Keeps references to `files` and options.cancelled.
class AtomicFile {
 public:
  // Creates the temporary file of a new `path`. Follows a symbolic link to what it names. An old file's
  // permissions are given to the temporary one before its first byte, so that a long write of a private file
  // is private too. Whether `path` exists is looked at here only: a file that appears before commit() is
  // replaced.
  // Errors: kInvalidArgument when `path` exists and may not be replaced, or is no regular file; kNotFound
  // when its directory is missing; kIo.
  static Result<AtomicFile> create(FileSystem& files, const std::string& path, const SaveOptions& options);

  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  // Removes the temporary file, unless commit() made it the new one.
  ~AtomicFile();

  // Writes after all that was appended before, wherever write_at() wrote. Not buffered: give it large pieces.
  // After a failure, as of write_at(), the file is lost: every later call answers the first error.
  Status append(std::span<const std::byte> bytes);
  // Writes inside or beyond what was appended; a gap reads as zeros. The next append() goes where it would
  // have gone without.
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  // Puts the new file in the place of the old one and waits until it would survive a crash. Once; nothing is
  // written after it. When only the fsync of the directory failed, the new file is there, but a crash may
  // bring the old one back.
  Status commit();
  // The same, and answers the file, still open and locked exclusively since before it had its name: nobody
  // else can have locked it.
  Result<File> commit_locked();

 private:
  AtomicFile(FileSystem& files, File file, std::string target, std::string name,
             const std::atomic<bool>* cancelled)
      : files_(&files),
        file_(std::move(file)),
        target_(std::move(target)),
        name_(std::move(name)),
        cancelled_(cancelled) {}

  void remove_temporary();
  // Answers `status`, in case of an error naming the file and remembering it.
  Status settle(const Status& status);
  template <typename Write>
  Status write_pieces(std::span<const std::byte> bytes, const Write& write);
  enum class Then { kClose, kKeepLocked };
  Status fill_place_of_target(Then then);
  Status commit(Then then);

  FileSystem* files_ = nullptr;  // null when there is no temporary file: it was renamed, or moved from here
  File file_;
  std::string target_;
  std::string name_;  // of the file in errors
  const std::atomic<bool>* cancelled_ = nullptr;
  Status outcome_;  // the first error
};

// Writes `parts`, one after the other, as the new content of `path`, through an AtomicFile: its errors, and
// after any of them the temporary file is removed.
Status save_atomically(FileSystem& files, const std::string& path,
                       std::span<const std::span<const std::byte>> parts, const SaveOptions& options);
// The same, and answers the file as commit_locked() does.
Result<File> save_atomically_locked(FileSystem& files, const std::string& path,
                                    std::span<const std::span<const std::byte>> parts,
                                    const SaveOptions& options);

}  // namespace bloomery
