// Reads numbers and strings from the start of a byte sequence. Once the bytes do not suffice, the reader
// stays failed and returns zeros.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/endian.h"

namespace bloomery::postgres {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  T number() {
    if (bytes_.size() - at_ < sizeof(T)) {
      fail();
      return 0;
    }
    const T value = load_big<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  char letter() { return static_cast<char>(number<std::uint8_t>()); }
  std::string_view bytes(std::size_t count) {
    if (bytes_.size() - at_ < count) {
      fail();
      return {};
    }
    const std::string_view view(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
    at_ += count;
    return view;
  }
  // Reads a string up to a NUL, which is not part of the result.
  std::string_view string() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
    const std::size_t length = rest.find('\0');
    if (length == std::string_view::npos) {
      fail();
      return {};
    }
    at_ += length + 1;
    return rest.substr(0, length);
  }

  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }
  bool failed() const { return failed_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace bloomery::postgres
