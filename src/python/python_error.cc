#include "python/python_error.h"

#include <cerrno>
#include <string>

namespace py = pybind11;

namespace bloomery::python {
namespace {

[[noreturn]] void throw_made(const char* code, const std::string& message, const std::string& subject,
                             const py::object& offset, int errno_value, const py::object& place) {
  const py::object exception = py::module_::import("bloomery._errors")
                                   .attr("make")(code, message, subject, offset, errno_value, place);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

}  // namespace

void raise(const Error& error, const py::object& place) {
  throw_made(error_code_name(error.code()), error.to_string(), error.subject(),
             error.offset() ? py::object(py::int_(*error.offset())) : py::object(py::none()),
             error.errno_value(), place);
}

void raise_full(std::uint64_t refused) {
  throw_made("full", "expected room for every key, found none for " + std::to_string(refused) + " (full)",
             "filter", py::none(), 0, py::none());
}

void raise_changed(const std::string& file, const py::object& place) {
  throw_made(error_code_name(ErrorCode::kIo),
             file +
                 ": changed since this filter read it: open it again, or save it with replace=\"newer\" (" +
                 error_code_name(ErrorCode::kIo) + ")",
             file, py::none(), ESTALE, place);
}

std::vector<std::string> error_codes() {
  std::vector<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCapacity); ++code) {
    names.emplace_back(error_code_name(static_cast<ErrorCode>(code)));
  }
  return names;
}

}  // namespace bloomery::python
