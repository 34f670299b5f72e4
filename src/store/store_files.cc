#include "store/store_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "base/lock_holder.h"
#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "table/layout/table_directory.h"
#include "wal/log_mark.h"

namespace bloomery::store {
namespace {

constexpr std::string_view kFirstLine = "bloomery store ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kDescriptor = "descriptor ";
constexpr const char* kStoreFile = "/.bloomery/STORE";
constexpr const char* kLockFile = "/.bloomery/LOCK";
constexpr const char* kMarkFile = "/.bloomery/MARK";
constexpr const char* kNewSuffix = ".new";
constexpr std::uint64_t kMostStoreBytes = std::uint64_t{1} << 26;

std::string hex_of(std::uint64_t value, int digits) {
  char text[17];
  (void)std::snprintf(text, sizeof(text), "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::uint32_t sum_of(std::string_view bytes) {
  return crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && !text.empty()
             ? std::optional(number)
             : std::nullopt;
}

// Makes a directory whose name is on the disk when this returns.
Status make_synced_directory(FileSystem& files, const std::string& path) {
  BLOOMERY_RETURN_IF_ERROR(files.make_directory(path));
  return files.sync_directory_of(path);
}

// Returns true if the directory has only files that create() makes before STORE.
Result<bool> has_no_store(FileSystem& files, const std::string& root, const std::string& below) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(root + below));
  for (const DirectoryEntry& entry : entries) {
    const std::string path = message(below, "/", entry.name);
    if (entry.is_directory) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool has_none, has_no_store(files, root, path));
      if (!has_none) {
        return false;
      }
    } else if (path != kLockFile && path != kMarkFile && path != message(kStoreFile, kNewSuffix)) {
      return false;
    }
  }
  return true;
}

// A root is for create() if it is empty, or if create() was interrupted in it: then nothing was ever written.
Status check_vacant(FileSystem& files, const std::string& root) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(root));
  const bool was_begun =
      std::ranges::any_of(entries, [](const auto& entry) { return entry.name == ".bloomery"; });
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_none,
                            was_begun ? has_no_store(files, root, "") : Result<bool>(entries.empty()));
  return has_none ? Status()
                  : Error::invalid_argument(root, message("expected an empty or a new directory, found ",
                                                          entries.front().name, " in it"))
                        .with_errno(EEXIST);
}

Error other_root(const std::string& path) {
  return Error::invalid_argument(path,
                                 "expected a root that this store made (`bloomery table create`), found "
                                 "none; a table of HBase is read without a store, or cloned into one");
}

}  // namespace

Status StoreFiles::lock() {
  BLOOMERY_ASSIGN_OR_RETURN(lock_, files_->open(root_ + kLockFile, OpenFor::kUpdating));
  const Status locked = files_->lock_exclusively(lock_);
  return !locked && locked.error().errno_value() == EWOULDBLOCK
             ? Status(held_by_other(root_, files_->facts(lock_)))
             : locked;
}

Result<StoreFiles> StoreFiles::open_anew(FileSystem& files, const std::string& path, std::int64_t now_ms,
                                         std::uint64_t seed, bool saves) {
  StoreFiles store(files, path, seed);
  BLOOMERY_RETURN_IF_ERROR(store.lock());
  store.id_ = store.new_name();
  store.created_ms_ = static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 1));
  // The logs are those of the server that the store was.
  BLOOMERY_ASSIGN_OR_RETURN(const auto servers, table::list_if_there(files, path + "/WALs"));
  for (const DirectoryEntry& server : servers) {
    store.created_ms_ =
        number_of<std::uint64_t>(std::string_view(server.name).substr(server.name.rfind(',') + 1), 10)
            .value_or(store.created_ms_);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, store.directory().tables());
  for (const std::string& text : names) {
    BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
    const std::string folder = store.directory().table(name) + "/.tabledesc";
    BLOOMERY_ASSIGN_OR_RETURN(const auto entries, table::list_if_there(files, folder));
    for (const DirectoryEntry& entry : entries) {
      BLOOMERY_ASSIGN_OR_RETURN(
          const std::string bytes,
          table::read_small_file(files, message(folder, "/", entry.name), kMostStoreBytes));
      store.sums_.emplace(name.text(), sum_of(bytes));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(saves ? store.save() : Status());
  return store;
}

std::string StoreFiles::server() const {
  return message("bloomery,1,", created_ms_);
}

std::string StoreFiles::new_name() {
  return hex_of(random_(), 16) + hex_of(random_(), 16);
}

std::string StoreFiles::text() const {
  std::string text = message(kFirstLine, kVersion, "\nid ", id_, "\ncreated ", created_ms_, "\n");
  for (const auto& [table, sum] : sums_) {
    text += message(kDescriptor, hex_of(sum, 8), " ", table, "\n");
  }
  return text + message("end ", hex_of(sum_of(text), 8), "\n");
}

Status StoreFiles::save() {
  return table::replace_file(*files_, root_ + kStoreFile + kNewSuffix, root_ + kStoreFile, text());
}

Status StoreFiles::add_descriptor(const table::TableName& table, std::string_view bytes) {
  sums_.emplace(table.text(), sum_of(bytes));
  return save();
}

Status StoreFiles::keep_descriptor(const table::TableName& table, std::string_view bytes) {
  std::erase_if(sums_, [&](const auto& sum) { return sum.first == table.text(); });
  if (!bytes.empty()) {
    sums_.emplace(table.text(), sum_of(bytes));
  }
  return save();
}

Status StoreFiles::check_descriptor(const table::TableName& table) const {
  const std::string folder = directory().table(table) + "/.tabledesc";
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files_->list(folder));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.starts_with(".tableinfo")) {
      continue;
    }
    const std::string path = message(folder, "/", entry.name);
    BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes,
                              table::read_small_file(*files_, path, kMostStoreBytes));
    if (!sums_.contains({table.text(), sum_of(bytes)})) {
      return Error::corruption(path, 0, "a descriptor with a checksum that the store knows",
                               hex_of(sum_of(bytes), 8));
    }
  }
  return {};
}

