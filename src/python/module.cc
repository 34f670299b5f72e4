// The extension module bloomery._bloomery. The package bloomery (python/bloomery) is what users import.
#include <pybind11/pybind11.h>

#include "python/filter_class.h"

PYBIND11_MODULE(_bloomery, module) {
  // pybind11 keeps its types for the whole process, so a second interpreter would see those of the first.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw pybind11::import_error("expected the main interpreter: bloomery cannot be imported into another one");
  }
  module.attr("__version__") = BLOOMERY_VERSION;
  bloomery::python::add_filter_class(module);
  bloomery::python::add_dialect_class(module);
  bloomery::python::add_table_classes(module);
}
