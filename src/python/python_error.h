// Converts errors of the library to exceptions of the module: bloomery._errors creates them, with
// file and offset.
//
// `place` is the file as the caller named it, or None. It becomes the filename of an OSError.
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::python {

// Throws the exception of the error. Precondition: the GIL is held.
[[noreturn]] void raise(const Error& error, const pybind11::object& place = pybind11::none());
// Throws FullError: the filter refused this many keys.
[[noreturn]] void raise_full(std::uint64_t refused);
// Throws IoError: a save to `place` would undo changes by others in `file`.
[[noreturn]] void raise_changed(const std::string& file, const pybind11::object& place);

// Throws the exception of a signal handler, such as KeyboardInterrupt. A call for many keys checks every
// few thousand keys of an iterable, or every million keys of a column. Precondition: the GIL is held.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
}

// Returns the names of all error codes of the library.
std::vector<std::string> error_codes();

inline void check(const Status& status, const pybind11::object& place = pybind11::none()) {
  if (!status) {
    raise(status.error(), place);
  }
}
template <typename T>
T checked(Result<T> result, const pybind11::object& place = pybind11::none()) {
  if (!result) {
    raise(result.error(), place);
  }
  return std::move(result).value();
}

}  // namespace bloomery::python
