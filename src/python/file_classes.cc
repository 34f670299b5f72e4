// The classes Dialect, HFile and Table of the module.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bloomery/dialects/dialects.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/filter_language.h"
#include "bloomery/table/table.h"
#include "python/filter_class.h"
#include "python/key_bytes.h"
#include "python/key_column.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The keys of other systems are bytes: a str is its UTF-8, an int is 8 little-endian bytes, as Guava and others have it.
std::string_view dialect_key(PyObject* key, KeyWriter& writer) {
  if (PyUnicode_Check(key)) {
    return text_of(key);
  }
  if (PyBytes_Check(key)) {
    return bytes_of(key);
  }
  if (!is_integer(key)) {
    refuse_key(key);
  }
  writer.clear();
  append_integer(writer, key, KeyForm::kInt64);
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

// Calls use(keys) for pieces of an iterable. A piece's objects live until it is done.
template <typename Use>
void for_dialect_keys(const py::object& keys, const Use& use) {
  if (PyUnicode_Check(keys.ptr()) || PyBytes_Check(keys.ptr())) {
    throw py::type_error("expected many keys, found one");
  }
  std::vector<std::string> piece;
  const auto flush = [&] {
    const std::vector<std::string_view> views(piece.begin(), piece.end());
    use(std::span<const std::string_view>(views));
    piece.clear();
  };
  KeyWriter writer;
  for (const py::handle key : keys.attr("__iter__")()) {
    piece.emplace_back(dialect_key(key.ptr(), writer));
    if (piece.size() == 4096) {
      flush();
    }
  }
  flush();
}

using DialectPointer = std::unique_ptr<DialectFilter>;

DialectPointer open_other(const std::string& path, const std::string& name) {
  return checked(open_dialect(path, name));
}

DialectPointer build_other(const std::string& name, const py::object& keys, std::uint64_t capacity,
                           const std::optional<double>& fpp, const std::optional<double>& bits_per_key) {
  const auto builder = checked(build_dialect(name, {.capacity = capacity, .fpp = fpp, .bits_per_key = bits_per_key}));
  for_dialect_keys(keys, [&](std::span<const std::string_view> piece) { check(builder->add(piece)); });
  return checked(builder->finish());
}

py::array_t<bool> ask_other(const DialectFilter& self, const py::object& keys) {
  std::vector<bool> all;
  for_dialect_keys(keys, [&](std::span<const std::string_view> piece) {
    std::vector<std::uint64_t> answers(answer_words(piece.size()));
    self.may_contain_batch(piece, answers);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      all.push_back(((answers[i / 64] >> (i % 64)) & 1) != 0);
    }
  });
  check(self.file_status());
  py::array_t<bool> array(static_cast<py::ssize_t>(all.size()));
  std::copy(all.begin(), all.end(), array.mutable_data());
  return array;
}

py::dict facts_of(const DialectFilter& self) {
  const DialectFacts found = self.facts();
  py::dict facts;
  facts["dialect"] = self.dialect();
  facts["bits"] = found.bits;
  facts["set_bits"] = found.set_bits;
  facts["hash_count"] = found.hash_count;
  facts["capacity"] = found.capacity;
  facts["inserted"] = found.inserted;
  facts["current_fpp"] = self.current_fpp();
  for (const auto& [name, value] : found.more) {
    facts[py::str(name)] = value;
  }
  return facts;
}

py::bytes bytes_of_view(std::string_view view) {
  return py::bytes(view.data(), view.size());
}

// A cell as bloomery.Cell, a named tuple.
py::object cell_of(const py::object& type, const Cell& cell) {
  return type(bytes_of_view(cell.key.row), bytes_of_view(cell.key.family), bytes_of_view(cell.key.qualifier),
              cell.key.timestamp, static_cast<int>(cell.key.type), bytes_of_view(cell.value));
}
py::object cell_type() {
  return py::module_::import("bloomery._cells").attr("Cell");
}

std::string bytes_or_text(const py::object& object) {
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    return py::cast<std::string>(object);
  }
  throw py::type_error("expected bytes or str, found " + std::string(Py_TYPE(object.ptr())->tp_name));
}

void read_request(const py::dict& given, CellRequest& request) {
  for (const py::handle column : given["columns"]) {
    if (PyTuple_Check(column.ptr())) {
      const auto pair = py::cast<py::tuple>(column);
      request.columns.push_back({.family = bytes_or_text(pair[0]), .qualifier = bytes_or_text(pair[1])});
    } else {
      request.columns.push_back({.family = bytes_or_text(py::reinterpret_borrow<py::object>(column)), .qualifier = {}});
    }
  }
  request.versions = py::cast<std::int32_t>(given["versions"]);
  request.times.from = py::cast<std::int64_t>(given["since"]);
  request.times.to = py::cast<std::optional<std::int64_t>>(given["until"]);
  if (!given["filter"].is_none()) {
    request.filter = checked(parse_filter(bytes_or_text(given["filter"])));
  }
}

py::list get_row(const Table& self, const py::object& row, const py::dict& given) {
  GetRequest request;
  read_request(given, request);
  request.row = bytes_or_text(row);
  const RowResult found = checked(self.get(request));
  const py::object type = cell_type();
  py::list cells;
  for (const KeptCell& kept : found.cells()) {
    cells.append(cell_of(type, kept.cell()));
  }
  return cells;
}

