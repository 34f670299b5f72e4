// The class Dialect of the module: filters in the formats of other systems. All calls hold the GIL, since
// only const calls of a DialectFilter may run concurrently.
#include <cerrno>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/file_lock.h"
#include "bloomery/dialects/dialects.h"
#include "filter/native/known_files.h"
#include "python/bool_array.h"
#include "python/dialect_keys.h"
#include "python/file_path.h"
#include "python/filter_options.h"
#include "python/key_chunks.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using FormName = std::optional<std::string>;

// A filter of another system, the rule for its keys, and its files.
struct Dialect {
  Dialect(std::unique_ptr<DialectFilter> opened, FormName form_name)
      : filter(std::move(opened)), form(std::move(form_name)), keys(KeyRule(*filter), form) {}

  // Throws ValueError after close().
  DialectFilter& open() const {
    if (!filter) {
      throw py::value_error("expected an open filter, found it closed");
    }
    return *filter;
  }

  std::unique_ptr<DialectFilter> filter;
  FormName form;
  DialectKeys keys;
  KnownFiles known;
  int in_calls = 0;  // calls that run a key's own code, which must not close the filter
};

class InDialectCall {
 public:
  explicit InDialectCall(Dialect& dialect) : dialect_(dialect) {
    static_cast<void>(dialect.open());
    ++dialect_.in_calls;
  }
  InDialectCall(const InDialectCall&) = delete;
  InDialectCall& operator=(const InDialectCall&) = delete;
  ~InDialectCall() { --dialect_.in_calls; }

 private:
  Dialect& dialect_;
};

// Calls take(bytes) for each key of a column, or of an iterable.
template <typename Take>
void for_dialect_keys(const py::object& keys, DialectKeys& maker, const Take& take) {
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
  if (const std::optional<KeyChunks> columns = KeyChunks::of(keys)) {
    std::string room;
    for (const KeyColumn& column : columns->columns()) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        take(column.is_integer() ? maker.bytes_of_integer(column.integer(i))
             : column.is_text()  ? maker.bytes_of_text(column.bytes(i, room))
                                 : maker.bytes_of_bytes(column.bytes(i, room)));
      }
    }
    return;
  }
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(keys.ptr()));
  if (!iterator) {
    throw py::error_already_set();
  }
  while (const auto key = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
    take(maker.bytes_of_key(key.ptr()));
  }
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
}

// Calls use(keys) for groups of keys of a column or an iterable, which are copied. A key's own code may call
// the filter between groups.
template <typename Use>
void for_dialect_pieces(const py::object& keys, DialectKeys& maker, const Use& use) {
  std::vector<std::string> piece;
  const auto flush = [&] {
    const std::vector<std::string_view> views(piece.begin(), piece.end());
    use(std::span<const std::string_view>(views));
    piece.clear();
    check_signals();
  };
  for_dialect_keys(keys, maker, [&](std::string_view key) {
    piece.emplace_back(key);
    if (piece.size() == 4096) {
      flush();
    }
  });
  flush();
}

std::unique_ptr<Dialect> open_other(const py::object& place, const std::string& name, const FormName& form) {
  const std::string path = path_of(place);
  const std::optional<KnownFile> file = KnownFile::now(FileSystem::real(), path);
  auto opened = std::make_unique<Dialect>(checked(open_dialect(path, name), place), form);
  if (file) {
    opened->known.note(*file);
  }
  return opened;
}

std::unique_ptr<Dialect> build_other(const std::string& name, const py::object& keys, std::uint64_t capacity,
                                     const std::optional<double>& fpp,
                                     const std::optional<double>& bits_per_key, const FormName& form) {
  const auto builder =
      checked(build_dialect(name, {.capacity = capacity, .fpp = fpp, .bits_per_key = bits_per_key}));
  DialectKeys maker(KeyRule(name), form);
  for_dialect_pieces(keys, maker,
                     [&](std::span<const std::string_view> piece) { check(builder->add(piece)); });
  return std::make_unique<Dialect>(checked(builder->finish()), form);
}

// Opens the result of to_bytes().
std::unique_ptr<Dialect> dialect_from_bytes(const py::bytes& data, const std::string& name,
                                            const FormName& form) {
  const auto held = std::make_shared<const std::string>(data);
  std::unique_ptr<DialectFilter> filter = checked(view_dialect(std::as_bytes(std::span(*held)), name));
  filter->hold(held);
  return std::make_unique<Dialect>(std::move(filter), form);
}

