#include "dialects/manifest_at.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "base/directory.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "dialects/database_logs.h"
#include "dialects/whole_file.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// Reads CURRENT, which contains the name of the manifest and a line feed.
Result<std::string> read_current(const std::string& folder) {
  constexpr std::size_t kMostBytes = 64;  // the number of a manifest has at most 20 digits
  const std::string path = (fs::path(folder) / "CURRENT").string();
  FileSystem& files = FileSystem::real();
  Result<File> file = files.open(path, OpenFor::kReading);
  if (!file && file.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, folder,
                 "a directory: expected a database of LevelDB or RocksDB, found no file CURRENT");
  }
  if (!file) {
    return file.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(*file));
  std::string name(std::min<std::uint64_t>(facts.size_bytes, kMostBytes), '\0');
  BLOOMERY_RETURN_IF_ERROR(file->read_exactly_at(0, std::as_writable_bytes(std::span(name))));
  constexpr std::string_view kFront = "MANIFEST-";
  const bool is_name = name.starts_with(kFront) && name.ends_with('\n') &&
                       number_in_name(name.substr(kFront.size()), "\n").has_value();
  if (!is_name) {
    return Error::corruption(path, 0, "expected the name of a manifest and a line feed, found other bytes");
  }
  name.pop_back();
  return name;
}

std::uint64_t size_or_none(const std::string& path) {
  const Result<FileFacts> facts = FileSystem::real().facts(path);
  return facts ? facts->size_bytes : ~std::uint64_t{0};
}

std::string file_name(std::uint64_t number, const char* extension) {
  constexpr std::size_t kDigits = 6;
  const std::string digits = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits + extension;
}

// Returns true if the tables of the database are named .ldb, as in current LevelDB.
bool has_ldb_files(const std::string& folder) {
  const auto entries = list_directory(folder);
  return entries && std::ranges::any_of(*entries, [](const DirectoryEntry& entry) {
           return number_in_name(entry.name, ".ldb").has_value();
         });
}

}  // namespace

Result<ManifestAt> current_manifest(const std::string& folder) {
  ManifestAt manifest;
  BLOOMERY_ASSIGN_OR_RETURN(manifest.name, read_current(folder));
  manifest.size_bytes = size_or_none((fs::path(folder) / manifest.name).string());
  return manifest;
}

bool is_still_current(const std::string& folder, const ManifestAt& manifest) {
  const Result<ManifestAt> now = current_manifest(folder);
  return now && *now == manifest;
}

Result<sstable::LiveFiles> read_live_files(const std::string& folder, const ManifestAt& manifest,
                                           const FileMemory& memory) {
  const std::string path = (fs::path(folder) / manifest.name).string();
  const Result<std::shared_ptr<MappedFile>> mapping = map_whole(path);
  if (!mapping) {
    return missing_live_file(mapping.error(), folder, manifest.name, 0);
  }
  const auto bytes = bytes_of_mapping(**mapping);
  // Ignores records that were appended after the size was read.
  Result<sstable::LiveFiles> live =
      sstable::LiveFiles::read(bytes.first(std::min<std::size_t>(bytes.size(), manifest.size_bytes)), path,
                               MemoryBudget::of_file(memory, manifest.size_bytes));
  BLOOMERY_RETURN_IF_ERROR((*mapping)->status());
  return live;
}

std::string table_name(const std::string& folder, std::uint64_t number) {
  const std::string ldb = file_name(number, ".ldb");
  const std::string sst = file_name(number, ".sst");
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  if (size_or_none((fs::path(folder) / ldb).string()) != kNone) {
    return ldb;
  }
  const bool has_sst = size_or_none((fs::path(folder) / sst).string()) != kNone;
  return has_sst || !has_ldb_files(folder) ? sst : ldb;
}

Error missing_live_file(const Error& error, const std::string& folder, const std::string& name,
                        std::uint64_t path) {
  if (error.code() != ErrorCode::kNotFound) {
    return error;
  }
  const std::string where =
      path == 0 ? "" : " (it is in path " + std::to_string(path) + " of RocksDB's db_paths)";
  return {ErrorCode::kCorruption, folder,
          "expected the file " + name + ", which the database needs" + where + ", found none"};
}

}  // namespace bloomery
