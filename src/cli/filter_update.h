// Changes a filter's file for a verb, in one of two ways:
//
//   in place     if the filter's type can and nothing may have to be undone
//   in memory    otherwise; the filter is then saved over its file
//
//   begin()  locks the file, so that what the verb decides by found() holds until finish()
//   open()   opens the filter itself
//   finish() brings the file up to date
//
// If finish() returns no error, the changes are in the file that has the name.
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
  // Locks the filter and reads its header. Changes nothing. Errors: those of FileLock::take() and
  // open_filter(); also if the key options contradict those that the filter recorded.
  static Result<FilterUpdate> begin(const std::string& name, const KeyOptions& keys, bool accept_dirty);

  // The filter as its header tells: type, plan and counts. It must not be asked for keys. Valid until open().
  const AnyFilter& found() const { return *filter_; }

  // Opens the whole filter. Errors: those of open_filter().
  //
  //   in_place true    changes go directly into the file; an interrupted update leaves it marked dirty.
  //                    Precondition: found().updates_in_place()
  //   in_place false   changes are in memory; without finish() the file stays as it was
  Status open(bool in_place);

  AnyFilter& filter() { return *filter_; }
  // Brings the file up to date with the filter.
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
