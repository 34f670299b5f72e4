// A file system whose n-th call fails, and everything else of which is the machine's own.
//
// Calls of every kind are counted together, from one, so that n = 1, 2, 3, ... walks through every step of
// whatever is done with it, until n is beyond the last.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/file.h"

namespace bloomery {

// What is in a file before a save that may fail, and what the save makes of it: a header, a payload, metadata.
inline const std::string kOldContent = "the old bytes";
inline const std::string kNewContent = "header, payload, metadata";

inline constexpr SaveOptions kReplaceOld = {.if_exists = IfExists::kReplace};

enum class FailureLasts { kOneCall, kForEver };

struct FailurePlan {
  int call = 0;  // the number of the call that fails; 0: none
  int errno_value = EIO;
  FailureLasts lasts = FailureLasts::kOneCall;
  std::size_t bytes_per_write_max = std::numeric_limits<std::size_t>::max();  // more is written short
};

class FailingFileSystem final : public FileSystem {
 public:
  explicit FailingFileSystem(const FailurePlan& plan) : plan_(plan) {}

  // How many calls there were, and the name of the first that failed ("" for none).
  int calls() const { return calls_; }
  const std::string& failed() const { return failed_; }

  Result<File> open(const std::string& path, OpenFor purpose) override {
    const char* const name = purpose == OpenFor::kCreatingExclusively ? "create" : "open";
    return fails(name) ? Result<File>(refusal(path, name)) : FileSystem::open(path, purpose);
  }
  Result<File> open_nameless(const std::string& directory, const std::string& shown) override {
    return fails("open_nameless") ? Result<File>(refusal(shown, "create"))
                                  : FileSystem::open_nameless(directory, shown);
  }
  Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override {
    return fails("write") ? refusal(file.path(), "write") : FileSystem::write(file, cut(bytes));
  }
  Result<std::size_t> write_at(const File& file, std::uint64_t offset,
                               std::span<const std::byte> bytes) override {
    return fails("write_at") ? refusal(file.path(), "write") : FileSystem::write_at(file, offset, cut(bytes));
  }
  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    return fails("read_at") ? refusal(file.path(), "read") : FileSystem::read_at(file, offset, bytes);
  }
  Status sync(const File& file) override {
    return fails("sync") ? refusal(file.path(), "fsync") : FileSystem::sync(file);
  }
  // A close that fails has closed, as in POSIX.
  Status close(int descriptor, const std::string& path) override {
    const bool failing = fails("close");
    const Status closed = FileSystem::close(descriptor, path);
    return failing ? refusal(path, "close") : closed;
  }
  Result<FileFacts> facts(const File& file) override {
    return fails("facts of file") ? refusal(file.path(), "fstat") : FileSystem::facts(file);
  }
  Result<FileFacts> facts(const std::string& path) override {
    return fails("facts of path") ? refusal(path, "stat") : FileSystem::facts(path);
  }
  Status set_permissions(const File& file, std::uint32_t permissions) override {
    return fails("set_permissions") ? refusal(file.path(), "fchmod")
                                    : FileSystem::set_permissions(file, permissions);
  }
  Status set_owner(const File& file, std::uint32_t owner, std::uint32_t group) override {
    return fails("set_owner") ? refusal(file.path(), "fchown") : FileSystem::set_owner(file, owner, group);
  }
  Status rename_to_new(const std::string& from, const std::string& to) override {
    return fails("rename_to_new") ? refusal(to, "rename") : FileSystem::rename_to_new(from, to);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return fails("rename") ? refusal(to, "rename") : FileSystem::rename(from, to);
  }
  Status remove(const std::string& path) override {
    return fails("remove") ? refusal(path, "unlink") : FileSystem::remove(path);
  }
  Status link(const std::string& from, const std::string& to) override {
    return fails("link") ? refusal(to, "link") : FileSystem::link(from, to);
  }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
    return fails("list") ? Result<std::vector<DirectoryEntry>>(refusal(path, "read directory"))
                         : FileSystem::list(path);
  }
  Status make_directory(const std::string& path) override {
    return fails("make_directory") ? refusal(path, "mkdir") : FileSystem::make_directory(path);
  }
  Status remove_directory(const std::string& path) override {
    return fails("remove_directory") ? refusal(path, "rmdir") : FileSystem::remove_directory(path);
  }
  Status sync_directory_of(const std::string& path) override {
    return fails("sync_directory_of") ? refusal(path, "fsync of the directory")
                                      : FileSystem::sync_directory_of(path);
  }
  Result<MappedFile> map(const File& file, std::size_t size_bytes, MapAccess access) override {
    return fails("map") ? Result<MappedFile>(refusal(file.path(), "mmap"))
                        : FileSystem::map(file, size_bytes, access);
  }
  Status sync_mapping(const File& file, const MappedFile& mapping) override {
    return fails("sync_mapping") ? refusal(file.path(), "msync") : FileSystem::sync_mapping(file, mapping);
  }
  Status lock_exclusively(const File& file) override {
    return fails("lock_exclusively") ? refusal(file.path(), "lock") : FileSystem::lock_exclusively(file);
  }
  Status lock_bytes(const File& file, std::uint64_t offset, std::uint64_t size_bytes) override {
    return fails("lock_bytes") ? refusal(file.path(), "lock")
                               : FileSystem::lock_bytes(file, offset, size_bytes);
  }
  Result<bool> bytes_are_locked(const File& file, std::uint64_t offset, std::uint64_t size_bytes) override {
    return fails("bytes_are_locked") ? Result<bool>(refusal(file.path(), "lock"))
                                     : FileSystem::bytes_are_locked(file, offset, size_bytes);
  }
  Status reserve(const File& file, std::uint64_t size_bytes) override {
    return fails("reserve") ? refusal(file.path(), "fallocate") : FileSystem::reserve(file, size_bytes);
  }

 private:
  // Counts a call; true when it is to fail.
  bool fails(const char* operation) {
    ++calls_;
    const bool again = plan_.lasts == FailureLasts::kForEver && !failed_.empty();
    if (calls_ != plan_.call && !again) {
      return false;
    }
    if (failed_.empty()) {
      failed_ = operation;
    }
    return true;
  }
  Error refusal(const std::string& path, const char* operation) const {
    return Error::io(path, operation, plan_.errno_value);
  }
  std::span<const std::byte> cut(std::span<const std::byte> bytes) const {
    return bytes.first(std::min(bytes.size(), plan_.bytes_per_write_max));
  }

  FailurePlan plan_;
  int calls_ = 0;
  std::string failed_;
};

}  // namespace bloomery
