#include "bloomery/dialects/database.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <system_error>

#include "base/directory.h"
#include "base/file.h"
#include "bloomery/dialects/dialects.h"
#include "codec/rocksdb/prefix_extractor.h"
#include "codec/sstable/live_files.h"
#include "dialects/database_logs.h"
#include "dialects/manifest_at.h"
#include "dialects/pebble_markers.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRocksDbTable = "rocksdb:table";

// Runs before CURRENT is read, since a Pebble database may have a file CURRENT that names a missing
// manifest. Errors: kUnsupported for a database of Pebble.
Status check_is_not_pebble(const std::string& folder) {
  const Result<std::vector<DirectoryEntry>> entries = list_directory(folder);
  const std::optional<PebbleMarkers> markers = entries ? pebble_markers(*entries) : std::nullopt;
  if (!markers) {
    return {};  // an unreadable folder has no readable CURRENT either
  }
  const std::string format = markers->format.empty() ? "" : " of format " + markers->format;
  return Error(ErrorCode::kUnsupported, folder,
               "expected a database of LevelDB or RocksDB, found one of Pebble" + format + " (manifest " +
                   markers->manifest + "): its filters are not read here");
}

}  // namespace

// Opens the files that one manifest lists.
class DatabaseOpening {
 public:
  DatabaseOpening(const std::string& folder, const DatabaseOptions& options)
      : folder_(folder), options_(options) {}

  Result<Database> open(const ManifestAt& manifest) {
    BLOOMERY_RETURN_IF_ERROR(read_manifest(manifest));
    BLOOMERY_RETURN_IF_ERROR(choose_families());
    BLOOMERY_ASSIGN_OR_RETURN(ReadLogs logs, read_logs(folder_, *live_, comparators_, options_.memory));
    database_.logs_ = std::move(logs.logs);
    database_.log_keys_ = std::move(logs.keys);
    BLOOMERY_RETURN_IF_ERROR(open_files());
    BLOOMERY_RETURN_IF_ERROR(count_ignored());
    return std::move(database_);
  }

 private:
  Status read_manifest(const ManifestAt& manifest) {
    BLOOMERY_ASSIGN_OR_RETURN(live_, read_live_files(folder_, manifest, options_.memory));
    database_.manifest_ = manifest.name;
    database_.manifest_is_torn_ = live_->is_torn();
    return {};
  }

  Status choose_families() {
    std::string names;
    for (const auto& [number, family] : live_->families()) {
      names += (names.empty() ? "" : ", ") + family.name;
      if (options_.column_family.empty() || options_.column_family == family.name) {
        comparators_[number] = family.comparator;
      }
    }
    if (comparators_.empty()) {
      return Error::invalid_argument(folder_, "expected one of its column families (" + names + "), found '" +
                                                  options_.column_family + "'");
    }
    return {};
  }

  Status open_files() {
    for (const auto& [number, live] : live_->families()) {
      for (const auto& [file_number, file] : live.files) {
        live_numbers_.insert(file_number);
      }
      if (!comparators_.contains(number)) {
        continue;
      }
      DatabaseFamily family;
      family.number = number;
      family.name = live.name;
      family.comparator = live.comparator;
      for (const auto& [file_number, file] : live.files) {
        BLOOMERY_ASSIGN_OR_RETURN(DatabaseFile opened, open_file(file));
        family.files.push_back(std::move(opened));
      }
      family.group_levels();
      database_.families_.push_back(std::move(family));
    }
    return {};
  }

  Result<DatabaseFile> open_file(const sstable::LiveFile& live) {
    DatabaseFile file{.name = table_name(folder_, live.number),
                      .number = live.number,
                      .level = live.level,
                      .size_bytes = live.size_bytes,
                      .smallest = live.smallest,
                      .largest = live.largest};
    const Result<FileFacts> facts = FileSystem::real().facts(path_of(file.name));
    if (!facts) {
      return missing_live_file(facts.error(), folder_, file.name, live.path);
    }
    if (facts->size_bytes != live.size_bytes) {
      return Error(ErrorCode::kCorruption, path_of(file.name),
                   "expected the " + std::to_string(live.size_bytes) +
                       " bytes that the manifest says, found " + std::to_string(facts->size_bytes));
    }
    BLOOMERY_RETURN_IF_ERROR(open_filter(file));
    return file;
  }

