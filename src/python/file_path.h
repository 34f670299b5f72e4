// The name of a file as a Python argument: a str, bytes, or an os.PathLike.
#pragma once

#include <pybind11/pybind11.h>
#include <string>

namespace bloomery::python {

// Returns the bytes of the name for the operating system. Throws TypeError, and ValueError for a name
// with a NUL.
inline std::string path_of(const pybind11::object& place) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(place.ptr(), &bytes) == 0) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::bytes>(bytes);
}

}  // namespace bloomery::python