void close_dialect(Dialect& self) {
  if (self.in_calls > 0) {
    throw py::value_error("expected a filter that no other call is using, found one in use");
  }
  self.filter.reset();
}

bool ask_one(Dialect& self, const py::object& key) {
  const InDialectCall in_call(self);
  const bool maybe = self.filter->may_contain(self.keys.bytes_of_key(key.ptr()));
  check(self.filter->file_status());
  return maybe;
}

bool insert_one(Dialect& self, const py::object& key) {
  const InDialectCall in_call(self);
  return checked(self.filter->insert(self.keys.bytes_of_key(key.ptr())));
}

py::object ask_many(Dialect& self, const py::object& keys) {
  const InDialectCall in_call(self);
  BoolArray all;
  for_dialect_pieces(keys, self.keys, [&](std::span<const std::string_view> piece) {
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
  const InDialectCall in_call(self);
  for_dialect_pieces(keys, self.keys, [&](std::span<const std::string_view> piece) {
    checked(self.filter->insert_batch(piece));
  });
}

void merge_dialect(Dialect& self, const Dialect& other) {
  DialectFilter& into = self.open();
  if (&self != &other) {
    check(into.merge(other.open()));
  }
}

void save_dialect(Dialect& self, const py::object& place, const py::object& replace_given) {
  const std::string path = path_of(place);
  const Replace replace = replace_of(replace_given);
  SaveTo to{.replace = replace != Replace::kNo};
  std::optional<FileLock> lock;
  if (to.replace) {
    lock.emplace(checked(FileLock::take(path), place));
    to.lock = lock->holds_file() ? &*lock : nullptr;
    if (to.lock != nullptr && replace == Replace::kUnlessChanged) {
      const Status checked_file = self.known.check(FileSystem::real(), path, *lock->file());
      if (!checked_file && checked_file.error().errno_value() == ESTALE) {
        raise_changed(path, place);
      }
      check(checked_file, place);
    }
  }
  check(self.open().save(path, to), place);
  if (const std::optional<KnownFile> file = KnownFile::now(FileSystem::real(), path)) {
    self.known.note(*file);
  }
}

py::bytes dialect_bytes(const Dialect& self) {
  std::string file;
  check(self.open().append_to(file));
  return py::bytes(file);
}

py::dict facts_of(const Dialect& self) {
  const DialectFilter& filter = self.open();
  const DialectFacts found = filter.facts();
  py::dict facts;
  for (const auto& [name, value] : found.more) {
    facts[py::str(name)] = value;
  }
  facts["dialect"] = filter.dialect();
  facts["bits"] = found.bits;
  facts["set_bits"] = found.set_bits;
  facts["hash_count"] = found.hash_count;
  facts["capacity"] = found.capacity;
  facts["inserted"] = found.inserted;
  facts["current_fpp"] = filter.current_fpp();
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
      .def("add", &insert_one, py::arg("key"), "Inserts a key. Returns whether the filter changed.")
      .def("update", &insert_many, py::arg("keys"), "Inserts all keys of a column or an iterable.")
      .def("merge", &merge_dialect, py::arg("other"),
           "Adds the keys of another filter, by the rule of that system.")
      .def("save", &save_dialect, py::arg("path"), py::arg("replace") = false)
      .def("to_bytes", &dialect_bytes, "Returns the file that the other system would write.")
      .def("facts", &facts_of)
      .def("close", &close_dialect)
      .def_property_readonly("closed", [](const Dialect& self) { return !self.filter; })
      .def_property_readonly("key_form", [](const Dialect& self) { return self.form; })
      .def_property_readonly("dialect", [](const Dialect& self) { return self.open().dialect(); })
      .def_property_readonly("is_static", [](const Dialect& self) { return self.open().is_static(); });
  module.def("open_dialect", &open_other, py::arg("path"), py::arg("name"), py::arg("key_form") = py::none());
  module.def("dialect_from_bytes", &dialect_from_bytes, py::arg("data"), py::arg("name"),
             py::arg("key_form") = py::none());
  module.def("build_dialect", &build_other, py::arg("name"), py::arg("keys"), py::arg("capacity") = 0,
             py::arg("fpp") = py::none(), py::arg("bits_per_key") = py::none(),
             py::arg("key_form") = py::none());
  module.def("dialects", &names, "Returns the names of all dialects.");
}

}  // namespace bloomery::python
