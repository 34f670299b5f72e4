#include "table/layout/root_directory.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <system_error>

#include "base/file.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

std::string below(const TableName& table) {
  return message("data/", table.name_space, "/", table.name);
}

}  // namespace

std::string RootDirectory::table(const TableName& table) const {
  return message(path_, "/", below(table));
}

std::string RootDirectory::live_place(const StoreFilePlace& place, const std::string& family) const {
  return message(path_, "/", below(place.table), "/", place.region, "/", family, "/", place.file);
}

Result<std::string> RootDirectory::find(const StoreFilePlace& place, const std::string& family) const {
  const std::string name = message(below(place.table), "/", place.region, "/", family, "/", place.file);
  for (const char* const folder : {"/", "/archive/", "/.tmp/", "/mobdir/"}) {
    std::string path = message(path_, folder, name);
    const auto facts = FileSystem::real().facts(path);
    if (facts && facts->is_regular) {
      return path;
    }
    if (!facts && facts.error().code() != ErrorCode::kNotFound && facts.error().errno_value() != ENOTDIR) {
      return facts.error();
    }
  }
  return Error(ErrorCode::kNotFound, path_,
               message("expected the store file ", name,
                       " here or below archive, .tmp or mobdir, found none (was it removed?)"));
}

Result<std::string> read_small_file(const std::string& path, std::uint64_t most) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes > most) {
    return Error::capacity(path,
                           message("expected a file of at most ", most, " bytes, found ", facts.size_bytes));
  }
  std::string bytes(static_cast<std::size_t>(facts.size_bytes), '\0');
  BLOOMERY_RETURN_IF_ERROR(
      file.read_exactly_at(0, {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
  return bytes;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace bloomery::table
