// A filter that a verb changes: in place where its type can and nothing has to be taken back, else in memory
// and saved over its file, under a lock either way.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

class FilterUpdate {
 public:
  // Opens and locks the filter. In place changes go into the file, which an interrupted update leaves marked
  // dirty (only where AnyFilter::updates_in_place()); otherwise finish() may be left out, and nothing was
  // changed. Errors: those of open_filter().
  static Result<FilterUpdate> open(const std::string& name, const KeyOptions& keys, bool in_place,
                                   bool accept_dirty);

  AnyFilter& filter() { return filter_; }
  // Makes the file what the filter is now.
  Status finish();

 private:
  FilterUpdate(std::string name, AnyFilter filter, bool in_place)
      : name_(std::move(name)), filter_(std::move(filter)), in_place_(in_place) {}

  std::string name_;
  AnyFilter filter_;
  bool in_place_;
};

// The filter as it is, opened without touching the file or reading more than it must, to see whether a verb
// fits it. Errors: also where the key options contradict what it recorded.
Result<AnyFilter> look_at(const std::string& name, const KeyOptions& keys, bool accept_dirty);

}  // namespace bloomery::cli
