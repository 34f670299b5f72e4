// Changes the file of a filter for a verb, in one of two ways:
//
//   in place     if the filter's type allows it, no change may have to be undone, and --atomic is not given
//   in memory    otherwise; the filter is then saved over its file
//
//   begin()  waits for the file's lock and acquires it, so that what found() shows stays true until finish()
//   open()   opens the filter itself
//   finish() writes all changes to the file
//
// If finish() returns no error, the file with the filter's name has the changes.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "cli/key_options.h"
#include "cli/lock_wait.h"

namespace bloomery::cli {

// The options of a verb that decide how it updates a file.
struct UpdateChoice {
  LockWait wait = {};
  bool atomic = false;        // --atomic: never in place
  bool accept_dirty = false;  // --after-crash

  // Adds --no-wait and --atomic to a verb.
  void add_to(CLI::App& verb);
};

class FilterUpdate {
 public:
  // Locks the filter's file and reads its header. Changes nothing. Messages begin with `verb`. Errors: kIo
  // and kInvalidArgument of LockWait::take(), errors of open_filter(), and kInvalidArgument if the key
  // options contradict the filter's record.
  static Result<FilterUpdate> begin(std::string_view verb, const std::string& name, const KeyOptions& keys,
                                    const UpdateChoice& choice, const std::atomic<bool>& stop);

  // Returns the filter's header: type, plan and counts. It cannot be queried. Valid until open().
  const AnyFilter& found() const { return *filter_; }

  enum class Way {
    kInPlace,   // changes go directly into the file; an interrupted update leaves it marked as dirty
    kInMemory,  // the file is unchanged until finish()
    kToAsk,     // the filter is only queried; to change it, open() it again
  };
  // Opens the entire filter. With kInPlace, types that do not support it are opened in memory, and so are all
  // types with --atomic. Errors: those of open_filter().
  Status open(Way way);

  AnyFilter& filter() { return *filter_; }
  // Writes all changes of the filter to the file.
  Status finish();

 private:
  FilterUpdate(std::string name, FileLock lock, std::string key_file, const UpdateChoice& choice)
      : name_(std::move(name)), lock_(std::move(lock)), key_file_(std::move(key_file)), choice_(choice) {}

  std::string name_;
  FileLock lock_;
  std::string key_file_;
  UpdateChoice choice_;
  bool in_place_ = false;
  std::optional<AnyFilter> filter_;
};

}  // namespace bloomery::cli
