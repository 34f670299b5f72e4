// A file system of one file, whose bytes a test holds; only what a reader of files needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace bloomery {

class MemoryFiles : public FileSystem {
 public:
  explicit MemoryFiles(std::string_view bytes) : bytes_(bytes) {}

  void replace(std::string_view bytes) { bytes_ = bytes; }

  Result<File> open(const std::string& path, OpenFor purpose) override {
    (void)purpose;
    return File(this, kDescriptor, path);
  }
  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    (void)file;
    const std::size_t begin = std::min<std::size_t>(offset, bytes_.size());
    const std::size_t count = std::min(bytes.size(), bytes_.size() - begin);
    std::memcpy(bytes.data(), bytes_.data() + begin, count);
    return count;
  }
  Status close(int descriptor, const std::string& path) override {
    (void)descriptor;
    (void)path;
    return {};
  }
  using FileSystem::facts;
  Result<FileFacts> facts(const File& file) override {
    (void)file;
    return FileFacts{.size_bytes = bytes_.size(), .is_regular = true};
  }

 private:
  static constexpr int kDescriptor = 1 << 20;  // none of the machine's

  std::string_view bytes_;
};

}  // namespace bloomery
