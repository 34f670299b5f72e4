#include "base/nameless_file.h"

#include <cerrno>
#include <filesystem>

#include "base/temporary_name.h"

namespace bloomery {
namespace {

Result<File> create_and_forget(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kCreatingExclusively));
  const Status removed = files.remove(path);
  if (!removed) {
    (void)files.remove(path);  // only a second try can still clean up
    return removed.error();
  }
  return file;
}

}  // namespace

Result<File> create_nameless_file(FileSystem& files, const std::string& directory, const std::string& stem) {
  const std::filesystem::path folder = directory.empty() ? "." : directory;
  Result<File> file = files.open_nameless(folder.string(), (folder / stem).string());
  if (file || file.error().errno_value() != EOPNOTSUPP) {
    return file;
  }
  for (int tries = 0; tries < kTemporaryNameTries; ++tries) {
    file = create_and_forget(files, (folder / temporary_name(stem + "-")).string());
    if (file || file.error().errno_value() != EEXIST) {
      break;
    }
  }
  return file;
}

}  // namespace bloomery
