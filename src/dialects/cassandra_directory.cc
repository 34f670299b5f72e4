#include "bloomery/dialects/cassandra_directory.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <sys/stat.h>
#include <system_error>

#include "base/directory.h"
#include "base/message.h"
#include "bloomery/dialects/dialects.h"
#include "codec/cassandra/component_file.h"
#include "codec/cassandra/key_type.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "codec/cassandra/transaction_log.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr int kMostReadings = 8;  // attempts, if the directory changes while it is read
constexpr const char* kFilter = "Filter.db";
constexpr const char* kContents = "TOC.txt";

// The files of a directory that belong to sstables, grouped by kind. Others, and files that end in .tmp,
// are left out.
struct Listing {
  std::vector<std::string> logs;
  std::map<std::string, std::vector<SSTableName>> sstables;  // by the prefix of the file names
  std::vector<std::string> temporary;

  std::vector<std::string> names;  // of all files of the listing
};

Result<Listing> list(const std::string& path) {
  Listing listing;
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(path));
  for (const DirectoryEntry& entry : entries) {
    const std::string& name = entry.name;
    const std::optional<SSTableName> parsed = parse_sstable_name(name);
    if (is_transaction_log_name(name)) {
      listing.logs.push_back(name);
    } else if (!parsed || parsed->component.ends_with(".tmp")) {
      continue;
    } else if (parsed->is_temporary) {
      listing.temporary.push_back(name);
    } else {
      listing.sstables[parsed->prefix].push_back(*parsed);
    }
    listing.names.push_back(name);
  }
  return listing;
}

std::string without_hyphen(const std::string& prefix) {
  return prefix.substr(0, prefix.size() - 1);
}

// Returns the number of files of each sstable, and the time of the newest file.
std::vector<SSTableFiles> files_of(const Listing& listing, const std::string& folder) {
  std::vector<SSTableFiles> all;
  for (const auto& [prefix, components] : listing.sstables) {
    SSTableFiles files{.sstable = without_hyphen(prefix),
                       .files = static_cast<std::uint32_t>(components.size())};
    for (const SSTableName& name : components) {
      struct stat facts = {};
      if (::stat(message(folder, "/", prefix, name.component).c_str(), &facts) == 0) {
        const std::int64_t milliseconds =
            std::int64_t{facts.st_mtim.tv_sec} * 1000 + std::int64_t{facts.st_mtim.tv_nsec} / 1'000'000;
        files.newest_ms =
            std::max(files.newest_ms, static_cast<std::uint64_t>(std::max<std::int64_t>(milliseconds, 0)));
      }
    }
    all.push_back(std::move(files));
  }
  return all;
}

// Returns the sstables that are obsolete by any log, with the name of that log.
Result<std::map<std::string, std::string>> read_dead(const Listing& listing, const std::string& path) {
  std::error_code error;
  const std::string folder = fs::canonical(path, error).string();
  if (error) {
    return Error::io(path, "resolving the path", error.value());
  }
  const std::vector<SSTableFiles> present = files_of(listing, folder);
  std::map<std::string, std::string> dead;
  for (const std::string& name : listing.logs) {
    const std::string log_path = message(path, "/", name);
    BLOOMERY_ASSIGN_OR_RETURN(const std::string text, read_component(log_path));
    BLOOMERY_ASSIGN_OR_RETURN(const TransactionLog log, in_file(read_transaction_log(text), log_path));
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> of_log,
                              in_file(dead_sstables(log, folder, present), log_path));
    for (const std::string& sstable : of_log) {
      dead.emplace(sstable, name);
    }
  }
  return dead;
}

bool has(std::span<const SSTableName> components, std::string_view component) {
  return std::ranges::find(components, component, &SSTableName::component) != components.end();
}

// Returns the reason why an sstable's filter is not used; empty if it is used.
Result<std::string> why_not(const std::string& base, std::span<const SSTableName> components) {
  if (!has(components, kFilter) && !has(components, kContents)) {
    return std::string("it has no Filter.db");
  }
  if (!has(components, kContents)) {
    return std::string();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string text, read_component(base + kContents));
  const std::string lines = "\n" + text + "\n";
  const bool listed = lines.find(std::string("\n") + kFilter + "\n") != std::string::npos ||
                      lines.find(std::string("\n") + kFilter + "\r\n") != std::string::npos;
  if (listed) {
    return std::string(has(components, kFilter) ? "" : "its TOC.txt names a Filter.db, which is missing");
  }
  return std::string(has(components, kFilter) ? "its TOC.txt does not name the Filter.db that is there"
                                              : "it has no Filter.db (bloom_filter_fp_chance is 1)");
}

Result<std::optional<std::string>> recorded_type(const std::string& path, const SSTableName& name) {
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraLayout layout, cassandra_layout(name.version));
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<SSTableStatistics> statistics,
                            statistics_beside(path, name, layout));
  return statistics ? statistics->key_type : std::nullopt;
}

