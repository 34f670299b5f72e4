#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bloomery {
namespace {

constexpr mode_t kOwnerAlone = 0600;

// Repeats a call that a signal interrupted.
template <typename Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) {
    result = call();
  }
  return result;
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

FileFacts facts_of(const struct stat& status) {
  return {.size_bytes = static_cast<std::uint64_t>(status.st_size),
          .is_regular = S_ISREG(status.st_mode),
          .is_directory = S_ISDIR(status.st_mode),
          .permissions = status.st_mode & 0777U,
          .owner = status.st_uid,
          .group = status.st_gid,
          .device = status.st_dev,
          .inode = status.st_ino,
          .modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

struct flock lock_of(short type, std::uint64_t offset, std::uint64_t size_bytes) {
  struct flock lock {};  // l_pid must be 0
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(offset);
  lock.l_len = static_cast<off_t>(size_bytes);
  return lock;
}

// Returns true if a failed call shows that the system has no locks of this kind.
bool lacks_locks_of_bytes(int errno_value) {
  return errno_value == EINVAL || errno_value == ENOSYS || errno_value == EOPNOTSUPP;
}

// Returns the error for a path that is no regular file, by its mode.
Error not_regular(const std::string& path, mode_t mode) {
  const char* const kind = S_ISDIR(mode)    ? "a directory"
                           : S_ISFIFO(mode) ? "a pipe"
                           : S_ISSOCK(mode) ? "a socket"
                                            : "a device";
  return Error::invalid_argument(path, std::string("expected a regular file, found ") + kind);
}

// Returns the error of a failed open(). A socket can never be opened, and a directory not for writing.
Error open_failed(const std::string& path, OpenFor purpose, int errno_value) {
  struct stat status {};
  if (purpose == OpenFor::kCreatingExclusively) {
    return Error::io(path, "create", errno_value);
  }
  const bool may_be_other = errno_value == ENXIO || errno_value == EISDIR;
  if (may_be_other && ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return not_regular(path, status.st_mode);
  }
  return Error::io(path, "open", errno_value);
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) {
      (void)close();
    }
    files_ = other.files_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    path_ = std::move(other.path_);
  }
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) {
    (void)close();
  }
}

Status File::write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t written, files_->write(*this, bytes));
    bytes = bytes.subspan(written);
  }
  return {};
}

Status File::write_all_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t written, files_->write_at(*this, offset, bytes));
    bytes = bytes.subspan(written);
    offset += written;
  }
  return {};
}

Status File::read_exactly_at(std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, files_->read_at(*this, offset, bytes));
    if (count == 0) {
      return Error::corruption(path_, offset, std::to_string(bytes.size()) + " more bytes", "the end");
    }
    bytes = bytes.subspan(count);
    offset += count;
  }
  return {};
}

Status File::sync() {
  return files_->sync(*this);
}

Status File::close() {
  return files_->close(std::exchange(descriptor_, -1), path_);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    watch_ = std::move(other.watch_);
  }
  return *this;
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::unmap() {
  if (data_ != nullptr) {
    watch_.stop();
    ::munmap(data_, size_);
  }
}

FileSystem& FileSystem::real() {
  static FileSystem files;
  return files;
}

Result<File> FileSystem::open(const std::string& path, OpenFor purpose) {
  int flags = O_CLOEXEC;
  switch (purpose) {
    case OpenFor::kReading:
      flags |= O_RDONLY | O_NONBLOCK | O_NOCTTY;  // do not wait for a pipe before its type is known
      break;
    case OpenFor::kUpdating:
      flags |= O_RDWR | O_NONBLOCK | O_NOCTTY;
      break;
    case OpenFor::kCreatingExclusively:
      flags |= O_RDWR | O_CREAT | O_EXCL;
      break;
  }
  const int descriptor = retry_interrupted([&] { return ::open(path.c_str(), flags, kOwnerAlone); });
  if (descriptor < 0) {
    return open_failed(path, purpose, errno);
  }
  File file(this, descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    return Error::io(path, "fstat", errno);
  }
  return S_ISREG(status.st_mode) ? Result<File>(std::move(file)) : not_regular(path, status.st_mode);
}

