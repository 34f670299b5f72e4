#include "store/store_log.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "hash/ascii_text.h"
#include "store/no_memory.h"

namespace bloomery::store {
namespace {

// Returns the number at the end of a log's name, or nothing.
std::optional<std::uint64_t> number_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::nullopt : number_from_text<std::uint64_t>(name.substr(dot + 1));
}

}  // namespace

Result<std::vector<std::string>> logs_in(FileSystem& files, const std::string& directory) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(directory));
  std::vector<std::pair<std::uint64_t, std::string>> logs;
  for (const DirectoryEntry& entry : entries) {
    if (const auto number = number_of(entry.name); number && !entry.is_directory) {
      logs.emplace_back(*number, directory + "/" + entry.name);
    }
  }
  std::ranges::sort(logs);
  std::vector<std::string> paths;
  paths.reserve(logs.size());
  for (auto& [number, path] : logs) {
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<std::unique_ptr<StoreLog>> StoreLog::begin(const Environment& environment, LogPlace place,
                                                  std::vector<OldLog> old, std::uint32_t link) {
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogMarkFile mark, wal::LogMarkFile::open(*environment.files, place.mark));
  wal::LogMarker marker(std::move(mark), place.mark_sync);
  std::unique_ptr<StoreLog> log(
      new StoreLog(environment, std::move(place), std::move(old), std::move(marker)));
  if (!log->old_.empty()) {
    log->number_ = number_of(log->old_.back().path).value_or(0);
  }
  BLOOMERY_RETURN_IF_ERROR(log->begin_log(link));
  return log;
}

Status StoreLog::settle(Status status) {
  if (!status && outcome_) {
    outcome_ = status;
  }
  return status;
}

// Begins a log. Its header is on the disk, and marked, before an entry follows.
Status StoreLog::begin_log(std::uint32_t link) {
  FileSystem& files = *environment_.files;
  const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(environment_.clock->now_ms(), 1));
  number_ = std::max(number_ + 1, now);
  path_ = message(place_.directory, "/", place_.server, ".", number_);
  BLOOMERY_ASSIGN_OR_RETURN(file_, files.open(path_, OpenFor::kCreatingExclusively));
  written_ = synced_ = 0;
  buffer_.clear();
  writer_.emplace(buffer_, wal::LogHeader{.seal = wal::Seal{.previous = link}});
  BLOOMERY_RETURN_IF_ERROR(try_write());
  BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(path_));  // the mark never names a log that is not there
  BLOOMERY_RETURN_IF_ERROR(try_sync());
  return marker_.sync();
}

// The log's chain goes on from the last entry that was appended, so a part of another one must not stay.
Status StoreLog::append(const wal::LogEntry& entry) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  const std::size_t size = buffer_.size();
  if (const Status appended = or_no_memory([&] { return writer_->append(entry); }); !appended) {
    buffer_.cut(size);
    return appended;
  }
  last_sequence_ = entry.sequence_id;
  return {};
}

Status StoreLog::try_write() {
  if (buffer_.size() > 0) {
    BLOOMERY_RETURN_IF_ERROR(file_.write_all(buffer_.bytes()));
    written_ += buffer_.size();
    buffer_.clear();
  }
  return {};
}

Status StoreLog::write() {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  return settle(try_write());
}

Status StoreLog::try_sync() {
  BLOOMERY_RETURN_IF_ERROR(try_write());
  if (synced_ == written_) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(environment_.files->sync(file_));
  synced_ = written_;
  return marker_.note_sync(
      {.length = synced_, .link = writer_->link(), .log = path_.substr(path_.rfind('/') + 1)},
      environment_.clock->steady_ms());
}

Status StoreLog::sync() {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  return settle(try_sync());
}

Status StoreLog::try_close() {
  BLOOMERY_RETURN_IF_ERROR(try_sync());
  writer_->close();
  BLOOMERY_RETURN_IF_ERROR(try_write());
  return environment_.files->sync(file_);
}

// The old log is closed and on the disk, with its mark, before the new one exists.
Status StoreLog::try_tend() {
  if (marker_.due_ms()) {
    BLOOMERY_RETURN_IF_ERROR(marker_.tick(environment_.clock->steady_ms()));
  }
  if (written_ + buffer_.size() < place_.log_bytes) {
    return {};
  }
  const std::uint32_t link = writer_->link();
  BLOOMERY_RETURN_IF_ERROR(try_close());
  BLOOMERY_RETURN_IF_ERROR(file_.close());
  old_.push_back({path_, last_sequence_});
  return begin_log(link);
}

Status StoreLog::tend() {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  return settle(try_tend());
}

Status StoreLog::close() {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  BLOOMERY_RETURN_IF_ERROR(settle(try_close()));
  return settle(marker_.sync());
}

Status StoreLog::remove_settled(std::uint64_t sequence) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  while (!old_.empty() && old_.front().last_sequence <= sequence) {
    BLOOMERY_RETURN_IF_ERROR(settle(environment_.files->remove(old_.front().path)));
    // The logs leave in their order, so that no link is missing between those that are left.
    BLOOMERY_RETURN_IF_ERROR(settle(environment_.files->sync_directory_of(path_)));
    old_.erase(old_.begin());
  }
  return {};
}

}  // namespace bloomery::store
