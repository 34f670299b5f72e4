// HFiles and tables of HBase. One type of cursor reads the cells of both.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/filter_language.h"
#include "bloomery/table/table.h"
#include "c_api/call.h"
#include "c_api/files/open_table.h"
#include "c_api/handle_pool.h"

namespace bloomery::c_api {
namespace {

using HFiles = HandlePool<HFileReader, 0x8100f4f11e>;

bloomery_bytes bytes_of(std::string_view view) {
  return {.data = view.data(), .length = view.size()};
}
std::string text_of(const bloomery_bytes& bytes) {
  return std::string(view_of(bytes.data, bytes.length));
}

// Iterates over the cells of an HFile. A seek takes effect when next() is called.
class FileCells {
 public:
  explicit FileCells(HFileScanner scanner) : scanner_(std::move(scanner)) {}

  Result<bool> next() {
    if (seek_to_) {
      const std::string row = *std::exchange(seek_to_, std::nullopt);
      return row.empty() ? scanner_.seek_to_first() : scanner_.seek(first_on_row(row));
    }
    return scanner_.next();
  }
  const Cell& cell() const { return scanner_.cell(); }
  void seek(std::string_view row) { seek_to_ = std::string(row); }

 private:
  HFileScanner scanner_;
  std::optional<std::string> seek_to_ = std::string();
};

// Iterates over the cells of one row.
class RowCells {
 public:
  explicit RowCells(RowResult row) : row_(std::move(row)) {}

  Result<bool> next() { return next_++ < row_.size(); }
  const Cell& cell() const { return row_.cells()[next_ - 1].cell(); }

 private:
  RowResult row_;
  std::size_t next_ = 0;
};

// Iterates over the cells of a scan, row by row.
class ScanCells {
 public:
  explicit ScanCells(TableScanner scanner) : scanner_(std::move(scanner)) {}

  Result<bool> next() {
    ++next_;
    while (next_ > row_.size()) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner_.next());
      if (!found) {
        return false;
      }
      row_ = scanner_.take_result();
      next_ = 1;
    }
    return true;
  }
  const Cell& cell() const { return row_.cells()[next_ - 1].cell(); }

 private:
  TableScanner scanner_;
  RowResult row_;
  std::size_t next_ = 0;
};

struct OpenCursor {
  std::variant<FileCells, RowCells, ScanCells> cells;
  std::optional<Error> error = {};
  bool is_at_end = false;
};
using Cursors = HandlePool<OpenCursor, 0x8100fc0250>;

template <typename Cells>
int give_cursor(Cells cells, bloomery_cursor** out) {
  return give_handle<Cursors>(OpenCursor{.cells = std::move(cells)}, out);
}

// Writes `cell` to `*out`, at most as many bytes as the caller set in its `size`.
Status write_cell(bloomery_cell* out, const Cell& cell) {
  bloomery_cell found = {};
  found.row = bytes_of(cell.key.row);
  found.family = bytes_of(cell.key.family);
  found.qualifier = bytes_of(cell.key.qualifier);
  found.value = bytes_of(cell.value);
  found.tags = bytes_of(cell.tags);
  found.timestamp = cell.key.timestamp;
  found.mvcc = cell.mvcc;
  found.type = static_cast<std::uint8_t>(cell.key.type);
  return write_struct(out, found, "bloomery_cell");
}

int next_cell(OpenCursor& open, bloomery_cell* cell) {
  if (open.error) {
    return failed(*open.error);
  }
  if (open.is_at_end) {
    return 0;
  }
  // Checks before the cursor moves, since a cell that cannot be written would be lost.
  if (const Status writable = write_cell(cell, Cell()); !writable) {
    return failed(writable.error());
  }
  return std::visit(
      [&](auto& cells) {
        const Result<bool> found = cells.next();
        if (!found) {
          open.error = found.error();
          return failed(found.error());
        }
        if (!*found) {
          open.is_at_end = true;
          return 0;
        }
        const Status written = write_cell(cell, cells.cell());
        return written ? 1 : failed(written.error());
      },
      open.cells);
}

Status read_columns(const bloomery_request& given, CellRequest& request) {
  if (given.column_count > 0 && given.columns == nullptr) {
    return Error::invalid_argument("columns", "expected columns, found null");
  }
  for (std::size_t i = 0; i < given.column_count; ++i) {
    const bloomery_column& column = given.columns[i];
    BLOOMERY_RETURN_IF_ERROR(check_bytes(column.family, "family"));
    BLOOMERY_RETURN_IF_ERROR(check_bytes(column.qualifier, "qualifier"));
    RequestedColumn read = {.family = text_of(column.family), .qualifier = {}};
    if (column.qualifier.data != nullptr) {
      read.qualifier = text_of(column.qualifier);
    }
    request.columns.push_back(std::move(read));
  }
  return {};
}

