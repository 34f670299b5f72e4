// The class Filter of the module, and the functions that make filters.
//
// `key in f`, `f.add(key)` and `f.test_and_add(key)` are slots and methods of C. pybind11 would take half of a
// call's time.
#include "python/filter_class.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <pybind11/chrono.h>
#include <pybind11/stl.h>
#include <string>
#include <type_traits>
#include <vector>

#include "bloomery/base/cut_files.h"
#include "bloomery/filter/plan_for_bytes.h"
#include "bloomery/filter/ribbon_builder.h"
#include "python/file_path.h"
#include "python/key_bytes.h"
#include "python/python_error.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using FilterPointer = std::shared_ptr<SharedFilter>;

FilterPointer shared(Result<AnyFilter> filter, std::string watched_path = {}) {
  return std::make_shared<SharedFilter>(checked(std::move(filter)), std::move(watched_path));
}

// Whether survive_cut_files() was called, which never ends. Guarded by the GIL.
bool& survives_cut_files() {
  static bool survives = false;
  return survives;
}

std::optional<HashSecret> secret_of(const py::object& given) {
  if (given.is_none()) {
    return std::nullopt;
  }
  if (!PyBytes_Check(given.ptr())) {
    throw py::type_error("expected a secret of 16 bytes, found " +
                         std::string(Py_TYPE(given.ptr())->tp_name));
  }
  const std::string_view bytes = bytes_of(given.ptr());
  HashSecret secret;
  if (bytes.size() != secret.bytes.size()) {
    throw py::value_error("expected a secret of 16 bytes, found " + std::to_string(bytes.size()));
  }
  std::copy(bytes.begin(), bytes.end(), secret.bytes.begin());
  return secret;
}

// Returns an argument as a T. Throws TypeError, or ValueError for a number that is out of range.
template <typename T>
T argument(const py::dict& given, const char* name) {
  const py::object value = given[name];
  try {
    return py::cast<T>(value);
  } catch (const py::cast_error&) {
    const std::string message = "expected another value for " + std::string(name) + ", found " +
                                py::cast<std::string>(py::repr(value));
    if (is_integer(value.ptr())) {
      throw py::value_error(message);
    }
    throw py::type_error(message);
  }
}

// The keyword arguments that filters and ribbons share.
FilterOptions options_of(const py::dict& given) {
  FilterOptions options;
  const auto form = key_form_from_name(argument<std::string>(given, "key_form"));
  if (!form) {
    throw py::value_error("expected a key_form such as 'text', 'hex' or 'int64', found another");
  }
  options.keys = {.form = *form,
                  .trim = argument<bool>(given, "trim"),
                  .ignore_case = argument<bool>(given, "ignore_case"),
                  .parts = argument<std::uint16_t>(given, "parts"),
                  .url = {.sort_query = argument<bool>(given, "sort_query"),
                          .drop_tracking = argument<bool>(given, "drop_tracking")}};
  if (options.keys.parts == 0 || (is_block_list(*form) && options.keys.parts != 1)) {
    throw py::value_error("expected at least one part, and one part for block lists");
  }
  const auto hash = argument<std::string>(given, "hash");
  if (hash != "mix8-xxh3" && hash != "xxh3") {
    throw py::value_error("expected the hash 'mix8-xxh3' or 'xxh3', found '" + hash + "'");
  }
  options.hash.id = hash == "xxh3" ? HashId::kXxh3 : HashId::kMix8Xxh3;
  options.hash.seed = argument<std::uint64_t>(given, "seed");
  if (const auto secret = secret_of(given["secret"])) {
    options.hash = keyed_hash(*secret);
  }
  return options;
}

Window window_of(const py::object& length, std::uint32_t generations) {
  try {
    if (is_integer(length.ptr())) {
      return Window::keys(py::cast<std::uint64_t>(length), generations);
    }
    return Window::time(py::cast<std::chrono::microseconds>(length), generations);  // a timedelta
  } catch (const py::cast_error&) {
    throw py::type_error("expected a window that is a number of keys or a timedelta, found " +
                         std::string(Py_TYPE(length.ptr())->tp_name));
  }
}

