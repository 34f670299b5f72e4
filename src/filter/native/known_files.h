// The files that a filter was read from or saved to, as they were then.
//
// A save that replaces one of them must not undo what others have done to it since: an update in place, or another file
// under its name. A native file is the same as long as its header is, which has the checksum of its payload, the number of
// keys and the dirty bit. Any other file is the same as long as its inode, size and time of modification are.
//
// A file is known by its name without symbolic links, and by its inode: one that was moved is still known. Of many files that
// a filter was saved to, the last ones are known.
//
// Invariant: check() is asked while the file is locked, so that nobody who asks for the lock can change it between the
// answer and the replacement. Thread-safe.
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

// What a save does with a known file that has changed.
enum class IfChanged { kRefuse, kReplace };

// A file at a moment.
struct KnownFile {
  std::string name;  // without symbolic links
  FileFacts facts;   // without an inode if it was not seen
  std::array<std::byte, kNativeHeaderBytes> beginning =
      {};  // the header; zeros behind the end of a shorter file
  bool is_native = false;

  // Returns the file that has the name, as it is now, or nothing if it cannot be read.
  static std::optional<KnownFile> now(FileSystem& files, const std::string& path);
  // Returns a native file that was opened or saved by the name `path`, and has this header.
  static KnownFile native(const std::string& path, const FileFacts& facts,
                          std::span<const std::byte, kNativeHeaderBytes> header);

  bool has_content_of(const KnownFile& other) const;
};

class KnownFiles {
 public:
  // Remembers a file. What was known of the same name is forgotten.
  void note(KnownFile file);
  // Remembers all files that another filter knows.
  void add(const KnownFiles& other);
  // Checks that `old`, the locked file that has the name `path`, may be replaced. Errors: kIo with ESTALE, without a
  // subject, if it is known and has changed, or another file has its name; those of reading it.
  Status check(FileSystem& files, const std::string& path, const File& old) const;
  // Returns the name of the first known file that has changed, or in whose place another one is.
  std::optional<std::string> changed(FileSystem& files) const;

 private:
  enum class Standing { kUnknown, kSame, kChanged };
  Standing standing(const KnownFile& found) const;

  mutable std::mutex mutex_;
  std::vector<KnownFile> known_;
};

}  // namespace bloomery
