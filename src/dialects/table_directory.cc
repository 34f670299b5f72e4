#include "bloomery/dialects/table_directory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <system_error>

#include "bloomery/dialects/dialects.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// Compares names of files by their number. Numbers have leading zeros, and more digits only if they need
// them.
bool before(const std::string& a, const std::string& b) {
  return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
}

TableOfDirectory opened(const fs::path& path, const FileMemory& memory) {
  TableOfDirectory table{.name = path.filename().string(), .filter = nullptr, .trouble = {}};
  Result<std::unique_ptr<DialectFilter>> filter = open_dialect(path.string(), {}, memory);
  if (!filter) {
    table.trouble = filter.error().to_string();
  } else if ((*filter)->dialect().ends_with(":table")) {
    table.filter = std::move(filter).value();
  } else {
    table.trouble = path.string() + ": expected a table, found a file of " + (*filter)->dialect();
  }
  return table;
}

}  // namespace

Result<TableDirectory> TableDirectory::open(const std::string& path, const FileMemory& memory) {
  TableDirectory directory;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    std::error_code ignored;
    if (extension == ".ldb" || extension == ".sst") {
      directory.tables_.push_back(opened(entry->path(), memory));
    } else if (extension == ".log" && fs::file_size(entry->path(), ignored) > 0) {
      directory.logs_.push_back(entry->path().filename().string());
    }
  }
  if (error) {
    return Error::io(path, "reading the directory", error.value());
  }
  std::ranges::sort(directory.tables_, before, &TableOfDirectory::name);
  std::ranges::sort(directory.logs_, before);
  return directory;
}

bool TableDirectory::may_contain(std::string_view key) const {
  return std::ranges::any_of(tables_,
                             [key](const TableOfDirectory& table) { return table.may_contain(key); });
}

}  // namespace bloomery
