// The messages of Python about calls with wrong arguments.
//
// pybind11 lists the C++ signatures of the function and the repr of all arguments, which may be keys.
// After shorten_argument_errors() the message has one line, for example "expected update(keys), found
// other arguments". Also, inspect.signature() then works on the functions, for which pybind11
// provides no signature.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

// Call it once, after all functions and classes of the module are defined.
void shorten_argument_errors(pybind11::module_& module);

}  // namespace bloomery::python
