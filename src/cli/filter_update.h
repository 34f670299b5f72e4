// A filter that a verb changes: in place where its type can and nothing has to be taken back, else in memory
// and saved over its file.
//
//   begin()  locks the file; what the verb decides by found() then holds until finish()
//   open()   the filter itself
//   finish() the file is what the filter is now
//
// An answer of finish() that is ok says that the changes are in the file that has the name.
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

class FilterUpdate {
 public:
  // Locks the filter and looks at it, without touching the file or reading more than its header. Errors: those of
  // FileLock::take() and open_filter(), and where the key options contradict what it recorded.
  static Result<FilterUpdate> begin(const std::string& name, const KeyOptions& keys, bool accept_dirty);

  // As its header tells: its type, plan and counts. Not to be asked for keys. Until open().
  const AnyFilter& found() const { return *filter_; }

  // Opens the filter whole. In place changes go into the file, which an interrupted update leaves marked
  // dirty (only where AnyFilter::updates_in_place()); otherwise finish() may be left out, and nothing was
  // changed. Errors: those of open_filter().
  Status open(bool in_place);

  AnyFilter& filter() { return *filter_; }
  // Makes the file what the filter is now.
  Status finish();

 private:
  FilterUpdate(std::string name, FileLock lock, std::string key_file, bool accept_dirty)
      : name_(std::move(name)),
        lock_(std::move(lock)),
        key_file_(std::move(key_file)),
        accept_dirty_(accept_dirty) {}

  std::string name_;
  FileLock lock_;
  std::string key_file_;
  bool accept_dirty_;
  bool in_place_ = false;
  std::optional<AnyFilter> filter_;
};

}  // namespace bloomery::cli
