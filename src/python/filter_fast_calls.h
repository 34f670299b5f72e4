// `key in f`, `f.add(key)` and `f.test_and_add(key)` as C slots and methods. pybind11 would cost half of a
// call's time.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

// Adds the calls to the class of SharedFilter.
void add_fast_calls(const pybind11::handle& type);

}  // namespace bloomery::python
