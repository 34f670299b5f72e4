// The classes of stores: NativeStore and NativeStoreTable, which python/bloomery/_store.py completes.
#include <array>
#include <cstdint>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/store/store.h"
#include "python/bytes_or_text.h"
#include "python/file_path.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/without_gil.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

using AttributePairs = std::vector<std::pair<std::string, std::string>>;
using FamilyPairs = std::vector<std::pair<std::string, AttributePairs>>;

// Throws ValueError.
WriteOptions write_options_of(std::string_view durability) {
  const auto name = std::ranges::find(kDurabilityNames, durability);
  if (name != kDurabilityNames.end()) {
    return {.durability = static_cast<Durability>(name - kDurabilityNames.begin())};
  }
  throw py::value_error(
      "expected the durability USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL or FSYNC_WAL, found '" +
      std::string(durability) + "'");
}

// Reads tuples of row, family, qualifier, timestamp or None, type and value. The mutations are views of the
// objects, which the tuples keep while the GIL is released.
std::vector<Mutation> mutations_of(const py::tuple& changes) {
  std::vector<Mutation> mutations;
  mutations.reserve(changes.size());
  for (const py::handle change : changes) {
    const auto fields = py::reinterpret_borrow<py::tuple>(change);
    const auto text = [&](std::size_t field) {
      return view_of_text(PyTuple_GetItem(fields.ptr(), static_cast<Py_ssize_t>(field)));
    };
    mutations.push_back({.row = text(0),
                         .family = text(1),
                         .qualifier = text(2),
                         .timestamp = py::cast<std::optional<std::int64_t>>(fields[3]),
                         .type = static_cast<CellType>(py::cast<std::uint8_t>(fields[4])),
                         .value = text(5)});
  }
  return mutations;
}

StoreOptions store_options_of(const py::dict& given) {
  StoreOptions options;
  options.flush_bytes = py::cast<std::uint64_t>(given["flush_bytes"]);
  options.memory_bytes = py::cast<std::uint64_t>(given["memory_bytes"]);
  options.flushes_at_close = py::cast<bool>(given["flush_at_close"]);
  if (const auto cache_bytes = py::cast<std::uint64_t>(given["cache_bytes"]); cache_bytes > 0) {
    options.cache = BlockCache::make(cache_bytes);
  }
  return options;
}

Store store_at(const py::object& path, bool is_new, const py::dict& given) {
  const std::string root = path_of(path);
  const StoreOptions options = store_options_of(given);
  return checked(
      without_gil([&] { return is_new ? Store::create(root, options) : Store::open(root, options); }));
}

StoreTable create_table(Store& self, const std::string& name, const FamilyPairs& families,
                        const py::list& splits) {
  TableSchema schema = checked(TableSchema::of_table(name));
  for (const auto& [family, attributes] : families) {
    check(schema.add_family(family));
    for (const auto& [attribute, value] : attributes) {
      check(schema.set(family, attribute, value));
    }
  }
  SplitKeys keys;
  for (const py::handle split : splits) {
    if (const Status appended = keys.append(view_of_text(split)); !appended) {
      raise(appended.error().in_file("splits"));
    }
  }
  return checked(without_gil([&] { return self.create_table(schema, keys); }));
}

std::vector<std::string> families_of(const StoreTable& self) {
  std::vector<std::string> names;
  for (const FamilySchema& family : self.schema().families) {
    names.push_back(family.name);
  }
  return names;
}

void mutate(StoreTable& self, const py::tuple& changes, const std::string& durability) {
  const std::vector<Mutation> mutations = mutations_of(changes);
  const WriteOptions options = write_options_of(durability);
  check(without_gil([&] { return self.mutate(mutations, options); }));
}

std::int64_t increment(StoreTable& self, const py::object& row, const py::object& family,
                       const py::object& qualifier, std::int64_t amount, const std::string& durability) {
  const Mutation place{
      .row = view_of_text(row), .family = view_of_text(family), .qualifier = view_of_text(qualifier)};
  const WriteOptions options = write_options_of(durability);
  return checked(
      without_gil([&] { return self.increment(place.row, place.family, place.qualifier, amount, options); }));
}

py::bytes append(StoreTable& self, const py::object& row, const py::object& family,
                 const py::object& qualifier, const py::object& value, const std::string& durability) {
  const Mutation put{.row = view_of_text(row),
                     .family = view_of_text(family),
                     .qualifier = view_of_text(qualifier),
                     .value = view_of_text(value)};
  const WriteOptions options = write_options_of(durability);
  return checked(
      without_gil([&] { return self.append(put.row, put.family, put.qualifier, put.value, options); }));
}

bool check_and_mutate(StoreTable& self, const py::object& row, const py::object& family,
                      const py::object& qualifier, const py::object& expected, const py::tuple& changes,
                      const std::string& durability) {
  Check condition{
      .row = view_of_text(row), .family = view_of_text(family), .qualifier = view_of_text(qualifier)};
  if (!expected.is_none()) {
    condition.value = view_of_text(expected);
  }
  const std::vector<Mutation> mutations = mutations_of(changes);
  const WriteOptions options = write_options_of(durability);
  return checked(without_gil([&] { return self.check_and_mutate(condition, mutations, options); }));
}

}  // namespace

void add_store_classes(py::module_& module) {
  py::class_<Store>(module, "NativeStore")
      .def(py::init(&store_at))
      .def("create_table", &create_table)
      .def("table",
           [](const Store& self, const py::object& name) { return checked(self.table(view_of_text(name))); })
      .def("drop_table",
           [](Store& self, const py::object& name) {
             const std::string_view text = view_of_text(name);
             check(without_gil([&] { return self.drop_table(text); }));
           })
      .def("truncate_table",
           [](Store& self, const py::object& name) {
             const std::string_view text = view_of_text(name);
             check(without_gil([&] { return self.truncate_table(text); }));
           })
      .def("health", [](const Store& self) { check(self.health()); })
      .def("close", [](Store& self) { check(without_gil([&] { return self.close(); })); })
      // Leaks the store, whose files and background thread are those of the parent process.
      .def("forget", [](Store& self) { new Store(std::move(self)); })
      .def_property_readonly("tables", &Store::tables);
  py::class_<StoreTable>(module, "NativeStoreTable")
      .def("mutate", &mutate)
      .def("increment", &increment)
      .def("append", &append)
      .def("check_and_mutate", &check_and_mutate)
      .def("flush", [](StoreTable& self) { check(without_gil([&] { return self.flush(); })); })
      .def_property_readonly("name", &StoreTable::name)
      .def_property_readonly("families", &families_of)
      .def_property_readonly("reader", &StoreTable::reader, py::return_value_policy::reference_internal);
}

}  // namespace bloomery::python
