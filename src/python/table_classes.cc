// The classes HFile and Table of the module, and their iterators of cells.
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>

#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/filter_language.h"
#include "bloomery/table/table.h"
#include "python/bytes_or_text.h"
#include "python/file_path.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/without_gil.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

py::bytes bytes_of_view(std::string_view view) {
  return py::bytes(view.data(), view.size());
}

// Returns a cell as bloomery.Cell, a named tuple.
py::object cell_of(const py::object& type, const Cell& cell) {
  return type(bytes_of_view(cell.key.row), bytes_of_view(cell.key.family), bytes_of_view(cell.key.qualifier),
              cell.key.timestamp, static_cast<int>(cell.key.type), bytes_of_view(cell.value));
}
py::object cell_type() {
  return py::module_::import("bloomery._cells").attr("Cell");
}

void read_request(const py::dict& given, CellRequest& request) {
  for (const py::handle column : given["columns"]) {
    if (PyTuple_Check(column.ptr())) {
      const auto pair = py::reinterpret_borrow<py::tuple>(column);
      if (pair.size() != 2) {
        throw py::type_error("expected a column that is a family, or a tuple of family and qualifier");
      }
      request.columns.push_back({.family = bytes_or_text(pair[0]), .qualifier = bytes_or_text(pair[1])});
    } else {
      request.columns.push_back(
          {.family = bytes_or_text(py::reinterpret_borrow<py::object>(column)), .qualifier = {}});
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
  const RowResult found = checked(without_gil([&] { return self.get(request); }));
  const py::object type = cell_type();
  py::list cells;
  for (const KeptCell& kept : found.cells()) {
    cells.append(cell_of(type, kept.cell()));
  }
  return cells;
}

// Iterates over the cells of a scan.
class CellIterator {
 public:
  explicit CellIterator(TableScanner scanner) : scanner_(std::move(scanner)) {}

  // Throws ValueError while another thread reads the next row.
  py::object next() {
    if (is_reading_) {
      throw py::value_error("expected a scan that no other thread is reading");
    }
    ++next_;
    while (next_ > row_.size()) {
      is_reading_ = true;
      const Result<bool> found =
          is_done_ ? Result<bool>(false) : without_gil([&] { return scanner_.next(); });
      is_reading_ = false;
      is_done_ = !found || !*found;
      if (!checked(found)) {
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
  bool is_reading_ = false;
  bool is_done_ = false;  // at the end, or after damage
  py::object type_ = cell_type();
};

CellIterator scan_rows(const Table& self, const py::dict& given) {
  ScanRequest request;
  read_request(given, request);
  request.is_reversed = py::cast<bool>(given["reverse"]);
  request.start = bytes_or_text(given["start"]);
  request.stop = bytes_or_text(given["stop"]);
  if (!given["prefix"].is_none()) {
    if (!request.start.empty() || !request.stop.empty()) {
      throw py::value_error("expected a prefix or rows to start and stop at, found both");
    }
    request.set_prefix(bytes_or_text(given["prefix"]), request.is_reversed);
  }
  request.limit = py::cast<std::optional<std::uint64_t>>(given["limit"]);
  request.is_raw = py::cast<bool>(given["raw"]);
  return CellIterator(checked(without_gil([&] { return self.scan(request); })));
}

// An HFile until it is closed. Iterators keep the file open themselves.
struct OpenHFile {
  std::optional<HFileReader> reader;

  // Throws ValueError after close().
  const HFileReader& open() const {
    if (!reader) {
      throw py::value_error("expected an open HFile, found it closed");
    }
    return *reader;
  }
};

// Iterates over the cells of an HFile.
class FileIterator {
 public:
  FileIterator(const HFileReader& reader, std::string start)
      : scanner_(reader.scan()), start_(std::move(start)) {}

  py::object next() {
    const bool is_first = !std::exchange(has_begun_, true);
    const Result<bool> found = is_done_         ? Result<bool>(false)
                               : !is_first      ? scanner_.next()
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

void add_table_classes(py::module_& module) {
  py::class_<CellIterator>(module, "CellIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &CellIterator::next);
  py::class_<FileIterator>(module, "FileIterator")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &FileIterator::next);
  py::class_<OpenHFile>(module, "HFile", "A file of HBase. Iterating it gives its cells.")
      .def(py::init([](const py::object& path) {
             return OpenHFile{checked(HFileReader::open(path_of(path)), path)};
           }),
           py::arg("path"))
      .def("__iter__", [](const OpenHFile& self) { return FileIterator(self.open(), {}); })
      .def("__len__", [](const OpenHFile& self) { return self.open().facts().entry_count; })
      .def(
          "cells",
          [](const OpenHFile& self, const py::object& start) {
            return FileIterator(self.open(), bytes_or_text(start));
          },
          py::arg("start") = py::bytes(), "Iterates over the cells from a row on.")
      .def(
          "may_contain_row",
          [](const OpenHFile& self, const py::object& row) {
            return self.open().may_contain_row(bytes_or_text(row));
          },
          py::arg("row"), "Returns False only if the file certainly has no cell of the row.")
      .def("close", [](OpenHFile& self) { self.reader.reset(); })
      .def_property_readonly("closed", [](const OpenHFile& self) { return !self.reader; });
  py::class_<Table>(module, "NativeTable")
      .def(py::init([](const py::object& path, bool accept_region_faults) {
        TableOptions options;
        options.accepts_region_faults = accept_region_faults;
        const std::string name = path_of(path);
        return checked(without_gil([&] { return Table::open(name, options); }), path);
      }))
      .def("get", &get_row)
      .def("scan", &scan_rows, py::keep_alive<0, 1>())
      .def_property_readonly("warnings", &Table::warnings);
}

}  // namespace bloomery::python