Status StoreFiles::parse(const std::string& text) {
  const auto damage = [&](const char* expected) {
    return Error::corruption(root_ + kStoreFile, 0, expected, "other text");
  };
  if (!text.starts_with(kFirstLine)) {
    return damage("the first line of a store");
  }
  const std::size_t last = text.rfind("end ");
  const std::string_view body = std::string_view(text).substr(0, last);
  if (last == std::string::npos || text.size() != last + 13 || text.back() != '\n' ||
      number_of<std::uint32_t>(std::string_view(text).substr(last + 4, 8), 16) != sum_of(body)) {
    return damage("a correct checksum in the last line");
  }
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find('\n', at);
    if (end == std::string_view::npos) {
      return damage("complete lines");
    }
    const std::string_view line = body.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(kFirstLine) && line.substr(kFirstLine.size()) != kVersion) {
      return Error::unsupported(
          root_ + kStoreFile, 0,
          message("expected version ", kVersion, " of a store, found ", line.substr(kFirstLine.size())));
    }
    if (line.starts_with("id ")) {
      id_ = line.substr(3);
    } else if (line.starts_with("created ")) {
      created_ms_ = number_of<std::uint64_t>(line.substr(8), 10).value_or(0);
    } else if (line.starts_with(kDescriptor) && line.size() > kDescriptor.size() + 9) {
      sums_.emplace(line.substr(kDescriptor.size() + 9),
                    number_of<std::uint32_t>(line.substr(kDescriptor.size(), 8), 16).value_or(0));
    }
  }
  return {};
}

Status StoreFiles::create(FileSystem& files, const std::string& path, std::int64_t now_ms,
                          std::uint64_t seed) {
  const Status vacant = check_vacant(files, path);
  if (!vacant && vacant.error().code() != ErrorCode::kNotFound) {
    return vacant;
  }
  if (!vacant) {
    BLOOMERY_RETURN_IF_ERROR(make_synced_directory(files, path));
  }
  // The first step: what this directory has tells an interrupted creation.
  BLOOMERY_RETURN_IF_ERROR(table::make_directories(files, path, ".bloomery"));
  const Status made = table::write_new_file(files, path + kLockFile, "");
  if (!made && made.error().errno_value() != EEXIST) {
    return made;
  }
  StoreFiles store(files, path, seed);
  BLOOMERY_RETURN_IF_ERROR(store.lock());
  BLOOMERY_RETURN_IF_ERROR(check_vacant(files, path));  // nobody has made it meanwhile
  store.id_ = store.new_name();
  store.created_ms_ = static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 1));
  BLOOMERY_RETURN_IF_ERROR(table::remove_tree(files, path + "/WALs"));  // of a server that never was
  BLOOMERY_RETURN_IF_ERROR(table::make_directories(files, path, "WALs/" + store.server()));
  BLOOMERY_RETURN_IF_ERROR(table::make_root_directories(files, path));
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogMarkFile mark, wal::LogMarkFile::open(files, store.mark()));
  BLOOMERY_RETURN_IF_ERROR(mark.write({}));  // of no log yet
  BLOOMERY_RETURN_IF_ERROR(mark.sync());
  // The last step: without this file the root is no store.
  return store.save();
}

Result<StoreFiles> StoreFiles::open(FileSystem& files, const std::string& path, std::uint64_t seed) {
  StoreFiles store(files, path, seed);
  auto text = table::read_small_file(files, path + kStoreFile, kMostStoreBytes);
  if (!text) {
    return text.error().code() == ErrorCode::kNotFound ? other_root(path) : text.error();
  }
  BLOOMERY_RETURN_IF_ERROR(store.lock());
  // Read again, since another process may have changed it before it let the lock go.
  BLOOMERY_ASSIGN_OR_RETURN(*text, table::read_small_file(files, path + kStoreFile, kMostStoreBytes));
  BLOOMERY_RETURN_IF_ERROR(store.parse(*text));
  return store;
}

}  // namespace bloomery::store
