// Files that are replaced atomically. AtomicFile accepts the bytes in several calls, save_atomically() in
// one.
//
// Calls: create (append | write_at)* commit?
//
// The bytes go to a temporary file in the target's directory, which only its owner may read. commit() sets
// permissions, then does fsync, rename, and fsync of the directory.
//
// Invariants:
//
//   - Until commit() the old file is untouched, and it stays after any failure. After a crash, the old or the
//     new file exists, intact.
//   - The old file is locked from create() to commit(), so that nobody updates a file that will be replaced.
//     The file that commit() replaces is the locked one.
//   - A file that may not be replaced never is, even if it appears between create() and commit(). Nor is a
//     file that SaveOptions::check_old refuses.
//   - The temporary file does not outlive the AtomicFile, unless the process is killed or the disk refuses to
//     remove it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

enum class IfExists { kRefuse, kReplace };

struct SaveOptions {
  IfExists if_exists = IfExists::kRefuse;
  // When this becomes true, the save stops, removes its temporary file and fails with EINTR.
  const std::atomic<bool>* cancelled = nullptr;
  // The locked old file, if the caller holds the lock. If it is null, the AtomicFile locks the old file.
  const File* lock = nullptr;
  // The permissions of a new file; by default those of new_file_permissions(). A replacement keeps those of
  // the old file.
  std::optional<std::uint32_t> permissions = std::nullopt;
  // Decides whether the old file may be replaced. It is called while the file is locked, and again if another
  // file has taken the name. Its error ends the save.
  const std::function<Status(const File& old)>* check_old = nullptr;
};

// Threads: one at a time. Keeps references to `files` and to what the options point to.
class AtomicFile {
 public:
  // Locks the old file and creates the temporary file of a new `path`. Follows a symbolic link to its target.
  //
  // The new file gets the old one's permissions. It also gets its owner and group if the system lets us set
  // them. Otherwise its group may do what all others may. Errors:
  //
  //   kInvalidArgument   `path` is empty, exists and may not be replaced (with EEXIST), is no regular file,
  //                      or is not the file of options.lock
  //   kNotFound          the directory is missing
  //   kIo                also with EWOULDBLOCK, while another process updates or replaces the old file
  //   those of options.check_old
  static Result<AtomicFile> create(FileSystem& files, const std::string& path, const SaveOptions& options);

  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  // Removes the temporary file, unless commit() made it the new one.
  ~AtomicFile();

  // Writes after all that was appended before, wherever write_at() wrote. It is not buffered, so pass large
  // blocks. After a failure of append() or write_at() the file is lost, and every later call returns the
  // first error.
  Status append(std::span<const std::byte> bytes);
  // Writes inside or beyond the appended bytes; a gap reads as zeros. The position of the next append()
  // stays.
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  // Replaces the old file by the new one, and waits until it would survive a crash. Call it once, as the last
  // call. If only the fsync of the directory failed, the new file exists, but a crash may bring the old one
  // back. Errors: also kInvalidArgument if a file that may not be replaced has the name by now.
  Status commit();
  // Commits, and returns the open file. It has been locked exclusively since before it had its name, so
  // nobody else can have locked it.
  Result<File> commit_locked();

 private:
  AtomicFile(FileSystem& files, const std::string& path, const SaveOptions& options);

  void remove_temporary();
  // Returns `status`. Adds the file's name to an error, and stores it.
  Status settle(const Status& status);
  template <typename Write>
  Status write_pieces(std::span<const std::byte> bytes, const Write& write);
  enum class Then { kClose, kKeepLocked };
  Status lock_old();
  Status check_old(const File& old) const;
  Status create_temporary();
  Status resemble(const FileFacts& old);
  Status fill_place_of_target(Then then);
  Status take_name();
  Result<bool> try_to_take_name();
  Status commit(Then then);

  FileSystem* files_ = nullptr;  // null if there is no temporary file: it was renamed, or moved from here
  File file_;
  std::string target_;
  std::string name_;  // of the file, for errors
  SaveOptions options_;
  std::optional<File> old_;        // the old file, if we locked it; with options_.lock the caller did
  std::uint32_t permissions_ = 0;  // of the new file, once it has its name
  Status outcome_;                 // the first error
};

// Writes the concatenated `parts` as the new content of `path`, through an AtomicFile. Its errors apply;
// after any of them the temporary file is removed.
Status save_atomically(FileSystem& files, const std::string& path,
                       std::span<const std::span<const std::byte>> parts, const SaveOptions& options);
// Saves in the same way, and returns the file as commit_locked() does.
Result<File> save_atomically_locked(FileSystem& files, const std::string& path,
                                    std::span<const std::span<const std::byte>> parts,
                                    const SaveOptions& options);

}  // namespace bloomery
