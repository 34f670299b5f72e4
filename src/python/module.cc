// The extension module bloomery._bloomery. The package bloomery (python/bloomery) is what users import.
#include <pybind11/pybind11.h>

#include "bloomery/filter/default_fpp.h"
#include "python/module_parts.h"

namespace py = pybind11;

namespace {

// The package calls this first. The module itself cannot refuse: another interpreter gets a copy of it,
// without running its initialisation again. pybind11 keeps its types per process, so two interpreters would
// share them.
PyObject* require_main_interpreter(PyObject*, PyObject*) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "expected the main interpreter: bloomery cannot be imported into another one");
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"require_main_interpreter", require_main_interpreter, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PYBIND11_MODULE(_bloomery, module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) {
    throw pybind11::error_already_set();
  }
  // Translates the exception for a value whose type differs from the type that a call needs.
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    } catch (const pybind11::cast_error&) {
      PyErr_SetString(PyExc_TypeError, "expected a value of another type, or in another range");
    }
  });
  module.attr("__version__") = BLOOMERY_VERSION;
  module.attr("DEFAULT_FPP") = bloomery::kDefaultFpp;
  module.attr("__module__") = "bloomery";  // used by the classes in messages; users import them from there
  bloomery::python::add_filter_class(module);
  bloomery::python::add_dialect_class(module);
  bloomery::python::add_leased_class(module);
  bloomery::python::add_guard_class(module);
  bloomery::python::add_table_classes(module);
  bloomery::python::add_store_classes(module);
  py::delattr(module, "__module__");
  bloomery::python::shorten_argument_errors(module);
}