Result<File> FileSystem::open_nameless(const std::string& directory, const std::string& shown) {
  const int flags = O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC;  // O_EXCL: nobody can give it a name later
  const int descriptor = retry_interrupted([&] { return ::open(directory.c_str(), flags, kOwnerAlone); });
  if (descriptor < 0) {
    // A kernel that does not know the flag reads the call as an attempt to write to a directory.
    return Error::io(shown, "create", errno == EISDIR ? EOPNOTSUPP : errno);
  }
  return File(this, descriptor, shown);
}

Result<std::size_t> FileSystem::write(const File& file, std::span<const std::byte> bytes) {
  const ssize_t count =
      retry_interrupted([&] { return ::write(file.descriptor(), bytes.data(), bytes.size()); });
  if (count < 0) {
    return Error::io(file.path(), "write", errno);
  }
  return static_cast<std::size_t>(count);
}

Result<std::size_t> FileSystem::write_at(const File& file, std::uint64_t offset,
                                         std::span<const std::byte> bytes) {
  const ssize_t count = retry_interrupted(
      [&] { return ::pwrite(file.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
  if (count < 0) {
    return Error::io(file.path(), "write", errno);
  }
  return static_cast<std::size_t>(count);
}

Result<std::size_t> FileSystem::read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) {
  const ssize_t count = retry_interrupted(
      [&] { return ::pread(file.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
  if (count < 0) {
    return Error::io(file.path(), "read", errno);
  }
  return static_cast<std::size_t>(count);
}

Status FileSystem::sync(const File& file) {
  // A failed fsync may have dropped the dirty pages. Calling it again could return success for lost data.
  if (::fsync(file.descriptor()) != 0) {
    return Error::io(file.path(), "fsync", errno);
  }
  return {};
}

Status FileSystem::close(int descriptor, const std::string& path) {
  (void)::flock(descriptor,
                LOCK_UN);  // a watched mapping keeps a duplicate, which would keep the lock (map_watch.h)
  if (::close(descriptor) != 0 && errno != EINTR) {
    return Error::io(path, "close", errno);
  }
  return {};
}

Result<FileFacts> FileSystem::facts(const File& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) {
    return Error::io(file.path(), "fstat", errno);
  }
  return facts_of(status);
}

Result<FileFacts> FileSystem::facts(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return Error::io(path, "stat", errno);
  }
  return facts_of(status);
}

Status FileSystem::set_permissions(const File& file, std::uint32_t permissions) {
  if (::fchmod(file.descriptor(), permissions) != 0) {
    return Error::io(file.path(), "fchmod", errno);
  }
  return {};
}

Status FileSystem::set_owner(const File& file, std::uint32_t owner, std::uint32_t group) {
  if (::fchown(file.descriptor(), owner, group) != 0) {
    return Error::io(file.path(), "fchown", errno);
  }
  return {};
}

Status FileSystem::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return Error::io(to, "rename", errno);
  }
  return {};
}

Status FileSystem::rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return {};
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return Error::io(to, "rename", errno);
  }
  // The file system lacks RENAME_NOREPLACE. link() never replaces a file, either.
  if (::link(from.c_str(), to.c_str()) != 0) {
    return Error::io(to, "link", errno);
  }
  if (::unlink(from.c_str()) != 0) {
    return Error::io(from, "unlink", errno);
  }
  return {};
}

Status FileSystem::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    return Error::io(path, "unlink", errno);
  }
  return {};
}

Status FileSystem::link(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) != 0) {
    return Error::io(to, "link", errno);
  }
  return {};
}

Result<std::vector<DirectoryEntry>> FileSystem::list(const std::string& path) {
  return list_directory(path);
}

Status FileSystem::make_directory(const std::string& path) {
  constexpr mode_t kAllLessUmask = 0777;
  if (::mkdir(path.c_str(), kAllLessUmask) != 0) {
    return Error::io(path, "mkdir", errno);
  }
  return {};
}

Status FileSystem::remove_directory(const std::string& path) {
  if (::rmdir(path.c_str()) != 0) {
    return Error::io(path, "rmdir", errno);
  }
  return {};
}

