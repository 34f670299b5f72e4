// Changes a filter's file for a verb, in one of two ways:
//
//   in place     if the filter's type can, nothing may have to be undone, and --atomic is not given
//   in memory    otherwise; the filter is then saved over its file
//
//   begin()  waits for the lock of the file and takes it, so that what the verb decides by found() holds until finish()
//   open()   opens the filter itself
//   finish() brings the file up to date
//
// If finish() returns no error, the changes are in the file that has the name.
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

// The options of a verb that say how it updates a file.
struct UpdateChoice {
  LockWait wait = {};
  bool atomic = false;        // --atomic: never in place
  bool accept_dirty = false;  // --after-crash

  // Adds --no-wait and --atomic to a verb.
  void add_to(CLI::App& verb);
};

class FilterUpdate {
 public:
  // Locks the filter and reads its header. Changes nothing. `verb` is the name in messages. Errors: those of
  // LockWait::take() and open_filter(); also if the key options contradict those that the filter recorded.
  static Result<FilterUpdate> begin(std::string_view verb, const std::string& name, const KeyOptions& keys,
                                    const UpdateChoice& choice, const std::atomic<bool>& stop);

  // The filter as its header tells: type, plan and counts. It must not be asked for keys. Valid until open().
  const AnyFilter& found() const { return *filter_; }

  enum class Way {
    kInPlace,   // changes go directly into the file; an interrupted update leaves it marked dirty
    kInMemory,  // without finish() the file stays as it was
    kToAsk,     // the filter is only asked for keys; open() it again to change it
  };
  // Opens the whole filter. kInPlace is a wish: a type that cannot, and --atomic, are opened in memory. Errors:
  // those of open_filter().
  Status open(Way way);

  AnyFilter& filter() { return *filter_; }
  // Brings the file up to date with the filter.
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
