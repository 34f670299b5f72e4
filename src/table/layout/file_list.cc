#include "table/layout/file_list.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/tracker_list.h"

namespace bloomery::table {
namespace {

std::uint64_t time_after(std::int64_t now_ms, std::uint64_t last) {
  return std::max(static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 0)), last + 1);
}

}  // namespace

Result<FileList> FileList::open(FileSystem& files, const std::string& directory, std::int64_t now_ms) {
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, directory, ".filelist"));
  FileList list(files, directory + "/.filelist");
  BLOOMERY_ASSIGN_OR_RETURN(TrackerLists found, find_tracker_lists(files, list.folder_));
  if (!found.truncated.empty()) {
    return Error::corruption(found.truncated, 0, "a complete list", "a truncated one");
  }
  list.number_ = time_after(now_ms, found.greatest_number);
  list.newest_ = std::move(found.newest);
  list.name_ = std::move(found.name);
  found.others.emplace_back(".new");
  for (const std::string& name : found.others) {
    BLOOMERY_RETURN_IF_ERROR(remove_if_there(files, message(list.folder_, "/", name)));
  }
  return list;
}

Status FileList::update(std::vector<TrackedFile> tracked, std::int64_t now_ms) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  TrackedFiles list{.timestamp = time_after(now_ms, newest_.timestamp), .files = std::move(tracked)};
  outcome_ = write(list);
  if (outcome_) {
    newest_ = std::move(list);
  }
  return outcome_;
}

Status FileList::write(const TrackedFiles& list) {
  const std::string bytes = write_tracker_list(list);
  if (bytes.size() > kMostListBytes + 8) {
    return Error::capacity(
        folder_, message("expected a list of at most ", kMostListBytes, " bytes, found ", bytes.size() - 8));
  }
  std::string name = message(is_second_next_ ? "f2." : "f1.", number_);
  BLOOMERY_RETURN_IF_ERROR(replace_file(*files_, folder_ + "/.new", message(folder_, "/", name), bytes));
  is_second_next_ = !is_second_next_;
  const std::string old = std::exchange(name_, std::move(name));
  if (!old.empty()) {
    (void)files_->remove(message(folder_, "/", old));  // an older list is never read
  }
  return {};
}

}  // namespace bloomery::table
