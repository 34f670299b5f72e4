// The class Filter of the module, and the functions that make filters.
#include "python/filter_class.h"

#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "bloomery/base/cut_files.h"
#include "python/file_path.h"
#include "python/filter_fast_calls.h"
#include "python/filter_options.h"
#include "python/python_error.h"
#include "python/ribbon_build.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using FilterPointer = std::shared_ptr<SharedFilter>;
using FilterClass = py::class_<SharedFilter, FilterPointer>;

FilterPointer shared(Result<AnyFilter> filter, std::string watched_path = {}) {
  return std::make_shared<SharedFilter>(checked(std::move(filter)), std::move(watched_path));
}

// Whether survive_cut_files() was called, which never ends. Guarded by the GIL.
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
      .def(
          "__or__",
          [](SharedFilter& self, SharedFilter& other) {
            FilterPointer both = copy_of(self);
            both->merge(other);
            return both;
          },
          py::is_operator())
      .def("copy", &copy_of)
      .def("__copy__", &copy_of);
}

void add_file_calls(FilterClass& type) {
  type.def("close", &SharedFilter::close)
      .def(
          "save",
          [](SharedFilter& self, const py::object& place, bool replace) {
            const std::string path = path_of(place);
            const AnyFilter& filter = self.filter();
            check(self.alone([&] { return filter.save(path, {.replace = replace}); }));
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
          [](SharedFilter& self, const std::string& text) {
            self.check_writable();
            AnyFilter& filter = self.filter();
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
  add_key_calls(type);
  add_hash_calls(type);
  add_whole_calls(type);
  add_file_calls(type);
  add_facts(type);
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
