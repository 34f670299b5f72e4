// One file in memory, as a file system for those who write and read HFiles.
//
// Every path names the same file, which has no name on disk: a writer's temporary file and its final name are
// one. Files opened from it must not outlive it. Written once, then read by any number of threads. Not here:
// mappings, locks, writes at an offset.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/file.h"

namespace bloomery::table {

class MemoryFile : public FileSystem {
 public:
  std::size_t size_bytes() const { return bytes_.size(); }

  Result<File> open(const std::string& path, OpenFor) override { return File(this, kNoDescriptor, path); }
  Result<std::size_t> write(const File&, std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  Result<std::size_t> read_at(const File&, std::uint64_t offset, std::span<std::byte> bytes) override {
    if (offset >= bytes_.size() || bytes.empty()) {
      return std::size_t{0};
    }
    const auto from = std::span(bytes_).subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(from.size(), bytes.size());
    std::memcpy(bytes.data(), from.data(), count);
    return count;
  }
  Result<FileFacts> facts(const File&) override {
    return FileFacts{.size_bytes = bytes_.size(), .is_regular = true};
  }
  Result<FileFacts> facts(const std::string& path) override {
    return Error(ErrorCode::kNotFound, path, "expected a file, found none");
  }
  Status sync(const File&) override { return {}; }
  Status close(int, const std::string&) override { return {}; }
  Status set_permissions(const File&, std::uint32_t) override { return {}; }
  Status rename(const std::string&, const std::string&) override { return {}; }
  Status rename_to_new(const std::string&, const std::string&) override { return {}; }
  Status remove(const std::string&) override { return {}; }
  Status sync_directory_of(const std::string&) override { return {}; }

 private:
  static constexpr int kNoDescriptor = -1;

  std::vector<std::byte> bytes_;
};

}  // namespace bloomery::table
