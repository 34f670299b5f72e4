// The class Filter of the module, and the functions that make filters.
#include <chrono>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "bloomery/base/cut_files.h"
#include "bloomery/base/file_lock.h"
#include "python/file_path.h"
#include "python/filter_options.h"
#include "python/key_bytes.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/ribbon_build.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using FilterPointer = std::shared_ptr<SharedFilter>;
using FilterClass = py::class_<SharedFilter, FilterPointer>;

FilterPointer shared(Result<AnyFilter> filter) {
  return std::make_shared<SharedFilter>(checked(std::move(filter)));
}

// Returns the flag that survive_cut_files() was called, whose effect never ends. Guarded by the GIL.
bool& survives_cut_files() {
  static bool survives = false;
  return survives;
}

FilterPointer make(const py::dict& given) {
  const FilterPlan plan = plan_of(given);
  std::optional<Result<AnyFilter>> filter;
  {
    const py::gil_scoped_release released;
    filter.emplace(make_filter(plan));
  }
  return shared(std::move(*filter));
}

// Returns true for a filter whose __init__ was called. pybind11 would silently ignore a second call.
bool is_made(const py::object& object) {
  return py::isinstance<SharedFilter>(object) &&
         reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().holder_constructed();
}

// Waits for the lock of a file, at most `timeout` seconds, or without a limit if it is None. A signal ends
// the wait.
FileLock take_lock(const std::string& path, const py::object& timeout, const py::object& place) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto most = timeout.is_none() ? std::optional<double>() : py::cast<double>(timeout);
  bool is_interrupted = false;
  std::optional<Result<FileLock>> lock;
  {
    const py::gil_scoped_release released;
    lock.emplace(FileLock::take(path, [&] {
      const py::gil_scoped_acquire acquired;
      is_interrupted = PyErr_CheckSignals() != 0;
      return !is_interrupted &&
             !(most && std::chrono::duration<double>(Clock::now() - start).count() >= *most);
    }));
  }
  if (is_interrupted) {
    throw py::error_already_set();
  }
  return checked(std::move(*lock), place);
}

// Opens a file for an update like the command does: in place, or in memory if the filter may grow.
FilterPointer open_for_update(const std::string& path, OpenOptions options, const py::object& timeout,
                              const py::object& place) {
  FileLock lock = take_lock(path, timeout, place);
  OpenOptions looking = options;
  looking.access = Access::kMap;
  looking.verify = Verify::kHeaderOnly;
  options.lock = lock.holds_file() ? &lock : nullptr;
  const bool in_place = checked(AnyFilter::open(path, looking), place).updates_in_place();
  options.access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked;
  std::optional<Result<AnyFilter>> filter;
  {
    const py::gil_scoped_release released;
    filter.emplace(AnyFilter::open(path, options));
  }
  auto opened = std::make_shared<SharedFilter>(checked(std::move(*filter), place),
                                               survives_cut_files() && in_place ? path : std::string());
  opened->begin_update({.lock = std::move(lock), .path = path, .in_place = in_place});
  return opened;
}

FilterPointer open(const py::object& place, const std::string& access, bool verify,
                   const py::object& secret_bytes, const py::object& timeout) {
  const std::string path = path_of(place);
  const auto secret = secret_of(secret_bytes);
  const OpenOptions options =
      open_options(access == "update" ? "copy" : access, verify, secret ? &*secret : nullptr);
  if (access == "update") {
    return open_for_update(path, options, timeout, place);
  }
  std::optional<Result<AnyFilter>> filter;
  {
    const py::gil_scoped_release released;
    filter.emplace(AnyFilter::open(path, options));
  }
  const bool is_watched = survives_cut_files() && options.access == Access::kMap;
  return std::make_shared<SharedFilter>(checked(std::move(*filter), place),
                                        is_watched ? path : std::string());
}

FilterPointer from_bytes(const py::object& data, const py::object& secret_bytes) {
  if (PyObject_CheckBuffer(data.ptr()) == 0) {
    throw py::type_error("expected the bytes of a filter, found " +
                         std::string(Py_TYPE(data.ptr())->tp_name));
  }
  const auto secret = secret_of(secret_bytes);
  const py::buffer_info info = py::reinterpret_borrow<py::buffer>(data).request();
  if (info.ndim != 1 || info.strides[0] != info.itemsize) {
    throw py::value_error("expected bytes in one piece, found a buffer of several");
  }
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(info.ptr),
                                         static_cast<std::size_t>(info.size * info.itemsize));
  return shared(AnyFilter::view(bytes, open_options("copy", true, secret ? &*secret : nullptr)));
}

std::string file_of(SharedFilter& self) {
  std::string file;
  const AnyFilter& filter = self.filter();
  self.alone([&] {
    filter.serialize(file);
    return 0;
  });
  return file;
}

py::bytes bytes_to_pickle(SharedFilter& self) {
  if (self.filter().hash_spec().id == HashId::kSipHash) {
    throw py::type_error("expected a filter without a secret: pickle would not carry it; use to_bytes()");
  }
  return py::bytes(file_of(self));
}

