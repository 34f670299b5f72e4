// Many keys in memory of another owner: a NumPy array, any other buffer, an array of Arrow.
// Nothing is copied.
//
//   integers     of any width; each is widened to 8 bytes when it is read
//   fixed        bytes of one width; in NumPy's S16, trailing zeros do not belong to the key, as in NumPy
//   variable     between offsets of 32 or 64 bits (Arrow)
//   views        of 16 bytes: a short key is inline, a long key is in one of several buffers (Arrow)
//   UCS-4        NumPy's text (U16); a batch is converted to UTF-8 when it is read
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

  // Returns the column of an object with the buffer protocol, or nothing if the caller must iterate over its
  // elements. Throws TypeError for a buffer whose elements are not keys: floats, bools, another byte order,
  // not one dimension.
  static std::optional<KeyColumn> of_buffer(const pybind11::object& object);
  // Returns the column of an array of Arrow. Without an array it is an empty column, whose type is checked.
  // `held` owns the array. Throws TypeError for a type that cannot be a key, ValueError for nulls.
  static KeyColumn of_arrow(const ArrowSchema& schema, const ArrowArray* array, std::shared_ptr<void> held);

  std::size_t size() const { return size_; }
  bool is_integer() const { return values_ ? values_->is_integer() : kind_ == Kind::kInteger; }
  // Returns true if the keys are text and not bytes.
  bool is_text() const { return values_ ? values_->is_text() : is_text_; }
  IntegerBits integer(std::size_t i) const;
  // Returns key i. The view is valid as long as the column exists and `room` is unchanged.
  std::string_view bytes(std::size_t i, std::string& room) const;
  // Returns key i for a filter of digests of one width. If each element has that width, trailing zeros belong
  // to the key.
  std::string_view digest(std::size_t i, std::size_t width, std::string& room) const;
  // Fills `numbers` with the integers from number `first` on, each widened to 64 bits, or `keys`
  // with the bytes.
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
  bool is_ascii_ = false;   // UCS-4 with ASCII characters only
  bool is_padded_ = false;  // padded with zeros, which do not belong to the key
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  std::ptrdiff_t stride_ = 0;
  const char* data_ = nullptr;
  const void* offsets_ = nullptr;
  const void* const* view_buffers_ = nullptr;
  std::shared_ptr<const KeyColumn> values_;  // the values of a dictionary; this column has the indices
  std::shared_ptr<void> held_;               // must be released with the GIL held
};

}  // namespace bloomery::python
