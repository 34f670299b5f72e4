// Converts a key that is a Python object to bytes.
//
//   str        the text, in UTF-8, by the rule of the filter (key form, trimming, case)
//   bytes      text in the forms text and url; in hex, the digest itself, of the filter's recorded width;
//              refused by all other forms. Also bytearray and other buffers of bytes
//   int        8 bytes, little-endian: -2^63 to 2^64 - 1. In a filter of the form int32: 4 bytes. Refused by
//              forms of text, and by the form text if it means lines: with the command's hash (xxh3), and
//              under a secret
//   tuple      a composite key of at least two parts: each part after its length
//
// So the text "5" of a filter of the form int64 and the number 5 are one key. An integer of NumPy counts as
// an int, whatever its width. A bool is not a key, since 1 and True are equal but have different bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <pybind11/pybind11.h>
#include <string_view>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery::python {

// Returns a view of the text of an ASCII str, without a copy. Precondition: PyUnicode_IS_COMPACT_ASCII(text).
inline std::string_view ascii_of(PyObject* text) {
  return {static_cast<const char*>(PyUnicode_DATA(text)),
          static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
}
// Returns a view of the UTF-8 text of a str, or of the bytes of a bytes object. It is valid as long as the
// object exists.
std::string_view utf8_of(PyObject* text);
inline std::string_view text_of(PyObject* text) {
  return PyUnicode_IS_COMPACT_ASCII(text) ? ascii_of(text) : utf8_of(text);
}
inline std::string_view bytes_of(PyObject* bytes) {
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

// Returns true if the object is an integer and not a bool.
bool is_integer(PyObject* object);
struct IntegerBits {
  std::uint64_t bits;
  bool is_negative;
};
// Returns the 64 bits of an integer. Throws OverflowError.
IntegerBits integer_of(PyObject* object);
// Returns the 64 bits of an int whose class is not derived. An int of at most 63 bits is read directly: a
// call of Python's own function would last longer than hashing.
inline std::uint64_t bits_of_int(PyObject* number) {
#if PY_VERSION_HEX >= 0x030C0000
  auto* const compact = reinterpret_cast<PyLongObject*>(number);
  if (PyUnstable_Long_IsCompact(compact) != 0) {
    return static_cast<std::uint64_t>(PyUnstable_Long_CompactValue(compact));
  }
#else
  const Py_ssize_t size = Py_SIZE(number);
  const Py_ssize_t digits = size < 0 ? -size : size;
  const digit* const lowest_first = reinterpret_cast<PyLongObject*>(number)->ob_digit;
  constexpr Py_ssize_t kMostDigits = 63 / PyLong_SHIFT;  // this many always fit in 63 bits
  constexpr int kBitsAbove = 63 % PyLong_SHIFT;          // the lowest bits of one more digit fit too
  if (digits <= kMostDigits ||
      (digits == kMostDigits + 1 && lowest_first[kMostDigits] < (digit{1} << kBitsAbove))) {
    std::uint64_t magnitude = 0;
    for (Py_ssize_t i = digits; i-- > 0;) {
      magnitude = magnitude << PyLong_SHIFT | lowest_first[i];
    }
    return size < 0 ? 0 - magnitude : magnitude;
  }
#endif
  return integer_of(number).bits;
}

// Appends an integer as a key of a filter of this form. Throws OverflowError.
void append_integer(KeyWriter& writer, std::uint64_t bits, bool is_negative, KeyForm form);
void append_integer(KeyWriter& writer, PyObject* object, KeyForm form);

// Throws TypeError for an object that is not a key.
[[noreturn]] void refuse_key(PyObject* object);

}  // namespace bloomery::python
