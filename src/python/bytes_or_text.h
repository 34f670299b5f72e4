// Bytes of HBase as a Python argument: bytes, or a str, which is its UTF-8.
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

namespace bloomery::python {

// Returns a view of the object's bytes, which lasts as long as the object. Throws TypeError.
inline std::string_view view_of_text(const pybind11::handle& object) {
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    return pybind11::cast<std::string_view>(object);
  }
  throw pybind11::type_error("expected bytes or str, found " + std::string(Py_TYPE(object.ptr())->tp_name));
}

inline std::string bytes_or_text(const pybind11::handle& object) {
  return std::string(view_of_text(object));
}

}  // namespace bloomery::python
