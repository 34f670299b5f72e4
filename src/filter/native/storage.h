// The owner of a filter's bytes: its own memory, a mapped file, or the caller.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "base/file.h"
#include "base/memory.h"

namespace bloomery {

class Storage {
 public:
  Storage() = default;
  explicit Storage(AlignedBuffer buffer) : home_(std::move(buffer)) {
    bytes_ = std::get<AlignedBuffer>(home_).bytes();
    writable_ = true;
  }
  // Precondition: `offset` and `size` are inside the mapping.
  Storage(MappedFile mapping, std::size_t offset, std::size_t size, MapAccess access)
      : home_(std::move(mapping)) {
    bytes_ = std::get<MappedFile>(home_).writable_bytes().subspan(offset, size);
    writable_ = access != MapAccess::kReadOnly;
  }
  // Refers to bytes that outlive the filter.
  explicit Storage(std::span<const std::byte> view)
      : bytes_(const_cast<std::byte*>(view.data()), view.size()) {}  // never written: writable_ stays false

  bool is_writable() const { return writable_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Returns the bytes for kernels, which use one table type for reads and writes. They may be written only if
  // is_writable().
  std::span<std::byte> raw() const { return bytes_; }
  // Returns the mapping if the bytes are in one, otherwise null.
  const MappedFile* mapping() const { return std::get_if<MappedFile>(&home_); }

 private:
  std::variant<std::monostate, AlignedBuffer, MappedFile> home_;
  std::span<std::byte> bytes_;
  bool writable_ = false;
};

}  // namespace bloomery
