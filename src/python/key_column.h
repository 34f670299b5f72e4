// Many keys in one piece of memory of somebody else: a NumPy array, any other buffer, an Arrow array. Nothing is copied.
//
//   integers     of any width; each is widened to 8 bytes where it is read
//   fixed        bytes of one width; in NumPy's S16 zeros at the end are no part of the key, as NumPy has it
//   variable     between offsets of 32 or 64 bits (Arrow)
//
// A column may be strided. It holds its memory as long as it lives, and can be read without the GIL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <span>
#include <string_view>

#include "python/key_bytes.h"

namespace bloomery::python {

class KeyColumn {
 public:
  enum class Kind { kInteger, kFixed, kOffsets32, kOffsets64 };

  // Returns the column of an object, or nothing if it is none: then its elements are asked for one by one. Throws
  // TypeError or ValueError for a column whose elements are no keys: floats, another byte order, two dimensions, nulls.
  static std::optional<KeyColumn> of(const pybind11::object& object);

  std::size_t size() const { return size_; }
  bool is_integer() const { return kind_ == Kind::kInteger; }
  // Whether the texts are text, so that the rule of the filter applies; otherwise they are bytes.
  bool is_text() const { return is_text_; }
  IntegerBits integer(std::size_t i) const;
  std::string_view bytes(std::size_t i) const;
  // Sets `numbers` to the integers from number `first` on, each widened to 64 bits, or `keys` to the bytes.
  void read_integers(std::size_t first, std::span<std::uint64_t> numbers) const;
  void read_bytes(std::size_t first, std::span<std::string_view> keys) const;

 private:
  static std::optional<KeyColumn> of_buffer(const pybind11::object& object);
  static std::optional<KeyColumn> of_arrow(const pybind11::object& object);
  template <typename Number>
  void widen(std::size_t first, std::span<std::uint64_t> numbers) const;
  template <typename Offset>
  std::string_view between_offsets(std::size_t i) const;
  std::string_view fixed(std::size_t i) const;

  Kind kind_ = Kind::kInteger;
  bool is_signed_ = false;
  bool is_text_ = false;
  bool is_padded_ = false;  // with zeros, which are no part of the key
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  std::ptrdiff_t stride_ = 0;
  const char* data_ = nullptr;
  const void* offsets_ = nullptr;
  std::shared_ptr<void> held_;  // must be released with the GIL held
};

}  // namespace bloomery::python
