// Reads the fields of one entry from the front of a window, which it extends as needed.
//
// After a read that failed every later read fails, and position() is that of the failed read. So a parser
// checks once, after several fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/endian.h"
#include "base/varint.h"
#include "bloomery/base/result.h"
#include "wal/log_window.h"

namespace bloomery::wal {

class EntryBytes {
 public:
  explicit EntryBytes(LogWindow& window) : window_(window) { see_window(); }

  bool failed() const { return failed_; }
  // Returns true if the log ended inside of a field.
  bool is_cut() const { return is_cut_; }
  // Returns true if the entry is larger than the window may be.
  bool is_too_large() const { return is_too_large_; }
  // The error of the window, or of a decoder that ended the entry.
  const Status& status() const { return status_; }
  void fail_with(const Status& status) {
    status_ = status;
    failed_ = true;
  }
  std::size_t position() const { return position_; }
  // The bytes from `from` to the position.
  std::span<const std::byte> since(std::size_t from) const { return {begin_ + from, position_ - from}; }

  template <typename T>
  T number() {
    if (!has(sizeof(T))) {
      return 0;
    }
    const T value = load_big<T>(begin_ + position_);
    position_ += sizeof(T);
    return value;
  }

  // Reads a varint of at most five bytes and 31 bits.
  std::uint32_t length() {
    if (!has(1)) {
      return 0;
    }
    const auto first = std::to_integer<std::uint32_t>(begin_[position_]);
    if (first < 0x80) {
      ++position_;
      return first;
    }
    return long_length();
  }

  std::string_view bytes(std::size_t size) {
    if (!has(size)) {
      return {};
    }
    const std::string_view read(reinterpret_cast<const char*>(begin_ + position_), size);
    position_ += size;
    return read;
  }

  // Marks the field at the position as invalid.
  void fail() { failed_ = true; }

 private:
  static constexpr std::size_t kMostLengthBytes = 5;

  bool has(std::size_t count) { return (!failed_ && count <= size_ - position_) || extend(count); }

  bool extend(std::size_t count) {
    if (failed_) {
      return false;
    }
    const Result<Extent> extent = window_.extend(position_ + count);
    see_window();
    if (!extent) {
      fail_with(extent.error());
      return false;
    }
    is_cut_ = *extent == Extent::kCut;
    is_too_large_ = *extent == Extent::kTooLarge;
    failed_ = *extent != Extent::kHas;
    return !failed_;
  }

  std::uint32_t long_length() {
    (void)window_.extend(position_ + kMostLengthBytes);  // the log may end before, which is no error yet
    see_window();
    const VarintGroups varint = join_varint<kMostLengthBytes>({begin_ + position_, size_ - position_});
    is_cut_ = varint.end == VarintEnd::kCut;
    failed_ = varint.end != VarintEnd::kWhole || varint.value >> 31 != 0;
    position_ += failed_ ? 0 : varint.size_bytes;
    return failed_ ? 0 : static_cast<std::uint32_t>(varint.value);
  }

  void see_window() {
    begin_ = window_.bytes().data();
    size_ = window_.bytes().size();
  }

  LogWindow& window_;
  const std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
  bool failed_ = false;
  bool is_cut_ = false;
  bool is_too_large_ = false;
  Status status_;
};

}  // namespace bloomery::wal
