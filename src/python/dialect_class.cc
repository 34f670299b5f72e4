// The class Dialect of the module: filters in the bytes of other systems. All calls hold the GIL, since only const calls
// of a DialectFilter may run together.
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/dialects/dialects.h"
#include "python/bool_array.h"
#include "python/dialect_keys.h"
#include "python/file_path.h"
#include "python/filter_class.h"
#include "python/python_error.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using FormName = std::optional<std::string>;

// A filter of another system, and how its keys are made.
struct Dialect {
  Dialect(std::unique_ptr<DialectFilter> opened, const FormName& form)
      : filter(std::move(opened)), keys(filter->dialect(), form, filter->key_type()) {}

  std::unique_ptr<DialectFilter> filter;
  DialectKeys keys;
};

// Calls use(keys) for pieces of an iterable, which are copied. Its code may call the filter between pieces.
template <typename Use>
void for_pieces(const py::object& keys, DialectKeys& maker, const Use& use) {
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(keys.ptr()));
  if (!iterator) {
    throw py::error_already_set();
  }
  std::vector<std::string> piece;
  const auto flush = [&] {
    const std::vector<std::string_view> views(piece.begin(), piece.end());
    use(std::span<const std::string_view>(views));
    piece.clear();
  };
  while (const auto key = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
    piece.emplace_back(maker.bytes_of_key(key.ptr()));
    if (piece.size() == 4096) {
      flush();
    }
  }
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  flush();
}

std::unique_ptr<Dialect> open_other(const py::object& path, const std::string& name, const FormName& form) {
  return std::make_unique<Dialect>(checked(open_dialect(path_of(path), name)), form);
}

std::unique_ptr<Dialect> build_other(const std::string& name, const py::object& keys, std::uint64_t capacity,
                                     const std::optional<double>& fpp,
                                     const std::optional<double>& bits_per_key, const FormName& form) {
  const auto builder =
      checked(build_dialect(name, {.capacity = capacity, .fpp = fpp, .bits_per_key = bits_per_key}));
  DialectKeys maker(name, form, nullptr);
  for_pieces(keys, maker, [&](std::span<const std::string_view> piece) { check(builder->add(piece)); });
  return std::make_unique<Dialect>(checked(builder->finish()), form);
}

bool ask_one(Dialect& self, const py::object& key) {
  const bool maybe = self.filter->may_contain(self.keys.bytes_of_key(key.ptr()));
  check(self.filter->file_status());
  return maybe;
}

py::object ask_many(Dialect& self, const py::object& keys) {
  BoolArray all;
  for_pieces(keys, self.keys, [&](std::span<const std::string_view> piece) {
    std::vector<std::uint64_t> answers(answer_words(piece.size()));
    self.filter->may_contain_batch(piece, answers);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      all.push_back(((answers[i / 64] >> (i % 64)) & 1) != 0);
    }
  });
  check(self.filter->file_status());
  return all.array();
}

void insert_many(Dialect& self, const py::object& keys) {
  for_pieces(keys, self.keys,
             [&](std::span<const std::string_view> piece) { checked(self.filter->insert_batch(piece)); });
}

void merge(Dialect& self, const Dialect& other) {
  if (&self != &other) {
    check(self.filter->merge(*other.filter));
  }
}

py::bytes to_bytes(const Dialect& self) {
  std::string file;
  check(self.filter->append_to(file));
  return py::bytes(file);
}

py::dict facts_of(const Dialect& self) {
  const DialectFacts found = self.filter->facts();
  py::dict facts;
  for (const auto& [name, value] : found.more) {
    facts[py::str(name)] = value;
  }
  facts["dialect"] = self.filter->dialect();
  facts["bits"] = found.bits;
  facts["set_bits"] = found.set_bits;
  facts["hash_count"] = found.hash_count;
  facts["capacity"] = found.capacity;
  facts["inserted"] = found.inserted;
  facts["current_fpp"] = self.filter->current_fpp();
  return facts;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const DialectDescription& description : dialects()) {
    all.emplace_back(description.name);
  }
  return all;
}

}  // namespace

void add_dialect_class(py::module_& module) {
  py::class_<Dialect>(module, "Dialect", "A filter in the bytes of another system.")
      .def("__contains__", &ask_one, py::arg("key"))
      .def("contains", &ask_many, py::arg("keys"), "Returns an array of bools, one for each key.")
      .def(
          "add",
          [](Dialect& self, const py::object& key) {
            return checked(self.filter->insert(self.keys.bytes_of_key(key.ptr())));
          },
          py::arg("key"), "Inserts a key. Returns whether the filter changed.")
      .def("update", &insert_many, py::arg("keys"), "Inserts all keys of an iterable.")
      .def("merge", &merge, py::arg("other"), "Adds the keys of another filter, by the rule of that system.")
      .def(
          "save",
          [](const Dialect& self, const py::object& path, bool replace) {
            check(self.filter->save(path_of(path), {.replace = replace}));
          },
          py::arg("path"), py::arg("replace") = false)
      .def("to_bytes", &to_bytes, "Returns the file that the other system would write.")
      .def("facts", &facts_of)
      .def_property_readonly("dialect", [](const Dialect& self) { return self.filter->dialect(); })
      .def_property_readonly("is_static", [](const Dialect& self) { return self.filter->is_static(); });
  module.def("open_dialect", &open_other, py::arg("path"), py::arg("name"), py::arg("key_form") = py::none());
  module.def("build_dialect", &build_other, py::arg("name"), py::arg("keys"), py::arg("capacity") = 0,
             py::arg("fpp") = py::none(), py::arg("bits_per_key") = py::none(),
             py::arg("key_form") = py::none());
  module.def("dialects", &names, "Returns the names of all dialects.");
}

}  // namespace bloomery::python
