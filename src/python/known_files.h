// The files that a filter was read from or saved to, as they were then.
//
// A save that replaces one of them must not undo what others have done to it since: an update in place, or another file
// under its name. A native file is the same as long as its header is, which has the checksum of its payload, the number of
// keys and the dirty bit. Any other file is the same as long as its inode, size and time of modification are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "filter/native/native_header.h"

namespace bloomery::python {

class KnownFiles {
 public:
  // Notes the file as it is now, if there is one. Call it before the file is read.
  void note(const std::string& path);
  // Notes a native file that was just saved with so many inserted keys. If there are more by now, somebody has updated it.
  void note_saved(const std::string& path, std::uint64_t inserted);
  // Returns true if `path` names a known file, or has the name of one, and the file is not what it was.
  bool has_changed(const std::string& path) const;
  // Returns the first known file that has changed.
  std::optional<std::string> changed() const;

 private:
  struct Known {
    std::string name;  // without symbolic links
    FileFacts facts;
    std::array<std::byte, kNativeHeaderBytes> beginning = {};
    bool is_native = false;

    bool is_same(const Known& other) const;
  };
  static std::optional<Known> look_at(const std::string& path);
  void keep(const Known& known);

  std::vector<Known> known_;
};

}  // namespace bloomery::python