// The cells of a scan, one after the other.
class CellIterator {
 public:
  explicit CellIterator(TableScanner scanner) : scanner_(std::move(scanner)) {}

  py::object next() {
    ++next_;
    while (next_ > row_.size()) {
      if (!checked(scanner_.next())) {
        throw py::stop_iteration();
      }
      row_ = scanner_.take_result();
      next_ = 1;
    }
    return cell_of(type_, row_.cells()[next_ - 1].cell());
  }

 private:
  TableScanner scanner_;
  RowResult row_;
  std::size_t next_ = 0;
  py::object type_ = cell_type();
};

CellIterator scan_rows(const Table& self, const py::dict& given) {
  ScanRequest request;
  read_request(given, request);
  if (!given["prefix"].is_none()) {
    request.set_prefix(bytes_or_text(given["prefix"]));
  } else {
    request.start = bytes_or_text(given["start"]);
    request.stop = bytes_or_text(given["stop"]);
  }
  request.limit = py::cast<std::optional<std::uint64_t>>(given["limit"]);
  request.is_reversed = py::cast<bool>(given["reverse"]);
  request.is_raw = py::cast<bool>(given["raw"]);
  return CellIterator(checked(self.scan(request)));
}

// The cells of an HFile.
class FileIterator {
 public:
  FileIterator(const HFileReader& reader, std::string start) : scanner_(reader.scan()), start_(std::move(start)) {}

  py::object next() {
    const bool is_first = !std::exchange(has_begun_, true);
    const Result<bool> found = is_done_      ? Result<bool>(false)
                               : !is_first   ? scanner_.next()
                               : start_.empty() ? scanner_.seek_to_first()
                                             : scanner_.seek(first_on_row(start_));
    is_done_ = !found || !*found;
    if (!checked(found)) {
      throw py::stop_iteration();
    }
    return cell_of(type_, scanner_.cell());
  }

 private:
  HFileScanner scanner_;
  std::string start_;
  bool has_begun_ = false;
  bool is_done_ = false;
  py::object type_ = cell_type();
};

}  // namespace

void add_dialect_class(py::module_& module) {
  py::class_<DialectFilter, DialectPointer>(module, "Dialect", "A filter in the bytes of another system.")
      .def("__contains__", [](const DialectFilter& self, const py::object& key) {
        KeyWriter writer;
        const bool maybe = self.may_contain(dialect_key(key.ptr(), writer));
        check(self.file_status());
        return maybe;
      })
      .def("contains", &ask_other, py::arg("keys"))
      .def("add", [](DialectFilter& self, const py::object& key) {
        KeyWriter writer;
        return checked(self.insert(dialect_key(key.ptr(), writer)));
      }, py::arg("key"), "Inserts a key. Returns whether the filter changed.")
      .def("update", [](DialectFilter& self, const py::object& keys) {
        for_dialect_keys(keys, [&](std::span<const std::string_view> piece) { checked(self.insert_batch(piece)); });
      }, py::arg("keys"))
      .def("merge", [](DialectFilter& self, const DialectFilter& other) {
        if (&self != &other) {
          check(self.merge(other));
        }
      }, py::arg("other"))
      .def("save", [](const DialectFilter& self, const std::string& path, bool replace) {
        check(self.save(path, {.replace = replace}));
      }, py::arg("path"), py::arg("replace") = false)
      .def("to_bytes", [](const DialectFilter& self) {
        std::string file;
        check(self.append_to(file));
        return py::bytes(file);
      })
      .def("facts", &facts_of)
      .def_property_readonly("dialect", &DialectFilter::dialect)
      .def_property_readonly("is_static", &DialectFilter::is_static);
  module.def("open_dialect", &open_other, py::arg("path"), py::arg("name"));
  module.def("build_dialect", &build_other, py::arg("name"), py::arg("keys"), py::arg("capacity") = 0,
             py::arg("fpp") = py::none(), py::arg("bits_per_key") = py::none());
  module.def("dialects", [] {
    std::vector<std::string> names;
    for (const DialectDescription& description : dialects()) {
      names.emplace_back(description.name);
    }
    return names;
  });
}

void add_table_classes(py::module_& module) {
  py::class_<CellIterator>(module, "CellIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &CellIterator::next);
  py::class_<FileIterator>(module, "FileIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &FileIterator::next);
  py::class_<HFileReader>(module, "HFile", "A file of HBase. Iterating it gives its cells.")
      .def(py::init([](const std::string& path) { return checked(HFileReader::open(path)); }), py::arg("path"))
      .def("__iter__", [](const HFileReader& self) { return FileIterator(self, {}); })
      .def("__len__", [](const HFileReader& self) { return self.facts().entry_count; })
      .def("cells", [](const HFileReader& self, const py::object& start) {
        return FileIterator(self, bytes_or_text(start));
      }, py::arg("start") = py::bytes(), "Iterates over the cells from a row on.")
      .def("may_contain_row", [](const HFileReader& self, const py::object& row) {
        return self.may_contain_row(bytes_or_text(row));
      }, py::arg("row"), "Returns False only if the file certainly has no cell of the row.");
  py::class_<Table>(module, "NativeTable")
      .def(py::init([](const std::string& path, bool accept_region_faults) {
        TableOptions options;
        options.accepts_region_faults = accept_region_faults;
        return checked(Table::open(path, options));
      }))
      .def("get", &get_row)
      .def("scan", &scan_rows)
      .def_property_readonly("warnings", &Table::warnings);
}

}  // namespace bloomery::python
