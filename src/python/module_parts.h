// The parts of the Python module, each in a source of its name.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

void add_filter_class(pybind11::module_& module);
void add_dialect_class(pybind11::module_& module);
void add_leased_class(pybind11::module_& module);
void add_guard_class(pybind11::module_& module);
void add_table_classes(pybind11::module_& module);
void add_store_classes(pybind11::module_& module);  // after the classes of tables

// Adds `key in f`, `f.add(key)` and `f.test_and_add(key)` to the class of SharedFilter, as C slots and
// methods. pybind11 would cost half of a call's time.
void add_fast_calls(const pybind11::handle& type);

// Shortens the messages about calls with wrong arguments. pybind11 lists the C++ signatures of the function
// and the repr of all arguments, which may be keys. Afterwards the message has one line, for example
// "expected update(keys), found other arguments". Also, inspect.signature() then works on the functions, for
// which pybind11 provides no signature. Call it once, after all functions and classes of the module are
// defined.
void shorten_argument_errors(pybind11::module_& module);

}  // namespace bloomery::python
