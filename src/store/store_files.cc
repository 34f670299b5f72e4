#include "store/store_files.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "base/message.h"
#include "wal/log_mark.h"

namespace bloomery::store {
namespace {

constexpr std::string_view kFirstLine = "bloomery store ";
constexpr std::string_view kVersion = "1";
constexpr const char* kStoreFile = "/.bloomery/STORE";
constexpr const char* kLockFile = "/.bloomery/LOCK";
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

// Writes a new file, and waits until it and its name are on the disk.
Status write_file(FileSystem& files, const std::string& path, std::string_view bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kCreatingExclusively));
  BLOOMERY_RETURN_IF_ERROR(file.write_all(std::as_bytes(std::span(bytes.data(), bytes.size()))));
  BLOOMERY_RETURN_IF_ERROR(file.sync());
  BLOOMERY_RETURN_IF_ERROR(file.close());
  return files.sync_directory_of(path);
}

// Replaces a file, so that after a crash the old or the new one is there.
Status replace_file(FileSystem& files, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".new";
  if (const Status removed = files.remove(temporary);
      !removed && removed.error().code() != ErrorCode::kNotFound) {
    return removed;
  }
  BLOOMERY_RETURN_IF_ERROR(write_file(files, temporary, bytes));
  BLOOMERY_RETURN_IF_ERROR(files.rename(temporary, path));
  return files.sync_directory_of(path);
}

// Makes a directory whose name is on the disk when this returns.
Status make_synced_directory(FileSystem& files, const std::string& path) {
  BLOOMERY_RETURN_IF_ERROR(files.make_directory(path));
  return files.sync_directory_of(path);
}

Error other_root(const std::string& path) {
  return Error::invalid_argument(path, "expected a root that this store made (`bloomery table create`), found "
                                       "none; a table of HBase is read without a store, or cloned into one");
}

}  // namespace

std::string StoreFiles::server() const {
  return message("bloomery,1,", created_ms_);
}

std::string StoreFiles::new_name() {
  return hex_of(random_(), 16) + hex_of(random_(), 16);
}

void StoreFiles::add_sum(const std::string& path, std::string_view bytes) {
  sums_[path] = sum_of(bytes);
}

void StoreFiles::remove_sums(std::string_view path) {
  std::erase_if(sums_, [&](const auto& sum) {
    return sum.first == path ||
           (sum.first.size() > path.size() && sum.first.starts_with(path) && sum.first[path.size()] == '/');
  });
}

std::string StoreFiles::text() const {
  std::string text = message(kFirstLine, kVersion, "\nid ", id_, "\ncreated ", created_ms_, "\n");
  for (const auto& [path, sum] : sums_) {
    text += message("sum ", hex_of(sum, 8), " ", path, "\n");
  }
  return text + message("end ", hex_of(sum_of(text), 8), "\n");
}

Status StoreFiles::save() {
  return replace_file(*files_, root_ + kStoreFile, text());
}

Status StoreFiles::check_sum(const std::string& path, std::string_view bytes) const {
  const auto found = sums_.find(path);
  if (found == sums_.end() || found->second != sum_of(bytes)) {
    return Error::corruption(
        root_ + "/" + path, 0,
        found == sums_.end() ? "a file that the store has summed" : "the checksum " + hex_of(found->second, 8),
        found == sums_.end() ? "none" : hex_of(sum_of(bytes), 8));
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
      return Error::unsupported(root_ + kStoreFile, 0,
                                message("expected version ", kVersion, " of a store, found ",
                                        line.substr(kFirstLine.size())));
    }
    if (line.starts_with("id ")) {
      id_ = line.substr(3);
    } else if (line.starts_with("created ")) {
      created_ms_ = number_of<std::uint64_t>(line.substr(8), 10).value_or(0);
    } else if (line.starts_with("sum ") && line.size() > 13) {
      sums_[std::string(line.substr(13))] = number_of<std::uint32_t>(line.substr(4, 8), 16).value_or(0);
    }
  }
  return {};
}

Status StoreFiles::create(FileSystem& files, const std::string& path, std::int64_t now_ms,
                          std::uint64_t seed) {
  const auto there = files.list(path);
  if (there && !there->empty()) {
    return Error::invalid_argument(path, message("expected an empty or a new directory, found ",
                                                 there->front().name, " in it"))
        .with_errno(EEXIST);
  }
  if (!there && there.error().code() != ErrorCode::kNotFound) {
    return there.error();
  }
  if (!there) {
    BLOOMERY_RETURN_IF_ERROR(make_synced_directory(files, path));
  }
  StoreFiles store(files, path, seed);
  store.id_ = store.new_name();
  store.created_ms_ = static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 1));
  for (const std::string& directory :
       {std::string("/data"), std::string("/data/default"), std::string("/WALs"), "/WALs/" + store.server(),
        std::string("/.tmp"), std::string("/.bloomery")}) {
    BLOOMERY_RETURN_IF_ERROR(make_synced_directory(files, path + directory));
  }
  BLOOMERY_RETURN_IF_ERROR(write_file(files, path + kLockFile, ""));
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
  BLOOMERY_ASSIGN_OR_RETURN(store.lock_, files.open(path + kLockFile, OpenFor::kUpdating));
  if (const Status locked = files.lock_exclusively(store.lock_); !locked) {
    return locked.error().errno_value() == EWOULDBLOCK ? Error::in_use(path) : locked.error();
  }
  // Read again, since another process may have changed it before it let the lock go.
  BLOOMERY_ASSIGN_OR_RETURN(*text, table::read_small_file(files, path + kStoreFile, kMostStoreBytes));
  BLOOMERY_RETURN_IF_ERROR(store.parse(*text));
  return store;
}

}  // namespace bloomery::store