Status read_request(const bloomery_request& given, CellRequest& request) {
  BLOOMERY_RETURN_IF_ERROR(read_columns(given, request));
  if (given.versions < 0 || given.max_per_family < 0) {
    return Error::invalid_argument("bloomery_request",
                                   "versions: expected at least 0, found a negative number");
  }
  request.versions = given.versions == 0 ? 1 : given.versions;
  if (given.max_per_family > 0) {
    request.max_per_family = static_cast<std::uint32_t>(given.max_per_family);
  }
  request.times.from = given.from;
  if (given.to != 0) {
    request.times.to = given.to;
  }
  if (given.filter != nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(request.filter, parse_filter(given.filter));
  }
  return {};
}

Result<ScanRequest> scan_request(const bloomery_request& given) {
  ScanRequest request;
  BLOOMERY_RETURN_IF_ERROR(read_request(given, request));
  for (const bloomery_bytes& bytes : {given.start, given.stop, given.prefix}) {
    BLOOMERY_RETURN_IF_ERROR(check_bytes(bytes, "bloomery_request"));
  }
  request.is_reversed = given.is_reversed != 0;
  request.is_raw = given.is_raw != 0;
  if (given.limit != 0) {
    request.limit = given.limit;
  }
  if (given.prefix.length > 0) {
    if (given.start.length + given.stop.length > 0) {
      return Error::invalid_argument("bloomery_request",
                                     "expected a prefix or rows to start and stop at, found both");
    }
    request.set_prefix(text_of(given.prefix), request.is_reversed);
    return request;
  }
  request.start = text_of(given.start);
  request.stop = text_of(given.stop);
  request.includes_start = given.excludes_start == 0;
  request.includes_stop = given.includes_stop != 0;
  return request;
}

