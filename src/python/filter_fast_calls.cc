#include <exception>
#include <new>

#include "python/module_parts.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

SharedFilter* self_of(PyObject* self) {
  return py::cast<SharedFilter*>(py::handle(self));
}
// Returns the pointer that pybind11 stores in an object of a class without other bases.
SharedFilter* fast_self_of(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  return instance->simple_layout ? static_cast<SharedFilter*>(instance->simple_value_holder[0])
                                 : self_of(self);
}

// Runs `call`, and converts its exceptions to exceptions of Python. A handler throws only if restore() is
// called twice.
template <typename Call>
// NOLINTNEXTLINE(bugprone-exception-escape)
int protected_call(PyObject* self, const Call& call) noexcept {
  try {
    SharedFilter* filter = fast_self_of(self);
    if (filter == nullptr) {
      PyErr_SetString(PyExc_TypeError, "expected a filter whose __init__ was called");
      return -1;
    }
    return call(*filter) ? 1 : 0;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return -1;
}

int contains(PyObject* self, PyObject* key) {
  return protected_call(self, [key](SharedFilter& filter) { return filter.ask(key); });
}
PyObject* add(PyObject* self, PyObject* key) {
  const int result = protected_call(self, [key](SharedFilter& filter) {
    filter.insert(key);
    return true;
  });
  if (result < 0) {
    return nullptr;
  }
  Py_RETURN_NONE;
}
PyObject* test_and_add(PyObject* self, PyObject* key) {
  const int result =
      protected_call(self, [key](SharedFilter& filter) { return filter.test_and_insert(key); });
  return result < 0 ? nullptr : PyBool_FromLong(result);
}

PyMethodDef methods[] = {
    {"add", add, METH_O,
     "add($self, key, /)\n--\n\nInserts a key. Raises FullError if the filter refuses it."},
    {"test_and_add", test_and_add, METH_O,
     "test_and_add($self, key, /)\n--\n\nInserts a key, and returns True if it was certainly new."},
};

}  // namespace

void add_fast_calls(const py::handle& type) {
  auto* heap_type = reinterpret_cast<PyHeapTypeObject*>(type.ptr());
  heap_type->as_sequence.sq_contains = contains;
  for (PyMethodDef& method : methods) {
    const auto descriptor = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
    py::setattr(type, method.ml_name, descriptor);
  }
  // A Python class that derives from Filter finds __contains__ by its name.
  py::setattr(type, "__contains__",
              py::cpp_function([](SharedFilter& self, const py::object& key) { return self.ask(key.ptr()); },
                               py::name("__contains__"), py::is_method(type)));
  heap_type->as_sequence.sq_contains = contains;
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

}  // namespace bloomery::python
