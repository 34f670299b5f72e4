// A FileSystem whose n-th call fails: walks a test through every step of what is written on top of it.
#pragma once

#include <string>

#include "base/file.h"

namespace bloomery {

class FailingFileSystem final : public FileSystem {
 public:
  // The call number `failing_call`, counted from one, fails with `errno_value`; all others reach the disk.
  FailingFileSystem(int failing_call, int errno_value)
      : failing_call_(failing_call), errno_value_(errno_value) {}

  // The name of the method that was made to fail; empty as long as none was.
  const std::string& failed_call() const { return failed_call_; }
  // At most so many bytes go into one write.
  void limit_writes(std::size_t bytes) { write_limit_ = bytes; }

  Result<File> open(const std::string& path, OpenFor purpose) override {
    return fails("open") ? Result<File>(error(path, "open")) : FileSystem::open(path, purpose);
  }
  Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override {
    return fails("write") ? Result<std::size_t>(error(file.path(), "write"))
                          : FileSystem::write(file, limited(bytes));
  }
  Result<std::size_t> write_at(const File& file, std::uint64_t offset,
                               std::span<const std::byte> bytes) override {
    return fails("write_at") ? Result<std::size_t>(error(file.path(), "write"))
                             : FileSystem::write_at(file, offset, limited(bytes));
  }
  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    return fails("read_at") ? Result<std::size_t>(error(file.path(), "read"))
                            : FileSystem::read_at(file, offset, bytes);
  }
  Status sync(const File& file) override {
    return fails("sync") ? Status(error(file.path(), "fsync")) : FileSystem::sync(file);
  }
  Status close(int descriptor, const std::string& path) override {
    const bool failing = fails("close");
    const Status closed = FileSystem::close(descriptor, path);  // the descriptor is gone in any case
    return failing ? Status(error(path, "close")) : closed;
  }
  Result<FileFacts> facts(const File& file) override {
    return fails("facts") ? Result<FileFacts>(error(file.path(), "fstat")) : FileSystem::facts(file);
  }
  Result<FileFacts> facts(const std::string& path) override {
    return fails("facts") ? Result<FileFacts>(error(path, "stat")) : FileSystem::facts(path);
  }
  Status set_permissions(const File& file, std::uint32_t permissions) override {
    return fails("set_permissions") ? Status(error(file.path(), "fchmod"))
                                    : FileSystem::set_permissions(file, permissions);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return fails("rename") ? Status(error(to, "rename")) : FileSystem::rename(from, to);
  }
  Status remove(const std::string& path) override {
    return fails("remove") ? Status(error(path, "unlink")) : FileSystem::remove(path);
  }
  Status sync_directory_of(const std::string& path) override {
    return fails("sync_directory_of") ? Status(error(path, "fsync")) : FileSystem::sync_directory_of(path);
  }
  Result<MappedFile> map(const File& file, std::size_t size_bytes, MapAccess access) override {
    return fails("map") ? Result<MappedFile>(error(file.path(), "mmap"))
                        : FileSystem::map(file, size_bytes, access);
  }
  Status sync_mapping(const File& file, const MappedFile& mapping) override {
    return fails("sync_mapping") ? Status(error(file.path(), "msync"))
                                 : FileSystem::sync_mapping(file, mapping);
  }
  Status lock_exclusively(const File& file) override {
    return fails("lock_exclusively") ? Status(error(file.path(), "lock"))
                                     : FileSystem::lock_exclusively(file);
  }
  Status reserve(const File& file, std::uint64_t size_bytes) override {
    return fails("reserve") ? Status(error(file.path(), "fallocate")) : FileSystem::reserve(file, size_bytes);
  }

 private:
  bool fails(const char* call) {
    if (++calls_ != failing_call_) {
      return false;
    }
    failed_call_ = call;
    return true;
  }
  Error error(const std::string& path, const char* operation) const {
    return Error::io(path, operation, errno_value_);
  }
  std::span<const std::byte> limited(std::span<const std::byte> bytes) const {
    return bytes.first(std::min(bytes.size(), write_limit_));
  }

  int failing_call_;
  int errno_value_;
  int calls_ = 0;
  std::size_t write_limit_ = ~std::size_t{0};
  std::string failed_call_;
};

}  // namespace bloomery