// `type` is "ribbon", "fuse" or "fuse:dense".
py::object build_static(const std::string& type, const py::object& keys, double fpp, const py::dict& given,
                        std::uint64_t capacity, std::uint64_t memory, const py::object& spool,
                        unsigned threads, const py::object& path, bool replace, const py::object& progress) {
  StaticBuildOptions options;
  options.filter = options_of(given);
  options.filter.setting = type == "fuse:dense" ? BlockedSetting::kDense : BlockedSetting::kFast;
  options.filter.threads = threads;
  options.capacity = capacity;
  options.memory_bytes = memory;
  options.spool_directory = path_of(spool);
  RibbonBuild build(type == "ribbon" ? FilterType::kRibbon : FilterType::kFuse, fpp, options, progress);
  build.add(keys);
  if (path.is_none()) {
    return py::cast(shared(build.finish()));
  }
  build.save(path, replace);
  return py::cast(open(path, "map", true, given["secret"], py::none()));
}

FilterPointer copy_of(SharedFilter& self) {
  const std::string file = file_of(self);
  const HashSecret secret = self.filter().hash_spec().secret;
  return shared(AnyFilter::view(std::as_bytes(std::span(file)), open_options("copy", true, &secret)));
}

template <typename Value>
auto getter(Value (AnyFilter::*get)() const) {
  return [get](SharedFilter& self) {
    return self.reading(
        [get](const AnyFilter& filter) -> std::remove_cvref_t<Value> { return (filter.*get)(); });
  };
}

void add_key_calls(FilterClass& type) {
  add_fast_calls(type);
  type.def("update", &SharedFilter::insert_all, py::arg("keys"),
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
           "Makes the filter answer no to keys that are not in. Returns how many it matched.");
}

void add_hash_calls(FilterClass& type) {
  type.def("hashes", &SharedFilter::hashes_of_all, py::arg("keys"),
           "Returns the hashes of keys: an array of two uint64 for each.")
      .def("add_hashes", &SharedFilter::insert_hashes, py::arg("hashes"), "Inserts keys by their hashes.")
      .def("contains_hashes", &SharedFilter::ask_hashes, py::arg("hashes"),
           "Returns an array of bools, one for each hash.")
      .def("test_and_add_hashes", &SharedFilter::test_and_insert_hashes, py::arg("hashes"),
           "Inserts keys by their hashes, and returns an array of bools: which were new.")
      .def("remove_hashes", &SharedFilter::remove_hashes, py::arg("hashes"));
}

void add_whole_calls(FilterClass& type) {
  type.def("clear",
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
      .def("_native_copy", &copy_of);
}

std::string_view text_or_bytes(const py::object& given) {
  if (PyUnicode_Check(given.ptr())) {
    return text_of(given.ptr());
  }
  if (PyBytes_Check(given.ptr())) {
    return bytes_of(given.ptr());
  }
  throw py::type_error("expected a str or bytes, found " + std::string(Py_TYPE(given.ptr())->tp_name));
}

void add_file_calls(FilterClass& type) {
  type.def("close", &SharedFilter::close)
      .def(
          "save",
          [](SharedFilter& self, const py::object& place, const py::object& replace) {
            self.save(path_of(place), replace_of(replace), place);
          },
          py::arg("path"), py::arg("replace") = false)
      .def("to_bytes", [](SharedFilter& self) { return py::bytes(file_of(self)); })
      .def("__getstate_bytes__", &bytes_to_pickle)
      .def("verify",
           [](SharedFilter& self) {
             const AnyFilter& filter = self.filter();
             check(self.beside_readers([&] { return filter.verify(); }));
             self.check_file();
           })
      .def_property(
          "metadata",
          [](SharedFilter& self) {
            return py::bytes(self.reading([](const AnyFilter& filter) { return filter.metadata(); }));
          },
          [](SharedFilter& self, const py::object& given) {
            self.check_writable();
            AnyFilter& filter = self.filter();
            const std::string text(text_or_bytes(given));
            check(self.alone([&] { return filter.set_metadata(text); }));
          });
}

void add_facts(FilterClass& type) {
  type.def("fill_ratio", getter(&AnyFilter::fill_ratio))
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
                             [](SharedFilter& self) { return describe(self.filter().key_treatment()); });
}

}  // namespace

void add_filter_class(py::module_& module) {
  FilterClass type(module, "Filter", "A membership filter: `key in f` is False for certain, or maybe True.");
  type.def(py::init(&make));
  // An object of a derived class shares the filter of another object.
  type.def(py::init([](const FilterPointer& made) { return made; }));
  add_key_calls(type);
  add_hash_calls(type);
  add_whole_calls(type);
  add_file_calls(type);
  add_facts(type);
  module.def("open_filter", &open, py::arg("path"), py::arg("access"), py::arg("verify"), py::arg("secret"),
             py::arg("timeout"));
  module.def("from_bytes", &from_bytes, py::arg("data"), py::arg("secret") = py::none());
  module.def("build_static", &build_static, py::arg("type"), py::arg("keys"), py::arg("fpp"),
             py::arg("key_options"), py::arg("capacity") = 0,
             py::arg("memory") = StaticBuildOptions().memory_bytes, py::arg("spool") = ".",
             py::arg("threads") = 0, py::arg("path") = py::none(), py::arg("replace") = false,
             py::arg("progress") = py::none());
  module.def(
      "survive_cut_files",
      [] {
        survive_cut_files();
        survives_cut_files() = true;
      },
      "From now on a mapped file that another program cuts is a CorruptionError instead of the signal "
      "SIGBUS.");
  module.def("is_made", &is_made);
  module.def("plan_for_bytes", &plan_for_bytes_of);
  module.def("error_codes", &error_codes);
  module.def("generate_secret", [] {
    const HashSecret secret = checked(HashSecret::generate());
    return py::bytes(reinterpret_cast<const char*>(secret.bytes.data()), secret.bytes.size());
  });
}

}  // namespace bloomery::python
