// An array of NumPy with one bool for each key of a batch.
//
// It is made by a call of NumPy and filled through the buffer protocol, and not by pybind11/numpy.h: that header reads
// NumPy's structs, and Debian's (2.10) reads those of NumPy 2 at wrong places. Its arrays then had a stride of 0, so that
// every key got the answer of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pybind11/pybind11.h>

namespace bloomery::python {

// Returns an array of `count` bools: is_set(i) for key i. Throws error_already_set.
template <typename IsSet>
pybind11::object bool_array(std::size_t count, const IsSet& is_set) {
  pybind11::object array = pybind11::module_::import("numpy").attr("empty")(count, "?");
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    throw pybind11::error_already_set();
  }
  auto* const answers = static_cast<unsigned char*>(view.buf);
  const bool fits = view.itemsize == 1 && static_cast<std::size_t>(view.len) == count;
  for (std::size_t i = 0; fits && i < count; ++i) {
    answers[i] = is_set(i) ? 1 : 0;
  }
  PyBuffer_Release(&view);
  if (!fits) {
    throw pybind11::type_error("expected NumPy to make an array of one byte for each bool");
  }
  return array;
}

}  // namespace bloomery::python
