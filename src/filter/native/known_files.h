// The files that a filter was read from or saved to, with their state at that time.
//
// A save that replaces one of them must not undo later changes by others: an update in place, or another file
// under its name. A native file counts as unchanged if its header is unchanged, which has the checksum of its
// payload, the number of keys and the dirty bit. Any other file counts as unchanged if its first 192 bytes,
// inode, size and time of modification are.
//
// A file is identified by its name without symbolic links, and by its inode, so a moved file is still known.
// Of more than 64 files, the first one and the most recent others are remembered.
//
// Invariant: check() is called while the file is locked, so that no process that respects the lock can change
// it between the answer and the replacement. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "filter/native/native_header.h"

namespace bloomery {

// The choice of a save that finds a known file changed.
enum class IfChanged { kRefuse, kReplace };

// The state of a file at one moment.
struct KnownFile {
  std::string name;  // without symbolic links
  FileFacts facts;   // without an inode if no file was found
  std::array<std::byte, kNativeHeaderBytes> beginning =
      {};  // the header; zeros after the end of a shorter file
  bool is_native = false;

  // Returns the present state of the file with the name, or nothing if it cannot be read.
  static std::optional<KnownFile> now(FileSystem& files, const std::string& path);
  // Returns a native file that was opened or saved by the name `path`, and has this header.
  static KnownFile native(const std::string& path, const FileFacts& facts,
                          std::span<const std::byte, kNativeHeaderBytes> header);

  bool has_content_of(const KnownFile& other) const;
};

class KnownFiles {
 public:
  // Remembers a file. It replaces an earlier state of the same name.
  void note(KnownFile file);
  // Adds all known files of another filter.
  void add(const KnownFiles& other);
  // Checks that `old`, the locked file that has the name `path`, may be replaced. Errors: kIo with ESTALE,
  // without a subject, if it is known and has changed, or another file has its name; kIo if reading it fails.
  Status check(FileSystem& files, const std::string& path, const File& old) const;
  // Returns the name of the first known file that has changed or was replaced by another one.
  std::optional<std::string> changed(FileSystem& files) const;

 private:
  enum class Standing { kUnknown, kSame, kChanged };
  Standing standing(const KnownFile& found) const;

  mutable std::mutex mutex_;
  std::vector<KnownFile> known_;
};

}  // namespace bloomery