FilterPlan plan_of(const py::dict& given) {
  FilterPlan plan;
  auto type = argument<std::string>(given, "type");
  plan.options = options_of(given);
  if (type == "blocked:dense") {
    plan.options.setting = BlockedSetting::kDense;
  }
  if (type == "blocked:dense" || type == "blocked:fast") {
    type = "blocked";
  }
  bool is_known = false;
  for (std::uint16_t number = 1; number <= static_cast<std::uint16_t>(FilterType::kWindowed); ++number) {
    if (type == filter_type_name(*filter_type_of(number))) {
      plan.type = *filter_type_of(number);
      is_known = true;
    }
  }
  if (!is_known) {
    throw py::value_error("expected a type such as 'blocked', 'bloom' or 'quotient', found '" + type + "'");
  }
  plan.capacity = argument<std::uint64_t>(given, "capacity");
  plan.exact_below = argument<std::uint64_t>(given, "exact_below");
  plan.options.growth_doublings = argument<std::uint32_t>(given, "growth_doublings");
  plan.fpp = argument<std::optional<double>>(given, "fpp");
  plan.bits_per_key = argument<std::optional<double>>(given, "bits_per_key");
  if (!given["window"].is_none()) {
    plan.options.window = window_of(given["window"], argument<std::uint32_t>(given, "generations"));
  }
  return given["bytes"].is_none() ? plan
                                  : checked(plan_for_bytes(plan, argument<std::uint64_t>(given, "bytes")));
}

FilterPointer make(const py::dict& given) {
  const FilterPlan plan = plan_of(given);
  py::gil_scoped_release released;
  Result<AnyFilter> filter = make_filter(plan);
  py::gil_scoped_acquire acquired;
  return shared(std::move(filter));
}

OpenOptions open_options(const std::string& access, bool verify, const HashSecret* secret) {
  OpenOptions options;
  options.recorded_keys = RecordedKeys::kKnown;  // a str is made a key by the filter's rule
  if (access != "map" && access != "copy") {
    throw py::value_error("expected the access 'map' or 'copy', found '" + access + "'");
  }
  options.access = access == "map" ? Access::kMap : Access::kCopy;
  options.verify = verify ? Verify::kChecksums : Verify::kHeaderOnly;
  options.secret = secret;
  return options;
}

FilterPointer open(const py::object& place, const std::string& access, bool verify,
                   const py::object& secret_bytes) {
  const std::string path = path_of(place);
  const auto secret = secret_of(secret_bytes);
  const OpenOptions options = open_options(access, verify, secret ? &*secret : nullptr);
  std::optional<Result<AnyFilter>> filter;
  {
    const py::gil_scoped_release released;
    filter.emplace(AnyFilter::open(path, options));
  }
  return shared(std::move(*filter),
                survives_cut_files() && options.access == Access::kMap ? path : std::string());
}

FilterPointer from_bytes(const py::buffer& buffer, const py::object& secret_bytes) {
  const auto secret = secret_of(secret_bytes);
  const py::buffer_info info = buffer.request();
  if (info.ndim != 1 || info.strides[0] != info.itemsize) {
    throw py::value_error("expected bytes in one piece, found a buffer of several");
  }
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(info.ptr),
                                         static_cast<std::size_t>(info.size * info.itemsize));
  return shared(AnyFilter::view(bytes, open_options("copy", true, secret ? &*secret : nullptr)));
}

py::bytes to_bytes(SharedFilter& self) {
  std::string file;
  const AnyFilter& filter = self.filter();
  self.alone([&] {
    filter.serialize(file);
    return 0;
  });
  return py::bytes(file);
}

// ---- Ribbons ----

// Feeds the builder with pieces of keys: those of a plan filter, which makes the hashes.
class RibbonBuild {
 public:
  RibbonBuild(double fpp, const RibbonBuildOptions& options, py::object progress)
      : options_(options),
        builder_(checked(RibbonBuilder::create(fpp, options))),
        progress_(std::move(progress)) {}

  void add(const py::object& keys) {
    // A small filter of the same rule makes the hashes.
    FilterPlan plan{.type = FilterType::kBlocked, .capacity = 1, .fpp = 0.5};
    plan.options.hash = options_.filter.hash;
    plan.options.keys = options_.filter.keys;
    SharedFilter hasher(checked(make_filter(plan)));
    hasher.hash_all(keys, [this](std::span<const Hash128> hashes) { return builder_.add(hashes); });
  }

  RibbonFilter finish() {
    std::optional<Result<RibbonFilter>> built;
    {
      const py::gil_scoped_release released;
      built.emplace(builder_.finish(tell(), &stop_));
    }
    rethrow();
    return checked(std::move(*built));
  }
  void save(const std::string& path, bool replace) {
    std::optional<Result<RibbonBuilder::Written>> written;
    {
      const py::gil_scoped_release released;
      written.emplace(builder_.finish(path, {.replace = replace, .cancelled = &stop_}, tell()));
    }
    rethrow();
    checked(std::move(*written));
  }

