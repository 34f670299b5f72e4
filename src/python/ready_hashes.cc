#include "python/ready_hashes.h"

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "python/key_chunks.h"

namespace py = pybind11;

namespace bloomery::python {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(Hash128) == 2 * sizeof(std::uint64_t));

ReadyHashes::ReadyHashes(const py::object& array, bool takes_words) {
  check_no_mask(array);
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    if (PyErr_ExceptionMatches(PyExc_BufferError) == 0 && PyErr_ExceptionMatches(PyExc_ValueError) == 0) {
      throw py::error_already_set();
    }
    PyErr_Clear();
    throw py::type_error("expected hashes in an array that has the buffer protocol, found another");
  }
  try {
    check(takes_words);
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

ReadyHashes::~ReadyHashes() {
  PyBuffer_Release(&view_);
}

void ReadyHashes::check(bool takes_words) {
  std::string_view format = view_.format == nullptr ? "B" : view_.format;
  if (!format.empty() && (format[0] == '<' || format[0] == '=' || format[0] == '@')) {
    format.remove_prefix(1);
  }
  if (view_.itemsize != 8 || (format != "L" && format != "Q" && format != "N")) {
    throw py::type_error(
        "expected hashes that are unsigned integers of 8 bytes, found elements of the format '" +
        std::string(format) + "'");
  }
  const bool are_pairs = view_.ndim == 2 && view_.shape[1] == 2;
  if (!are_pairs && !(takes_words && view_.ndim == 1)) {
    throw py::type_error(takes_words ? "expected hashes in the shape (n,) or (n, 2), found another"
                                     : "expected hashes in the shape (n, 2), found another");
  }
  // Arrays of ctypes have no strides: their elements are contiguous.
  strides_[0] = view_.strides == nullptr ? view_.itemsize * (are_pairs ? 2 : 1) : view_.strides[0];
  if (are_pairs) {
    strides_[1] = view_.strides == nullptr ? view_.itemsize : view_.strides[1];
  }
}

void ReadyHashes::read(std::size_t first, std::span<Hash128> hashes) const {
  const char* at = static_cast<const char*>(view_.buf) + static_cast<std::ptrdiff_t>(first) * strides_[0];
  for (Hash128& hash : hashes) {
    hash = {};
    std::memcpy(&hash.low, at, sizeof(hash.low));
    if (view_.ndim == 2) {
      std::memcpy(&hash.high, at + strides_[1], sizeof(hash.high));
    }
    at += strides_[0];
  }
}

py::object hashes_array(std::span<const Hash128> hashes) {
  py::object array = py::module_::import("numpy").attr("empty")(py::make_tuple(hashes.size(), 2), "uint64");
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    throw py::error_already_set();
  }
  const bool fits = static_cast<std::size_t>(view.len) == hashes.size_bytes();
  if (fits && !hashes.empty()) {
    std::memcpy(view.buf, hashes.data(), hashes.size_bytes());
  }
  PyBuffer_Release(&view);
  if (!fits) {
    throw py::type_error("expected NumPy to make an array of 16 bytes for each hash");
  }
  return array;
}

}  // namespace bloomery::python
