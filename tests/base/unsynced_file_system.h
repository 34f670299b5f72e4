// The machine's file system without its waits for the disk: for tests that write hundreds of files and survive no
// crash.
#pragma once

#include <string>

#include "base/file.h"

namespace bloomery {

class UnsyncedFileSystem final : public FileSystem {
 public:
  Status sync(const File&) override { return {}; }
  Status sync_directory_of(const std::string&) override { return {}; }
};

}  // namespace bloomery
