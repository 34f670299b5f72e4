// Files, through an interface whose n-th call a test can make fail.
//
// FileSystem is a thin wrapper of POSIX: each method is one operation, of one to three system calls, and
// returns errors as values. AtomicFile (atomic_file.h) uses it and keeps the promises that span several
// calls, such as an atomic save. So a test with a failing FileSystem can walk through every step of a save.
// A test may also own the entire disk (tests/store/sim).
// Not here: reading keys (keys/), the layouts of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "base/map_watch.h"
#include "bloomery/base/result.h"

namespace bloomery {

class FileSystem;

// An open descriptor, which the destructor closes. The destructor ignores errors; close() reports them.
class File {
 public:
  File() = default;
  File(FileSystem* files, int descriptor, std::string path)
      : files_(files), descriptor_(descriptor), path_(std::move(path)) {}
  File(File&& other) noexcept { *this = std::move(other); }
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  Status write_all(std::span<const std::byte> bytes);
  Status write_all_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Reads exactly bytes.size() bytes. Errors: kCorruption, with the offset, if the file ends before.
  Status read_exactly_at(std::uint64_t offset, std::span<std::byte> bytes);
  Status sync();
  Status close();

 private:
  FileSystem* files_ = nullptr;
  int descriptor_ = -1;
  std::string path_;
};

// A mapping of a complete file, which the destructor unmaps. If another program truncates the mapped file, a
// read of the lost bytes ends the process (SIGBUS). If survive_cut_files() was called before
// (bloomery/base/cut_files.h), the read returns zeros, and status() reports the cut. Files written through
// AtomicFile are replaced, never truncated.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(std::byte* data, std::size_t size, MapWatch watch)
      : data_(data), size_(size), watch_(std::move(watch)) {}
  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Precondition: the mapping was not made with MapAccess::kReadOnly.
  std::span<std::byte> writable_bytes() const { return {data_, size_}; }
  // Call this before you rely on bytes that were read. Errors: kCorruption if the file was cut since it was
  // mapped.
  Status status() const { return watch_.status(size_); }

 private:
  void unmap();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  MapWatch watch_;
};

enum class MapAccess {
  kReadOnly,
  kReadWrite,    // writes reach the file
  kCopyOnWrite,  // a written page becomes the process's own; the file does not change
};
enum class OpenFor {
  kReading,
  kUpdating,
  kCreatingExclusively,  // readable by its owner alone, from the first moment on
};

struct FileFacts {
  std::uint64_t size_bytes = 0;
  bool is_regular = false;
  bool is_directory = false;
  std::uint32_t permissions = 0;  // the low nine mode bits
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint64_t device = 0;  // device and inode identify a file
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;  // when the file was last written, in ns since 1970

  bool is_same_file(const FileFacts& other) const { return device == other.device && inode == other.inode; }
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Returns the machine's own file system. Thread-safe.
  static FileSystem& real();
  // Returns `files`, or the machine's own file system if it is null.
  static FileSystem& or_real(FileSystem* files) { return files != nullptr ? *files : real(); }

  // Opens or creates a regular file. For a pipe, a socket, a device or a directory it returns
  // kInvalidArgument at once, without waiting for it or reading it.
  virtual Result<File> open(const std::string& path, OpenFor purpose);
  // Creates a file in `directory` for reading and writing that never has a name. `shown` is its name in
  // errors. Errors: kIo with EOPNOTSUPP if the file system has no such files (O_TMPFILE).
  virtual Result<File> open_nameless(const std::string& directory, const std::string& shown);
  // May write fewer bytes than given, but at least one.
  virtual Result<std::size_t> write(const File& file, std::span<const std::byte> bytes);
  virtual Result<std::size_t> write_at(const File& file, std::uint64_t offset,
                                       std::span<const std::byte> bytes);
  // Returns 0 at the end of the file.
  virtual Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes);
  virtual Status sync(const File& file);
  virtual Status close(int descriptor, const std::string& path);
  virtual Result<FileFacts> facts(const File& file);
  // Works for directories, too. Errors: kNotFound if there is no such file.
  virtual Result<FileFacts> facts(const std::string& path);
  virtual Status set_permissions(const File& file, std::uint32_t permissions);
  virtual Status set_owner(const File& file, std::uint32_t owner, std::uint32_t group);
  virtual Status rename(const std::string& from, const std::string& to);
  // Never replaces a file: kIo with EEXIST if `to` names one.
  virtual Status rename_to_new(const std::string& from, const std::string& to);
  virtual Status remove(const std::string& path);
  // Gives the file a second name (a hard link). Never replaces a file: kIo with EEXIST if `to` names one.
  virtual Status link(const std::string& from, const std::string& to);
  // Returns the directory's entries sorted by name. Errors: kNotFound; kIo.
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& path);
  // Creates one directory. Errors: kIo with EEXIST if the name is taken; kNotFound without its parent.
  virtual Status make_directory(const std::string& path);
  // Removes an empty directory. Errors: kIo with ENOTEMPTY; kNotFound.
  virtual Status remove_directory(const std::string& path);
  virtual Status sync_directory_of(const std::string& path);
  // Maps the first `size_bytes`, which must not exceed the file.
  virtual Result<MappedFile> map(const File& file, std::size_t size_bytes, MapAccess access);
  // Writes back the changes of a kReadWrite mapping, and waits for it.
  virtual Status sync_mapping(const File& file, const MappedFile& mapping);
  // Acquires the file's advisory lock for this process. Errors: kIo with EWOULDBLOCK if another process holds
  // it.
  virtual Status lock_exclusively(const File& file);
  // Locks bytes of the file, without changing them, until the file is closed or the process ends. The lock is
  // an open file description lock (fcntl(2), F_OFD_SETLK), and independent of lock_exclusively(). Does
  // nothing if the system has no such locks. Errors: kIo with EWOULDBLOCK if somebody holds a lock of these
  // bytes.
  virtual Status lock_bytes(const File& file, std::uint64_t offset, std::uint64_t size_bytes);
  // Returns true if somebody else holds a lock of these bytes. Changes no lock. Returns false if the system
  // has no such locks.
  virtual Result<bool> bytes_are_locked(const File& file, std::uint64_t offset, std::uint64_t size_bytes);
  // Ensures that later writes inside the file cannot meet a full disk, if the file system can promise it.
  virtual Status reserve(const File& file, std::uint64_t size_bytes);
};

// Returns the permissions of the process's new files: read and write for all, less its umask.
std::uint32_t new_file_permissions();

// Opens a file and locks it against other updates. A save of a file over itself replaces it, and a lock on
// the old file would then be useless. So the locked file is the one that `path` names. Errors: kNotFound;
// kInvalidArgument if it is no regular file; kIo, with EWOULDBLOCK if another process holds the lock.
Result<File> open_locked(FileSystem& files, const std::string& path, OpenFor purpose);

}  // namespace bloomery