  // Opens the filter of a table. A table without a usable filter records the reason, which is not an error.
  Status open_filter(DatabaseFile& file) const {
    const std::string path = path_of(file.name);
    std::string dialect;
    const auto found = recognise_dialects(path);
    if (!options_.prefix_extractor.empty() && found && found->size() == 1 &&
        found->front().name == kRocksDbTable) {
      dialect = std::string(kRocksDbTable) + ",prefix=" + options_.prefix_extractor;
    }
    Result<std::unique_ptr<DialectFilter>> filter = open_dialect(path, dialect, options_.memory);
    if (filter && (*filter)->dialect().ends_with(":table")) {
      file.filter = std::move(filter).value();
      return {};
    }
    if (!filter && !dialect.empty() && filter.error().code() == ErrorCode::kInvalidArgument) {
      return filter.error();  // the option contradicts the file
    }
    if (!filter && filter.error().code() == ErrorCode::kNotFound) {
      return missing_live_file(filter.error(), folder_, file.name, 0);
    }
    file.is_damaged = !filter && filter.error().code() == ErrorCode::kCorruption;
    file.trouble = filter ? path + ": expected a table, found a file of " + (*filter)->dialect()
                          : filter.error().to_string();
    return {};
  }

  Status count_ignored() {
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(folder_));
    for (const DirectoryEntry& entry : entries) {
      const auto ldb = number_in_name(entry.name, ".ldb");
      const auto number = ldb ? ldb : number_in_name(entry.name, ".sst");
      database_.ignored_files_ += std::uint64_t{number && !live_numbers_.contains(*number)};
    }
    return {};
  }

  std::string path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

  const std::string& folder_;
  const DatabaseOptions& options_;
  std::optional<sstable::LiveFiles> live_;
  std::map<std::uint64_t, std::string> comparators_;  // by the number of the queried family
  std::set<std::uint64_t> live_numbers_;
  Database database_;
};

Result<Database> Database::open(const std::string& path, const DatabaseOptions& options) {
  constexpr int kMostTries = 20;
  if (!options.prefix_extractor.empty()) {
    BLOOMERY_RETURN_IF_ERROR(RocksDbPrefixExtractor::parse(options.prefix_extractor));
  }
  BLOOMERY_RETURN_IF_ERROR(check_is_not_pebble(path));
  for (int i = 0; i < kMostTries; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const ManifestAt manifest, current_manifest(path));
    Result<Database> opened =
        within_memory(path, [&] { return DatabaseOpening(path, options).open(manifest); });
    // If the manifest has changed, files or logs that it named may have been deleted before they were read.
    if (is_still_current(path, manifest)) {
      return opened;
    }
  }
  return Error(ErrorCode::kIo, path,
               "expected a database that stays the same while it is opened, found its manifest changed " +
                   std::to_string(kMostTries) + " times");
}

std::uint64_t Database::log_keys() const {
  return log_keys_->size();
}

DatabaseAnswer Database::ask(std::string_view key) const {
  if (log_keys_->contain(key)) {
    return DatabaseAnswer::kMaybe;
  }
  DatabaseAnswer answer = log_keys_->may_be_any() ? DatabaseAnswer::kForced : DatabaseAnswer::kNo;
  for (const DatabaseFamily& family : families_) {
    const DatabaseAnswer of_family = family.ask(key);
    if (of_family == DatabaseAnswer::kMaybe) {
      return of_family;
    }
    answer = of_family == DatabaseAnswer::kNo ? answer : of_family;
  }
  return answer;
}

bool Database::forces_maybes() const {
  const auto is_forced = [](const DatabaseFile& file) {
    return file.filter == nullptr || file.filter->forces_maybes();
  };
  return log_keys_->may_be_any() || std::ranges::any_of(families_, [&](const DatabaseFamily& family) {
           return std::ranges::any_of(family.files, is_forced);
         });
}

double Database::current_fpp() const {
  double all_say_no = log_keys_->may_be_any() ? 0 : 1;
  for (const DatabaseFamily& family : families_) {
    all_say_no *= 1 - family.current_fpp();
  }
  return 1 - all_say_no;
}

Status Database::file_status() const {
  for (const DatabaseFamily& family : families_) {
    for (const DatabaseFile& file : family.files) {
      if (const Status whole = file.filter ? file.filter->file_status() : Status(); !whole) {
        return whole.error().in_file(file.name);
      }
    }
  }
  return {};
}

}  // namespace bloomery
