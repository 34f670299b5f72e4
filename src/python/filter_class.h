// The class Filter of the Python module.
#pragma once

#include <pybind11/pybind11.h>

namespace bloomery::python {

void add_filter_class(pybind11::module_& module);
void add_dialect_class(pybind11::module_& module);
void add_table_classes(pybind11::module_& module);

}  // namespace bloomery::python
