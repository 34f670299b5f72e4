// The bytes of a key that is a Python object.
//
//   str        the text, in UTF-8, by the rule of the filter (key form, trimming, case)
//   bytes      text in the forms text and url; what the digits stand for in hex; refused by all others. Also bytearray
//              and other buffers of bytes
//   int        8 bytes, little-endian: -2^63 to 2^64 - 1. In a filter of the form int32: 4 bytes. Refused by forms of
//              text, and by filters of the command, whose keys are lines
//   tuple      a composite key of at least two parts: each part after its length
//
// So the text "5" of a filter of the form int64 and the number 5 are one key. An integer of NumPy is taken as an int,
// whatever its width. A bool is no key, since 1 and True are equal and their bytes are not.
#pragma once

#include <cstdint>
#include <optional>
#include <pybind11/pybind11.h>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery::python {

// Returns the text of a str that is ASCII where it lies. Precondition: PyUnicode_IS_COMPACT_ASCII(text).
inline std::string_view ascii_of(PyObject* text) {
  return {static_cast<const char*>(PyUnicode_DATA(text)),
          static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
}
// Returns a view of the text of a str in UTF-8, or of the bytes of a bytes object, as long as the object lives.
std::string_view utf8_of(PyObject* text);
inline std::string_view text_of(PyObject* text) {
  return PyUnicode_IS_COMPACT_ASCII(text) ? ascii_of(text) : utf8_of(text);
}
inline std::string_view bytes_of(PyObject* bytes) {
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

// Returns whether the object is an integer, and no bool.
bool is_integer(PyObject* object);
struct IntegerBits {
  std::uint64_t bits;
  bool is_negative;
};
// Returns the 64 bits of an integer. Throws OverflowError.
IntegerBits integer_of(PyObject* object);

// Appends an integer as a key of a filter of this form. Throws OverflowError.
void append_integer(KeyWriter& writer, std::uint64_t bits, bool is_negative, KeyForm form);
void append_integer(KeyWriter& writer, PyObject* object, KeyForm form);

// Throws TypeError for an object that is no key.
[[noreturn]] void refuse_key(PyObject* object);

}  // namespace bloomery::python
