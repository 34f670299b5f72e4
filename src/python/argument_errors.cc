#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "python/module_parts.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// pybind11's dispatcher of all its functions. Set once, when the module is imported.
PyCFunctionWithKeywords& dispatcher() {
  static PyCFunctionWithKeywords function = nullptr;
  return function;
}

// Returns the text between two others, or an empty one.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(after));
}

// Returns the parameters of a signature without their types, and without self: "self: Filter, keys: object"
// -> "keys".
std::string names_of(std::string_view parameters) {
  std::string names;
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(", "), parameters.size());
    const std::string_view one = parameters.substr(0, end);
    parameters.remove_prefix(std::min(end + 2, parameters.size()));
    const std::string_view name = one.substr(0, one.find(':'));
    if (name != "self" && !name.starts_with("arg")) {  // arg0, arg1: unnamed
      names += names.empty() ? "" : ", ";
      names += name;
      if (const std::size_t value = one.find(" = "); value != std::string_view::npos) {
        names += '=';
        names += one.substr(value + 3);
      }
    }
  }
  return names;
}

// Shortens the message of the pending TypeError if it is one of pybind11's.
void shorten_message() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const auto text = py::reinterpret_steal<py::object>(PyObject_Str(value));
  const std::string message = text ? std::string(py::str(text)) : std::string();
  const std::size_t name_end = message.find("(): incompatible ");
  if (name_end == std::string::npos || message.find("argument types are supported") == std::string::npos) {
    PyErr_Restore(type, value, traceback);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  // Matches "1. (self: Filter, keys: object) -> None", and for constructors
  // "1. bloomery.HFile(path: object)".
  std::string_view signature = between(message, "1. ", "\n");
  signature = signature.substr(0, signature.rfind(')'));
  const std::size_t open = std::min(signature.find('('), signature.size());
  const std::string name = open == 0 ? message.substr(0, name_end) : std::string(signature.substr(0, open));
  const std::string parameters = names_of(signature.substr(std::min(open + 1, signature.size())));
  PyErr_SetString(PyExc_TypeError,
                  ("expected the arguments of " + name + "(" + parameters + "), found others").c_str());
}

PyObject* call_and_shorten(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* const result = dispatcher()(self, args, kwargs);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    shorten_message();
  }
  return result;
}

// pybind11 begins a function's docstring with a signature in C++ types. inspect.signature() can read the form
// "name(self, keys)\n--\n\n". Functions with unnamed parameters or several signatures keep theirs.
void make_signature_readable(PyMethodDef& method) {
  const std::string_view text = method.ml_doc == nullptr ? "" : method.ml_doc;
  const std::string name = std::string(method.ml_name) + "(";
  const std::string_view parameters = between(text.substr(0, text.find('\n')), name, ") -> ");
  const bool has_self = parameters.starts_with("self: ");
  const bool is_readable = text.starts_with(name) && !parameters.starts_with('*') &&
                           parameters.find('[') == std::string_view::npos &&
                           parameters.find("arg0") == std::string_view::npos;
  if (!is_readable) {
    return;
  }
  const std::string names = names_of(parameters);
  std::string readable =
      name + (has_self ? "self" : "") + (has_self && !names.empty() ? ", " : "") + names + ")\n--\n\n";
  if (const std::size_t rest = text.find("\n\n"); rest != std::string_view::npos) {
    readable += text.substr(rest + 2);
  }
  if (char* const copy = ::strdup(readable.c_str()); copy != nullptr) {
    std::free(const_cast<char*>(method.ml_doc));  // pybind11 allocates it with strdup() too
    method.ml_doc = copy;
  }
}

// Inserts call_and_shorten() between Python and a function of pybind11. Other objects stay unchanged.
void shorten_errors_of(py::handle object) {
  if (PyInstanceMethod_Check(object.ptr()) != 0) {
    object = PyInstanceMethod_GET_FUNCTION(object.ptr());
  }
  if (PyObject_TypeCheck(object.ptr(), &PyProperty_Type) != 0) {
    for (const char* const accessor : {"fget", "fset"}) {
      shorten_errors_of(py::object(object.attr(accessor)));
    }
    return;
  }
  if (PyCFunction_Check(object.ptr()) == 0) {
    return;
  }
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(object.ptr())->m_ml;
  if (method->ml_flags != (METH_VARARGS | METH_KEYWORDS)) {
    return;
  }
  const auto found = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(method->ml_meth));
  if (found == call_and_shorten) {
    return;
  }
  if (dispatcher() == nullptr) {
    dispatcher() = found;
  }
  if (found == dispatcher()) {
    make_signature_readable(*method);
    method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_and_shorten));
  }
}

}  // namespace

void shorten_argument_errors(py::module_& module) {
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    shorten_errors_of(value);
    if (PyType_Check(value.ptr()) != 0) {
      for (const auto& [member, of_class] : py::dict(value.attr("__dict__"))) {
        shorten_errors_of(of_class);
      }
    }
  }
}

}  // namespace bloomery::python
