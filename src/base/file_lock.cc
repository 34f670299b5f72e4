#include "bloomery/base/file_lock.h"

#include <utility>

#include "base/file.h"
#include "base/link_target.h"

namespace bloomery {

FileLock::FileLock(std::unique_ptr<File> file) : file_(std::move(file)) {}
FileLock::FileLock(FileLock&&) noexcept = default;
FileLock& FileLock::operator=(FileLock&&) noexcept = default;
FileLock::~FileLock() = default;

Result<FileLock> FileLock::take(const std::string& path) {
  FileSystem& files = FileSystem::real();
  const std::string target = link_target(path);
  const Result<FileFacts> named = files.facts(target);
  if (!named) {
    return named.error().code() == ErrorCode::kNotFound ? Result<FileLock>(FileLock(nullptr)) : named.error();
  }
  if (!named->is_regular) {
    return Error::invalid_argument(path, "expected a regular file or none, found a directory or device");
  }
  BLOOMERY_ASSIGN_OR_RETURN(File file, open_locked(files, target, OpenFor::kReading));
  return FileLock(std::make_unique<File>(std::move(file)));
}

}  // namespace bloomery