// Checks the handles and reads the request of a get or a scan, then returns act(table, request).
template <typename Act>
int with_table(const bloomery_table* table, const bloomery_request* request, bloomery_cursor** cursor,
               const Act& act) {
  const OpenTable* open = Tables::find(table);
  if (open == nullptr) {
    return failed_handle("bloomery_table");
  }
  if (cursor == nullptr) {
    return failed_argument("cursor", "expected a place for the handle, found null");
  }
  *cursor = nullptr;
  return guarded([&] {
    bloomery_request read = BLOOMERY_REQUEST_INIT;
    const Status status = read_struct(read, request, "bloomery_request", IfNull::kDefault);
    return status ? act(reader_of(*open), read) : failed(status.error());
  });
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_hfile_open(const char* path, const bloomery_hfile_options* options, bloomery_hfile** hfile) {
  if (path == nullptr || hfile == nullptr) {
    return failed_argument("path", "expected the name of a file and a place for the handle, found null");
  }
  *hfile = nullptr;
  return guarded([&] {
    bloomery_hfile_options read = BLOOMERY_HFILE_OPTIONS_INIT;
    if (const Status status = read_struct(read, options, "bloomery_hfile_options", IfNull::kDefault);
        !status) {
      return failed(status.error());
    }
    HFileOptions wanted;
    wanted.cache_bytes = read.cache_bytes;
    wanted.memory = {.limit_bytes = read.memory_bytes};
    Result<HFileReader> reader = HFileReader::open(path, wanted);
    if (!reader) {
      return failed(reader.error());
    }
    return give_handle<HFiles>(std::move(*reader), hfile);
  });
}

int bloomery_hfile_entries(const bloomery_hfile* hfile, uint64_t* entries) {
  const HFileReader* open = HFiles::find(hfile);
  if (open == nullptr) {
    return failed_handle("bloomery_hfile");
  }
  if (entries == nullptr) {
    return failed_argument("entries", "expected a place for them, found null");
  }
  *entries = open->facts().entry_count;
  return BLOOMERY_OK;
}

int bloomery_hfile_may_contain_row(const bloomery_hfile* hfile, const void* row, size_t length) {
  const HFileReader* open = HFiles::find(hfile);
  if (open == nullptr) {
    return failed_handle("bloomery_hfile");
  }
  if (!is_key(row, length)) {
    return failed_argument("row", "expected bytes, found null");
  }
  return guarded([&] { return open->may_contain_row(view_of(row, length)) ? 1 : 0; });
}

int bloomery_hfile_scan(const bloomery_hfile* hfile, bloomery_cursor** cursor) {
  const HFileReader* open = HFiles::find(hfile);
  if (open == nullptr) {
    return failed_handle("bloomery_hfile");
  }
  if (cursor == nullptr) {
    return failed_argument("cursor", "expected a place for the handle, found null");
  }
  return guarded([&] { return give_cursor(FileCells(open->scan()), cursor); });
}

int bloomery_hfile_close(bloomery_hfile* hfile) {
  return hfile == nullptr || HFiles::close(hfile) ? static_cast<int>(BLOOMERY_OK)
                                                  : failed_handle("bloomery_hfile");
}

int bloomery_table_open(const char* directory, const bloomery_table_options* options,
                        bloomery_table** table) {
  if (directory == nullptr || table == nullptr) {
    return failed_argument("directory", "expected a directory and a place for the handle, found null");
  }
  *table = nullptr;
  return guarded([&] {
    bloomery_table_options read = BLOOMERY_TABLE_OPTIONS_INIT;
    if (const Status status = read_struct(read, options, "bloomery_table_options", IfNull::kDefault);
        !status) {
      return failed(status.error());
    }
    TableOptions wanted;
    if (read.now_ms != 0) {
      wanted.now_ms = read.now_ms;
    }
    wanted.memory = {.limit_bytes = read.memory_bytes};
    wanted.accepts_region_faults = read.accepts_region_faults != 0;
    Result<Table> opened = Table::open(directory, wanted);
    if (!opened) {
      return failed(opened.error());
    }
    return give_handle<Tables>(OpenTable(std::move(*opened)), table);
  });
}

const char* bloomery_table_warning(const bloomery_table* table, size_t index) {
  const OpenTable* open = Tables::find(table);
  if (open == nullptr) {
    failed_handle("bloomery_table");
    return nullptr;
  }
  const std::vector<std::string>& warnings = reader_of(*open).warnings();
  return index < warnings.size() ? warnings[index].c_str() : nullptr;
}

int bloomery_table_get(const bloomery_table* table, const void* row, size_t length,
                       const bloomery_request* request, bloomery_cursor** cursor) {
  return with_table(table, request, cursor, [&](const Table& open, const bloomery_request& given) {
    if (!is_key(row, length)) {
      return failed_argument("row", "expected bytes, found null");
    }
    GetRequest get;
    if (const Status read = read_request(given, get); !read) {
      return failed(read.error());
    }
    get.row = std::string(view_of(row, length));
    Result<RowResult> found = open.get(get);
    return found ? give_cursor(RowCells(std::move(*found)), cursor) : failed(found.error());
  });
}

int bloomery_table_scan(const bloomery_table* table, const bloomery_request* request,
                        bloomery_cursor** cursor) {
  return with_table(table, request, cursor, [&](const Table& open, const bloomery_request& given) {
    const Result<ScanRequest> scan = scan_request(given);
    if (!scan) {
      return failed(scan.error());
    }
    Result<TableScanner> scanner = open.scan(*scan);
    return scanner ? give_cursor(ScanCells(std::move(*scanner)), cursor) : failed(scanner.error());
  });
}

int bloomery_table_close(bloomery_table* table) {
  return table == nullptr || Tables::close(table) ? static_cast<int>(BLOOMERY_OK)
                                                  : failed_handle("bloomery_table");
}

int bloomery_cursor_next(bloomery_cursor* cursor, bloomery_cell* cell) {
  OpenCursor* open = Cursors::find(cursor);
  if (open == nullptr) {
    return failed_handle("bloomery_cursor");
  }
  if (cell == nullptr) {
    return failed_argument("cell", "expected a place for it, found null");
  }
  return guarded([&] { return next_cell(*open, cell); });
}

int bloomery_cursor_seek(bloomery_cursor* cursor, const void* row, size_t length) {
  OpenCursor* open = Cursors::find(cursor);
  if (open == nullptr) {
    return failed_handle("bloomery_cursor");
  }
  auto* cells = std::get_if<FileCells>(&open->cells);
  if (cells == nullptr || !is_key(row, length) || length > kLongestRow) {
    return failed_argument("bloomery_cursor",
                           "expected a cursor of an HFile and a row of at most 32767 bytes");
  }
  return guarded([&] {
    cells->seek(view_of(row, length));
    open->error.reset();
    open->is_at_end = false;
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_cursor_close(bloomery_cursor* cursor) {
  return cursor == nullptr || Cursors::close(cursor) ? static_cast<int>(BLOOMERY_OK)
                                                     : failed_handle("bloomery_cursor");
}

}  // extern "C"