 private:
  // An exception of the callback stops the build, and is thrown behind it.
  RibbonBuilder::Progress tell() {
    return [this](std::uint32_t done, std::uint32_t total) {
      const py::gil_scoped_acquire acquired;
      if (thrown_ || (progress_.is_none() && PyErr_CheckSignals() == 0)) {
        return;
      }
      try {
        if (PyErr_Occurred() != nullptr) {
          throw py::error_already_set();
        }
        progress_(done, total);
      } catch (py::error_already_set& error) {
        thrown_.emplace(error);
        stop_ = true;
      }
    };
  }
  void rethrow() {
    if (thrown_) {
      throw py::error_already_set(*thrown_);
    }
  }

  RibbonBuildOptions options_;
  RibbonBuilder builder_;
  py::object progress_;
  std::optional<py::error_already_set> thrown_;
  std::atomic<bool> stop_ = false;
};

py::object build_ribbon(const py::object& keys, double fpp, const py::dict& given, std::uint64_t capacity,
                        std::uint64_t memory, const py::object& spool, unsigned threads,
                        const py::object& path, bool replace, const py::object& progress) {
  RibbonBuildOptions options;
  options.filter = options_of(given);
  options.filter.threads = threads;
  options.capacity = capacity;
  options.memory_bytes = memory;
  options.spool_directory = path_of(spool);
  RibbonBuild build(fpp, options, progress);
  build.add(keys);
  if (path.is_none()) {
    return py::cast(shared(AnyFilter(build.finish())));
  }
  build.save(path_of(path), replace);
  return py::cast(open(path, "map", true, given["secret"]));
}

// ---- The calls that go without pybind11 ----

SharedFilter* self_of(PyObject* self) {
  return py::cast<SharedFilter*>(py::handle(self));
}
// The pointer as pybind11 keeps it in an object of a class without other bases.
SharedFilter* fast_self_of(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  return instance->simple_layout ? static_cast<SharedFilter*>(instance->simple_value_holder[0])
                                 : self_of(self);
}

// Runs `call`, and turns what it throws into an exception of Python.
template <typename Call>
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
    {"add", add, METH_O, "add(key)\n\nInserts a key. Raises FullError if the filter refuses it."},
    {"test_and_add", test_and_add, METH_O,
     "test_and_add(key) -> bool\n\nInserts a key, and returns True if it was certainly new."},
};

void add_fast_calls(const py::handle& type) {
  auto* heap_type = reinterpret_cast<PyHeapTypeObject*>(type.ptr());
  heap_type->as_sequence.sq_contains = contains;
  for (PyMethodDef& method : methods) {
    const auto descriptor = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
    py::setattr(type, method.ml_name, descriptor);
  }
  // A class of Python that derives from Filter finds it by name.
  py::setattr(type, "__contains__",
              py::cpp_function([](SharedFilter& self, const py::object& key) { return self.ask(key.ptr()); },
                               py::name("__contains__"), py::is_method(type)));
  heap_type->as_sequence.sq_contains = contains;
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

FilterPointer copy_of(SharedFilter& self) {
  std::string file;
  const AnyFilter& filter = self.filter();
  self.alone([&] {
    filter.serialize(file);
    return 0;
  });
  const HashSecret secret = filter.hash_spec().secret;
  return shared(AnyFilter::view(std::as_bytes(std::span(file)), open_options("copy", true, &secret)));
}

template <typename Value>
auto getter(Value (AnyFilter::*get)() const) {
  return [get](SharedFilter& self) {
    return self.reading(
        [get](const AnyFilter& filter) -> std::remove_cvref_t<Value> { return (filter.*get)(); });
  };
}

}  // namespace

