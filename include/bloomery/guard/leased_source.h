// A leased file as the source of a guard's answers: a feeder in another process keeps the filter current.
//
// Example:
//    auto source = guard::LeasedSource::open("users.leased");  // bloomery feed postgres --file users.leased
//    if (source) {
//      std::shared_ptr<guard::FilterSource> shared = std::move(*source);  // for Guard::make()
//    }
//
// While the lease runs the filter is complete, and its horizon is the moment that the feeder vouches for. Otherwise it is
// cold, so every question passes. The guard's own bound applies beside the feeder's; the smaller one decides.
//
// The key of a question is made as the file records it, as `bloomery query` does (LeasedFilter::key_of()). A key that
// cannot be made, because the file wants several columns or hexadecimal digits, passes.
//
// Threads: all calls may run together.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/leased_filter.h"
#include "bloomery/guard/filter_source.h"

namespace bloomery::guard {

class LeasedSource : public FilterSource {
 public:
  // Errors: those of LeasedFilter::open(). Of the options `secret` and `verify` count.
  static Result<std::unique_ptr<LeasedSource>> open(const std::string& path, const OpenOptions& options = {});

  Asked ask(std::string_view key) const override;
  // Errors: kUnsupported, always. Only the feeder writes to the file. The guard remembers open writes by itself.
  Status insert(std::string_view key) override;
  Completeness completeness() const override;
  SourceFigures figures() const override;

 private:
  explicit LeasedSource(LeasedFilter filter) : filter_(std::move(filter)) {}

  LeasedFilter filter_;
};

}  // namespace bloomery::guard
