// Writes and reads the fields of a front (value_bytes.h): little-endian, without gaps.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/endian.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kFrontHeadBytes = 24;
inline constexpr const char* kFrontSubject = "bloomery front";

inline Error corrupt_front(std::uint64_t offset, const std::string& detail) {
  return Error::corruption(kFrontSubject, offset, detail);
}

class FrontWriter {
 public:
  template <typename T>
  void put(T value) {
    std::array<std::byte, sizeof(T)> bytes;
    store_little(bytes.data(), value);
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void put_double(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put_text(std::string_view text) { out_.append(text); }
  void put_bytes(std::span<const std::byte> bytes) {
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

// Reads consecutive fields. Precondition: enough bytes remain; callers check this.
class FrontReader {
 public:
  explicit FrontReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    const T value = load_little<T>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  double take_double() { return std::bit_cast<double>(take<std::uint64_t>()); }
  std::span<const std::byte> rest() const { return bytes_; }
  std::span<const std::byte> take_bytes(std::size_t count) {
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace bloomery::redis_module
