// Files that appear whole or not at all: given piece by piece (AtomicFile), or at once (save_atomically).
//
// Calls: create (append | write_at)* commit?
//
// The bytes go to a temporary file beside the target, which only its owner may read; commit() is permissions, fsync,
// rename, fsync of the directory.
// Invariants:
//   - until commit() the old file is untouched, and after any failure it stays; after a crash the old or the new file is
//     there, whole;
//   - the old file is locked from create() to commit(), so that nobody updates what is going to be replaced; and what
//     commit() replaces is the file that is locked;
//   - a file that may not be replaced never is, also where it appears between create() and commit();
//   - the temporary file does not outlive the AtomicFile, unless the process is killed or the disk refuses to remove it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

enum class IfExists { kRefuse, kReplace };

struct SaveOptions {
  IfExists if_exists = IfExists::kRefuse;
  // When it becomes true the save stops, removes its temporary file and fails with EINTR.
  const std::atomic<bool>* cancelled = nullptr;
  // The file of the lock that the caller holds on the old file; null: the AtomicFile takes it.
  const File* lock = nullptr;
  // Of a new file; without them those of new_file_permissions(). A file that replaces another takes over its own.
  std::optional<std::uint32_t> permissions = std::nullopt;
};

// One thread at a time. Keeps references to `files` and to what the options point to.
class AtomicFile {
 public:
  // Locks the old file and creates the temporary file of a new `path`. Follows a symbolic link to what it names. The new
  // file shall have the old one's permissions, and its owner and group where the system lets us give them; where it does
  // not, the group may do what all others may.
  // Errors: kInvalidArgument when `path` exists and may not be replaced, is no regular file, or is not the file of
  // options.lock; kNotFound when its directory is missing; kIo, with EWOULDBLOCK while another process updates or
  // replaces the old file.
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
  // bring the old one back. Errors: also kInvalidArgument where a file has the name by now that may not be replaced.
  Status commit();
  // The same, and answers the file, still open and locked exclusively since before it had its name: nobody
  // else can have locked it.
  Result<File> commit_locked();

 private:
  AtomicFile(FileSystem& files, const std::string& path, const SaveOptions& options);

  void remove_temporary();
  // Answers `status`, in case of an error naming the file and remembering it.
  Status settle(const Status& status);
  template <typename Write>
  Status write_pieces(std::span<const std::byte> bytes, const Write& write);
  enum class Then { kClose, kKeepLocked };
  Status lock_old();
  Status create_temporary();
  Status resemble(const FileFacts& old);
  Status fill_place_of_target(Then then);
  Status take_name();
  Result<bool> try_to_take_name();
  Status commit(Then then);

  FileSystem* files_ = nullptr;  // null when there is no temporary file: it was renamed, or moved from here
  File file_;
  std::string target_;
  std::string name_;  // of the file in errors
  SaveOptions options_;
  std::optional<File> old_;        // locked here; with options_.lock it is locked by the caller
  std::uint32_t permissions_ = 0;  // of the file when it has its name
  Status outcome_;                 // the first error
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