// Opens the filter of one sstable, or returns the reason why it may contain every key. Errors: kUnsupported
// for an unknown version; kNotFound if a file disappeared.
Result<SSTableOfDirectory> open_sstable(const std::string& path, const std::string& prefix,
                                        std::span<const SSTableName> components, const FileMemory& memory) {
  SSTableOfDirectory table{.name = without_hyphen(prefix), .filter = nullptr, .trouble = {}};
  BLOOMERY_RETURN_IF_ERROR(in_file(cassandra_layout(components.front().version), path + "/" + table.name));
  const std::string base = path + "/" + prefix;
  BLOOMERY_ASSIGN_OR_RETURN(table.trouble, why_not(base, components));
  if (!table.trouble.empty()) {
    return table;
  }
  Result<std::unique_ptr<DialectFilter>> filter = open_dialect(base + kFilter, "cassandra", memory);
  if (filter) {
    table.filter = std::move(filter).value();
  } else if (filter.error().code() == ErrorCode::kNotFound) {
    return filter.error();
  } else {
    table.trouble = filter.error().to_string();
  }
  return table;
}

// The result of reading a folder.
struct Opened {
  std::vector<SSTableOfDirectory> sstables;                // the live sstables
  std::vector<std::pair<std::string, std::string>> types;  // an sstable and its recorded key type
  std::vector<std::string> notes;                          // sentences about what was omitted
};

// Opens the live sstables of a folder. Errors: the errors of reading; kNotFound if a file disappeared
// meanwhile.
Result<Opened> open_live(const std::string& path, const Listing& listing, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto dead, read_dead(listing, path));
  Opened opened;
  for (const auto& [prefix, components] : listing.sstables) {
    if (const auto log = dead.find(without_hyphen(prefix)); log != dead.end()) {
      opened.notes.push_back(log->first + " is left out: it is not live by " + log->second);
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(SSTableOfDirectory table, open_sstable(path, prefix, components, memory));
    const Result<std::optional<std::string>> type =
        recorded_type(message(path, "/", prefix, kFilter), components.front());
    if (type && *type) {
      opened.types.emplace_back(table.name, **type);
    } else if (!type && table.trouble.empty()) {
      table.filter = nullptr;
      table.trouble = type.error().to_string();
    }
    opened.sstables.push_back(std::move(table));
  }
  for (const std::string& name : listing.temporary) {
    opened.notes.push_back(name + " is left out: it was being written");
  }
  return opened;
}

bool by_name(const SSTableOfDirectory& a, const SSTableOfDirectory& b) {
  return std::pair(a.name.size(), std::string_view(a.name)) <
         std::pair(b.name.size(), std::string_view(b.name));
}

}  // namespace

bool CassandraDirectory::looks_like_one(const std::string& path) {
  const Result<std::vector<DirectoryEntry>> entries = list_directory(path);
  return entries && std::ranges::any_of(*entries, [](const DirectoryEntry& entry) {
           return parse_sstable_name(entry.name) || is_transaction_log_name(entry.name);
         });
}

Result<CassandraDirectory> CassandraDirectory::open(const std::string& path, const FileMemory& memory) {
  for (int reading = 0; reading < kMostReadings; ++reading) {
    BLOOMERY_ASSIGN_OR_RETURN(const Listing listing, list(path));
    if (listing.sstables.empty() && listing.logs.empty()) {
      return Error::invalid_argument(path, "a directory: expected the sstables of a table, found none");
    }
    Result<Opened> opened = open_live(path, listing, memory);
    BLOOMERY_ASSIGN_OR_RETURN(const Listing after, list(path));
    if (after.names != listing.names) {
      continue;
    }
    if (!opened) {
      return opened.error();
    }
    CassandraDirectory directory;
    directory.sstables_ = std::move(opened->sstables);
    directory.notes_ = std::move(opened->notes);
    directory.types_ = std::move(opened->types);
    std::ranges::sort(directory.sstables_, by_name);
    return directory;
  }
  return Error(ErrorCode::kIo, path, "expected files that stay, found others at every one of 8 readings");
}

Result<std::optional<std::string>> CassandraDirectory::key_type() const {
  if (types_.empty()) {
    return std::optional<std::string>();
  }
  const auto& [first, first_type] = types_.front();
  const Result<CassandraKeyType> expected = parse_cassandra_key_type(first_type);
  for (const auto& [other, other_type] : types_) {
    const Result<CassandraKeyType> found = parse_cassandra_key_type(other_type);
    const bool same = expected && found ? *expected == *found : first_type == other_type;
    if (!same) {
      return Error::invalid_argument(
          other, message("type of the key: expected ", first_type, " as in ", first, ", found ", other_type));
    }
  }
  return std::optional(first_type);
}

bool CassandraDirectory::may_contain(std::string_view key) const {
  return std::ranges::any_of(sstables_,
                             [key](const SSTableOfDirectory& table) { return table.may_contain(key); });
}

}  // namespace bloomery
