#include "bloomery/base/file_lock.h"

#include <cerrno>
#include <chrono>
#include <thread>
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

// Polls, because each attempt must open the file that has the name by then. A blocking call could not be
// ended: a signal that arrives just before it would be lost.
Result<FileLock> FileLock::take(const std::string& path, const std::function<bool()>& go_on) {
  constexpr std::chrono::milliseconds kPause{5};
  for (;;) {
    Result<FileLock> lock = take(path);
    const int errno_value = lock ? 0 : lock.error().errno_value();
    const bool replaced_all_the_time = errno_value == EBUSY;
    if ((errno_value != EWOULDBLOCK && !replaced_all_the_time) || !go_on()) {
      return lock;
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace bloomery