Status FileSystem::sync_directory_of(const std::string& path) {
  const std::string directory = directory_of(path);
  const int descriptor =
      retry_interrupted([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) {
    return Error::io(path, "open its directory", errno);
  }
  const File file(this, descriptor, directory);
  const Status synced = FileSystem::sync(file);
  return synced ? Status() : Error::io(path, "fsync its directory", synced.error().errno_value());
}

Result<MappedFile> FileSystem::map(const File& file, std::size_t size_bytes, MapAccess access) {
  if (size_bytes == 0) {
    return MappedFile();
  }
  const int protection = access == MapAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  // A copy-on-write mapping seldom copies many pages, so no memory is reserved for all of them.
  const int sharing = access == MapAccess::kCopyOnWrite ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED;
  void* data = ::mmap(nullptr, size_bytes, protection, sharing, file.descriptor(), 0);
  if (data == MAP_FAILED) {
    return Error::io(file.path(), "mmap", errno);
  }
  MapWatch watch;
  if (cut_files_are_survived()) {
    // A duplicate descriptor would keep the byte lock of an update after its file is closed, so an update is
    // watched without one. NativeFilter::finish_update() checks the size itself.
    watch = MapWatch({static_cast<const std::byte*>(data), size_bytes},
                     access == MapAccess::kReadWrite ? -1 : file.descriptor());
  }
  return MappedFile(static_cast<std::byte*>(data), size_bytes, std::move(watch));
}

Status FileSystem::sync_mapping(const File& file, const MappedFile& mapping) {
  const std::span<std::byte> bytes = mapping.writable_bytes();
  if (!bytes.empty() && ::msync(bytes.data(), bytes.size(), MS_SYNC) != 0) {
    return Error::io(file.path(), "msync", errno);
  }
  return {};
}

Status FileSystem::lock_exclusively(const File& file) {
  if (retry_interrupted([&] { return ::flock(file.descriptor(), LOCK_EX | LOCK_NB); }) != 0) {
    return errno == EWOULDBLOCK ? Error::in_use(file.path()) : Error::io(file.path(), "lock", errno);
  }
  return {};
}

Status FileSystem::lock_bytes(const File& file, std::uint64_t offset, std::uint64_t size_bytes) {
  struct flock lock = lock_of(F_WRLCK, offset, size_bytes);
  if (retry_interrupted([&] { return ::fcntl(file.descriptor(), F_OFD_SETLK, &lock); }) != 0 &&
      !lacks_locks_of_bytes(errno)) {
    return errno == EAGAIN || errno == EACCES ? Error::in_use(file.path())
                                              : Error::io(file.path(), "lock", errno);
  }
  return {};
}

Result<bool> FileSystem::bytes_are_locked(const File& file, std::uint64_t offset, std::uint64_t size_bytes) {
  struct flock lock = lock_of(F_RDLCK, offset, size_bytes);
  if (retry_interrupted([&] { return ::fcntl(file.descriptor(), F_OFD_GETLK, &lock); }) != 0) {
    return lacks_locks_of_bytes(errno) ? Result<bool>(false) : Error::io(file.path(), "lock", errno);
  }
  return lock.l_type != F_UNLCK;
}

Status FileSystem::reserve(const File& file, std::uint64_t size_bytes) {
  const int result =
      retry_interrupted([&] { return ::fallocate(file.descriptor(), 0, 0, static_cast<off_t>(size_bytes)); });
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return Error::io(file.path(), "fallocate", errno);
  }
  return {};
}

std::uint32_t new_file_permissions() {
  constexpr std::uint32_t kAll = 0666;
  // umask(2) can only be read by setting another mask, under which another thread could make a file
  // meanwhile.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Umask:")) {
      return kAll & ~static_cast<std::uint32_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
    }
  }
  const mode_t mask = ::umask(077);
  (void)::umask(mask);
  return kAll & ~static_cast<std::uint32_t>(mask);
}

Result<File> open_locked(FileSystem& files, const std::string& path, OpenFor purpose) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, purpose));
    BLOOMERY_RETURN_IF_ERROR(files.lock_exclusively(file));
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts opened, files.facts(file));
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts named, files.facts(path));
    if (opened.is_same_file(named)) {
      return file;
    }
  }
  return Error::io(path, "lock", EBUSY);
}

}  // namespace bloomery
