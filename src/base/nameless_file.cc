#include "base/nameless_file.h"

#include <cerrno>
#include <filesystem>

#include <unistd.h>

namespace bloomery {
namespace {

constexpr int kNamesMax = 100;  // that are taken already by leftovers and others at work

}  // namespace

Result<File> create_nameless_file(FileSystem& files, const std::string& directory, const std::string& stem) {
  const std::filesystem::path folder = directory.empty() ? "." : directory;
  for (int number = 0;; ++number) {
    const std::string name = stem + "-" + std::to_string(::getpid()) + "-" + std::to_string(number);
    const std::string path = (folder / name).string();
    Result<File> file = files.open(path, OpenFor::kCreatingExclusively);
    if (file) {
      const Status removed = files.remove(path);
      if (!removed) {
        (void)files.remove(path);  // nothing but a second try can still clean up
        return removed.error();
      }
      return file;
    }
    if (file.error().errno_value() != EEXIST || number + 1 == kNamesMax) {
      return file;
    }
  }
}

}  // namespace bloomery
