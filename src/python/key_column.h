// Many keys in the memory of another owner: a NumPy array, any other buffer, an array of Arrow. Nothing is copied.
//
//   integers     of any width; each is widened to 8 bytes where it is read
//   fixed        bytes of one width; in NumPy's S16 zeros at the end are no part of the key, as NumPy has it
//   variable     between offsets of 32 or 64 bits (Arrow)
//   views        of 16 bytes: a short key is inside, a long one is in one of several buffers (Arrow)
//   UCS-4        NumPy's text (U16); a batch of them becomes UTF-8 where it is read
//   dictionary   indices into a column of values (Arrow; a categorical of pandas)
//
// A column may be strided. It keeps its memory alive, and can be read without the GIL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <string_view>

#include "python/arrow_interface.h"
#include "python/key_bytes.h"

namespace bloomery::python {

class KeyColumn {
 public:
  enum class Kind { kInteger, kFixed, kOffsets32, kOffsets64, kViews, kUcs4 };

  // Returns the column of an object that has the buffer protocol, or nothing if its elements must be asked for one by
  // one. Throws TypeError for a buffer whose elements are no keys: floats, bools, another byte order, not one dimension.
  static std::optional<KeyColumn> of_buffer(const pybind11::object& object);
  // Returns the column of an array of Arrow. Without an array it is one of no keys, whose type is checked. `held` owns the
  // array. Throws TypeError for a type that is no key, ValueError for nulls.
  static KeyColumn of_arrow(const ArrowSchema& schema, const ArrowArray* array, std::shared_ptr<void> held);

  std::size_t size() const { return size_; }
  bool is_integer() const { return values_ ? values_->is_integer() : kind_ == Kind::kInteger; }
  // Returns whether the keys are text and not bytes.
  bool is_text() const { return values_ ? values_->is_text() : is_text_; }
  IntegerBits integer(std::size_t i) const;
  // Returns key i. It is valid as long as the column and, until the next call, `room`.
  std::string_view bytes(std::size_t i, std::string& room) const;
  // The same for a filter of digests of one width. Where each element has that width, zeros at the end are a part of it.
  std::string_view digest(std::size_t i, std::size_t width, std::string& room) const;
  // Sets `numbers` to the integers from number `first` on, each widened to 64 bits, or `keys` to the bytes.
  void read_integers(std::size_t first, std::span<std::uint64_t> numbers) const;
  void read_bytes(std::size_t first, std::span<std::string_view> keys, std::string& room) const;

 private:
  template <typename Number>
  void widen(std::size_t first, std::span<std::uint64_t> numbers) const;
  void read_own_integers(std::size_t first, std::span<std::uint64_t> numbers) const;
  std::size_t index(std::size_t i) const;
  template <typename Offset>
  std::string_view between_offsets(std::size_t i) const;
  std::string_view fixed(std::size_t i) const;
  std::string_view view(std::size_t i) const;
  std::uint32_t unit(std::size_t i, std::size_t place) const;
  std::uint32_t all_units() const;
  bool is_well_formed() const;
  void read_ascii(std::size_t first, std::span<std::string_view> keys, std::string& room) const;
  void read_units(std::size_t first, std::span<std::string_view> keys, std::string& room) const;
  void set_arrow_type(std::string_view format);
  void set_arrow_bytes(const ArrowArray& array);
  void set_dictionary(const ArrowSchema& schema, const ArrowArray* array);

  Kind kind_ = Kind::kInteger;
  bool is_signed_ = false;
  bool is_text_ = false;
  bool is_ascii_ = false;   // UCS-4 without any other character
  bool is_padded_ = false;  // with zeros, which are no part of the key
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  std::ptrdiff_t stride_ = 0;
  const char* data_ = nullptr;
  const void* offsets_ = nullptr;
  const void* const* view_buffers_ = nullptr;
  std::shared_ptr<const KeyColumn> values_;  // of a dictionary: this column has the indices
  std::shared_ptr<void> held_;               // must be released with the GIL held
};

}  // namespace bloomery::python
