#include "store/store_check.h"

#include <algorithm>
#include <optional>

#include "base/message.h"
#include "store/recovery.h"
#include "store/store_files.h"
#include "table/layout/disk_calls.h"
#include "table/layout/tracker_list.h"
#include "wal/log_mark.h"
#include "wal/log_reader.h"

namespace bloomery::store {
namespace {

class StoreChecker {
 public:
  StoreChecker(const StoreFiles& files, const FileMemory& memory) : files_(files), memory_(memory) {}

  Result<StoreCheck> run() {
    BLOOMERY_ASSIGN_OR_RETURN(const auto names, files_.directory().tables());
    for (const std::string& text : names) {
      BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
      ++check_.descriptors;
      see(files_.check_descriptor(name));
      see(check_families(files_.directory().table(name)));
    }
    return run_logs();
  }
  StoreCheck run_logs() {
    see(check_logs());
    return std::move(check_);
  }

 private:
  void see(const Status& status) {
    if (!status) {
      check_.faults.push_back(status.error());
    }
  }

  // Checks the lists of the families of each region. Names of regions and families begin with no dot.
  Status check_families(const std::string& table) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto regions, directories_in(table));
    for (const std::string& region : regions) {
      BLOOMERY_ASSIGN_OR_RETURN(const auto families, directories_in(region));
      for (const std::string& family : families) {
        see(check_list(family));
      }
    }
    return {};
  }

  Result<std::vector<std::string>> directories_in(const std::string& directory) const {
    BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files_.file_system().list(directory));
    std::vector<std::string> paths;
    for (const DirectoryEntry& entry : entries) {
      if (entry.is_directory && !entry.name.starts_with('.') && entry.name != "recovered.edits") {
        paths.push_back(message(directory, "/", entry.name));
      }
    }
    return paths;
  }

  Status check_list(const std::string& family) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t lists, check_lists(files_.file_system(), family));
    check_.lists += lists;
    BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files_.file_system().list(family));
    const bool has_files =
        std::ranges::any_of(entries, [](const DirectoryEntry& entry) { return !entry.is_directory; });
    return lists == 0 && has_files
               ? Status(Error::corruption(family + "/.filelist", 0, "a list of the family's files", "none"))
               : Status();
  }

  Status check_logs() {
    FileSystem& files = files_.file_system();
    BLOOMERY_ASSIGN_OR_RETURN(auto paths, logs_in(files, files_.logs()));
    BLOOMERY_ASSIGN_OR_RETURN(const auto mark, wal::read_log_mark(files, files_.mark()));
    const auto is_marked = [&](const std::string& path) { return path.ends_with("/" + mark.log); };
    if (!mark.log.empty() && std::ranges::none_of(paths, is_marked)) {
      return Error::corruption(files_.logs(), 0, message("the log ", mark.log, " of the mark"),
                               message(paths.size(), " others"));
    }
    BLOOMERY_ASSIGN_OR_RETURN(auto links, previous_links(paths));
    if (!paths.empty() && !links.back() && !is_marked(paths.back())) {
      paths.pop_back();  // it was begun and never got its header
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      wal::LogReadOptions options{.memory = memory_};
      options.mark = is_marked(paths[i]) ? std::optional(mark) : std::nullopt;
      options.ends_at_link = i + 1 < paths.size() ? links[i + 1] : std::nullopt;
      options.is_torn_after_mark = i + 1 == paths.size();
      see(in_file(check_log(paths[i], options), paths[i]));
    }
    return {};
  }

  // Returns for each log the link that its header names, or nothing without a header.
  Result<std::vector<std::optional<std::uint32_t>>> previous_links(
      const std::vector<std::string>& paths) const {
    std::vector<std::optional<std::uint32_t>> links;
    for (const std::string& path : paths) {
      const auto log = wal::LogReader::open(files_.file_system(), path, {.memory = memory_});
      if (!log) {
        return log.error().in_file(path);
      }
      links.push_back(log->is_sealed() ? std::optional(log->header().seal->previous) : std::nullopt);
    }
    return links;
  }

  // Reads the log to its end: the link that the next log names, or the last entry of the newest log.
  Status check_log(const std::string& path, const wal::LogReadOptions& options) {
    ++check_.logs;
    BLOOMERY_ASSIGN_OR_RETURN(auto log, wal::LogReader::open(files_.file_system(), path, options));
    if (!log.is_sealed()) {
      return Error::corruption(wal::kLogSubject, 0, "a header with a seal", "none");
    }
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool found, log.next());
      if (!found) {
        break;
      }
      ++check_.entries;
    }
    if (options.ends_at_link && log.link() != *options.ends_at_link) {
      return Error::corruption(wal::kLogSubject, log.position(),
                               message("a log that ends with the link ", *options.ends_at_link),
                               message(log.link()));
    }
    return {};
  }

  const StoreFiles& files_;
  const FileMemory& memory_;
  StoreCheck check_;
};

}  // namespace

bool is_store(FileSystem& files, const std::string& root) {
  return files.open(root + "/.bloomery/STORE", OpenFor::kReading).has_value();
}

Result<StoreCheck> check_logs(const StoreFiles& files, const FileMemory& memory) {
  return StoreChecker(files, memory).run_logs();
}

Result<StoreCheck> check_store(FileSystem& files, const std::string& root, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const StoreFiles opened, StoreFiles::open(files, root, 0));
  return StoreChecker(opened, memory).run();
}

}  // namespace bloomery::store
