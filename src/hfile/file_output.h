// A file that is written sequentially, and its current offset. Appends below 32 KiB are buffered into writes
// of up to 256 KiB; larger ones are written directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/atomic_file.h"
#include "bloomery/base/result.h"
#include "hfile/byte_writer.h"

namespace bloomery::hfile {

class FileOutput {
 public:
  explicit FileOutput(AtomicFile file) : file_(std::move(file)) {}

  std::uint64_t offset() const { return offset_; }

  Status append(std::span<const std::byte> bytes) {
    offset_ += bytes.size();
    const bool is_large = bytes.size() >= kLargeBytes;
    if (is_large || gathered_.size() + bytes.size() > kGatheredBytes) {
      BLOOMERY_RETURN_IF_ERROR(flush());
    }
    if (is_large) {
      return file_.append(bytes);
    }
    gathered_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return {};
  }

  Status commit() {
    BLOOMERY_RETURN_IF_ERROR(flush());
    return file_.commit();
  }

 private:
  static constexpr std::size_t kGatheredBytes = std::size_t{256} << 10;
  static constexpr std::size_t kLargeBytes = std::size_t{32} << 10;

  Status flush() {
    if (gathered_.size() == 0) {
      return {};
    }
    Status written = file_.append(gathered_.bytes());
    gathered_.clear();
    return written;
  }

  AtomicFile file_;
  ByteWriter gathered_;
  std::uint64_t offset_ = 0;
};

}  // namespace bloomery::hfile
