// Appends numbers and bytes to a reused buffer. Once the buffer has grown, nothing is allocated.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "base/hadoop_vlong.h"
#include "base/varint.h"

namespace bloomery::hfile {

// Appends a big-endian integer to bytes that are kept as a string.
template <typename T>
void append_big(std::string& out, T value) {
  std::array<std::byte, sizeof(T)> bytes;
  store_big(bytes.data(), value);
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class ByteWriter {
 public:
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_.get()), size_}; }
  std::byte* data() { return data_.get(); }

  void clear() { size_ = 0; }
  // Precondition: size <= size().
  void cut(std::size_t size) { size_ = size; }

  // Adds `count` bytes to the size and returns them; the caller writes them.
  std::byte* extend(std::size_t count) {
    if (capacity_ - size_ < count) {
      grow(count);
    }
    std::byte* const at = data_.get() + size_;
    size_ += count;
    return at;
  }

  void append(std::string_view bytes) {
    if (!bytes.empty()) {
      std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
    }
  }

  // Appends a big-endian integer.
  template <typename T>
  void number(T value) {
    store_big(extend(sizeof(T)), value);
  }

  // Appends a varint: seven bits per byte, the lowest first.
  void compressed_int(std::uint64_t value) {
    if (value < 0x80) {
      *extend(1) = static_cast<std::byte>(value);
      return;
    }
    std::byte* const at = extend(kMaxVarintBytes);
    size_ -= kMaxVarintBytes - write_varint(at, value);
  }

  // Appends a Hadoop vlong and returns its size in bytes.
  std::size_t vlong(std::int64_t value) {
    if (value >= -112 && value <= 127) {
      *extend(1) = static_cast<std::byte>(value);
      return 1;
    }
    std::byte* const at = extend(kMaxHadoopVlongBytes);
    const std::size_t count = write_hadoop_vlong(at, value);
    size_ -= kMaxHadoopVlongBytes - count;
    return count;
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max({std::size_t{256}, 2 * capacity_, size_ + count});
    auto data = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) {
      std::memcpy(data.get(), data_.get(), size_);
    }
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace bloomery::hfile
