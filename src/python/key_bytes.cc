#include "python/key_bytes.h"

#include <limits>
#include <string>

namespace py = pybind11;

namespace bloomery::python {

std::string_view utf8_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {  // a lone surrogate has no UTF-8
    throw py::error_already_set();
  }
  return {bytes, static_cast<std::size_t>(size)};
}

bool is_integer(PyObject* object) {
  if (PyLong_Check(object)) {
    return !PyBool_Check(object);
  }
  return PyIndex_Check(object) &&
         std::string_view(Py_TYPE(object)->tp_name).find("bool") == std::string_view::npos;
}

namespace {

IntegerBits bits_of(PyObject* number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) {
    return {static_cast<std::uint64_t>(value), value < 0};
  }
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred() == nullptr) {
      return {large, false};
    }
    PyErr_Clear();
  }
  PyErr_SetString(PyExc_OverflowError,
                  "expected an int key from -2**63 to 2**64 - 1; give larger ones as bytes");
  throw py::error_already_set();
}

}  // namespace

IntegerBits integer_of(PyObject* object) {
  if (PyLong_CheckExact(object)) {
    return bits_of(object);
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
  if (!number) {
    throw py::error_already_set();
  }
  return bits_of(number.ptr());
}

void append_integer(KeyWriter& writer, std::uint64_t bits, bool is_negative, KeyForm form) {
  if (form != KeyForm::kInt32) {
    append_key(writer, bits);
    return;
  }
  const auto value = static_cast<std::int64_t>(bits);
  const bool fits = is_negative
                        ? value >= std::numeric_limits<std::int32_t>::min()
                        : bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (!fits) {
    PyErr_SetString(PyExc_OverflowError, "expected a key that fits the filter's form int32");
    throw py::error_already_set();
  }
  append_key(writer, static_cast<std::int32_t>(value));
}

void append_integer(KeyWriter& writer, PyObject* object, KeyForm form) {
  const IntegerBits bits = integer_of(object);
  append_integer(writer, bits.bits, bits.is_negative, form);
}

void refuse_key(PyObject* object) {
  PyErr_Format(PyExc_TypeError, "expected a key that is str, bytes, int or a tuple of these, found %.100s",
               Py_TYPE(object)->tp_name);
  throw py::error_already_set();
}

}  // namespace bloomery::python
