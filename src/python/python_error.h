// Errors of the library as exceptions of the module: bloomery._errors makes them, with file and offset.
#pragma once

#include <pybind11/pybind11.h>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery::python {

// Throws the exception of the error. Precondition: the GIL is held.
[[noreturn]] void raise(const Error& error);
// Throws FullError: the filter refused so many keys.
[[noreturn]] void raise_full(std::uint64_t refused);

inline void check(const Status& status) {
  if (!status) {
    raise(status.error());
  }
}
template <typename T>
T checked(Result<T> result) {
  if (!result) {
    raise(result.error());
  }
  return std::move(result).value();
}

}  // namespace bloomery::python