void add_filter_class(py::module_& module) {
  py::class_<SharedFilter, FilterPointer> type(
      module, "Filter", "A membership filter: `key in f` is False for certain, or maybe True.");
  type.def(py::init(&make))
      .def("update", &SharedFilter::insert_all, py::arg("keys"),
           "Inserts all keys of an array or an iterable.")
      .def("contains", &SharedFilter::ask_all, py::arg("keys"),
           "Returns an array of bools, one for each key.")
      .def("test_and_update", &SharedFilter::test_and_insert_all, py::arg("keys"),
           "Inserts all keys, and returns an array of bools: which were new.")
      .def(
          "remove", [](SharedFilter& self, const py::object& key) { return self.remove(key.ptr()); },
          py::arg("key"),
          "Removes one insertion of a key that was inserted. Returns False if it is certainly absent.")
      .def("remove_all", &SharedFilter::remove_all, py::arg("keys"))
      .def(
          "count_at_most",
          [](SharedFilter& self, const py::object& key) { return self.count_at_most(key.ptr()); },
          py::arg("key"), "Returns an upper bound of how often the key is in, or None for any.")
      .def("add_exceptions", &SharedFilter::add_exceptions, py::arg("keys"),
           "Makes the filter answer no to keys that are not in. Returns how many it matched.")
      .def("clear",
           [](SharedFilter& self) {
             self.check_writable();
             AnyFilter& filter = self.filter();
             check(self.alone([&] { return filter.clear(); }));
             self.read_levels();
           })
      .def("merge", &SharedFilter::merge, py::arg("other"),
           "Adds the keys of another filter of the same plan.")
      .def(
          "__ior__",
          [](const FilterPointer& self, SharedFilter& other) {
            self->merge(other);
            return self;
          },
          py::is_operator())
      .def(
          "__or__",
          [](SharedFilter& self, SharedFilter& other) {
            FilterPointer both = copy_of(self);
            both->merge(other);
            return both;
          },
          py::is_operator())
      .def("copy", &copy_of)
      .def("__copy__", &copy_of)
      .def("close", &SharedFilter::close)
      .def(
          "save",
          [](SharedFilter& self, const py::object& place, bool replace) {
            const std::string path = path_of(place);
            const AnyFilter& filter = self.filter();
            check(self.alone([&] { return filter.save(path, {.replace = replace}); }));
          },
          py::arg("path"), py::arg("replace") = false)
      .def("to_bytes", &to_bytes)
      .def("__getstate_bytes__",
           [](SharedFilter& self) {
             if (self.filter().hash_spec().id == HashId::kSipHash) {
               throw py::type_error(
                   "expected a filter without a secret: pickle would not carry it; use to_bytes()");
             }
             return to_bytes(self);
           })
      .def("verify",
           [](SharedFilter& self) {
             const AnyFilter& filter = self.filter();
             check(self.beside_readers([&] { return filter.verify(); }));
             self.check_file();
           })
      .def("fill_ratio", getter(&AnyFilter::fill_ratio))
      .def("current_fpp", getter(&AnyFilter::current_fpp))
      .def("estimated_count", getter(&AnyFilter::estimated_count))
      .def("over_capacity", getter(&AnyFilter::over_capacity))
      .def_property_readonly("type", getter(&AnyFilter::type_name))
      .def_property_readonly("capacity", getter(&AnyFilter::capacity))
      .def_property_readonly("target_fpp", getter(&AnyFilter::target_fpp))
      .def_property_readonly("inserted", getter(&AnyFilter::inserted))
      .def_property_readonly("byte_size", getter(&AnyFilter::byte_size))
      .def_property_readonly("file_bytes", getter(&AnyFilter::file_bytes))
      .def_property_readonly("bits", getter(&AnyFilter::bits))
      .def_property_readonly("hash_count", getter(&AnyFilter::hash_count))
      .def_property_readonly("is_static", getter(&AnyFilter::is_static))
      .def_property_readonly("can_remove", getter(&AnyFilter::can_remove))
      .def_property_readonly("closed", &SharedFilter::is_closed)
      .def_property_readonly(
          "exception_count",
          [](SharedFilter& self) {
            return self.reading([](const AnyFilter& filter) { return filter.native().exception_count(); });
          })
      .def_property_readonly("key_rule",
                             [](SharedFilter& self) { return describe(self.filter().key_treatment()); })
      .def_property(
          "metadata",
          [](SharedFilter& self) {
            return py::bytes(self.reading([](const AnyFilter& filter) { return filter.metadata(); }));
          },
          [](SharedFilter& self, const std::string& text) {
            self.check_writable();
            AnyFilter& filter = self.filter();
            check(self.alone([&] { return filter.set_metadata(text); }));
          });
  add_fast_calls(type);
  module.def("open_filter", &open, py::arg("path"), py::arg("access"), py::arg("verify"), py::arg("secret"));
  module.def("from_bytes", &from_bytes, py::arg("data"), py::arg("secret") = py::none());
  module.def("build_ribbon", &build_ribbon);
  module.def(
      "survive_cut_files",
      [] {
        survive_cut_files();
        survives_cut_files() = true;
      },
      "From now on a mapped file that another program cuts is a CorruptionError instead of the signal "
      "SIGBUS.");
  module.def("generate_secret", [] {
    const HashSecret secret = checked(HashSecret::generate());
    return py::bytes(reinterpret_cast<const char*>(secret.bytes.data()), secret.bytes.size());
  });
}

}  // namespace bloomery::python
