// The bytes of one sorted run of edits, as a file system for those who write and read HFiles.
//
//   MemoryRun     in memory
//   SpooledRun    a range of a file without a name (EditSpool), which all runs of a table share
//
// Every path names the same file, so a writer's temporary file and its final name are one. Files opened from
// it must not outlive it. Written once, then read by any number of threads. One run of a spool is written at
// a time. The space of a run is freed with the entire spool. Not here: mappings, locks, writes at an offset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace bloomery::table {

class RunFile : public FileSystem {
 public:
  virtual std::uint64_t size_bytes() const = 0;

  Result<File> open(const std::string& path, OpenFor) override { return File(this, kNoDescriptor, path); }
  Result<FileFacts> facts(const File&) override {
    return FileFacts{.size_bytes = size_bytes(), .is_regular = true};
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
};

class MemoryRun final : public RunFile {
 public:
  // Reserves memory for so many bytes.
  explicit MemoryRun(std::size_t size_bytes) { bytes_.reserve(size_bytes); }

  std::uint64_t size_bytes() const override { return bytes_.size(); }
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

 private:
  std::vector<std::byte> bytes_;
};

struct EditSpool {
  File file;
  std::uint64_t size_bytes = 0;
};

class SpooledRun final : public RunFile {
 public:
  // The run begins at the end of the spool.
  explicit SpooledRun(std::shared_ptr<EditSpool> spool)
      : spool_(std::move(spool)), begin_(spool_->size_bytes) {}

  std::uint64_t size_bytes() const override { return size_; }
  Result<std::size_t> write(const File&, std::span<const std::byte> bytes) override {
    BLOOMERY_RETURN_IF_ERROR(spool_->file.write_all_at(begin_ + size_, bytes));
    size_ += bytes.size();
    spool_->size_bytes = begin_ + size_;
    return bytes.size();
  }
  Result<std::size_t> read_at(const File&, std::uint64_t offset, std::span<std::byte> bytes) override {
    if (offset >= size_ || bytes.empty()) {
      return std::size_t{0};
    }
    const auto wanted = bytes.first(std::min<std::uint64_t>(bytes.size(), size_ - offset));
    BLOOMERY_RETURN_IF_ERROR(spool_->file.read_exactly_at(begin_ + offset, wanted));
    return wanted.size();
  }

 private:
  std::shared_ptr<EditSpool> spool_;
  std::uint64_t begin_;
  std::uint64_t size_ = 0;
};

}  // namespace bloomery::table
