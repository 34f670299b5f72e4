// What Python says of a call with other arguments than the function has.
//
// pybind11 lists the C++ signatures of the function and the repr of all arguments, which may be keys. After
// shorten_argument_errors() the message has one line, for example "expected update(keys), found other arguments". And
// inspect.signature() knows the functions, which pybind11 does not tell it.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

// Call it once, when all functions and classes of the module are there.
void shorten_argument_errors(pybind11::module_& module);

}  // namespace bloomery::python
