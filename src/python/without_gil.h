// Runs a call of the library that reads or writes files, while other threads of Python go on.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

// Precondition: the GIL is held, and `call` uses no Python object.
template <typename Call>
auto without_gil(const Call& call) {
  const pybind11::gil_scoped_release released;
  return call();
}

}  // namespace bloomery::python
