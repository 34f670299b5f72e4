// A leased file as the source of a guard: a feeder in another process keeps the filter current.
//
// Example:
//    auto source = guard::LeasedSource::open("users.leased");  // bloomery feed postgres --file users.leased
//    if (source) {
//      std::shared_ptr<guard::FilterSource> shared = std::move(*source);  // for Guard::make()
//    }
//
// While the lease is valid, the filter is complete and its horizon is the moment that the feeder certifies.
// Otherwise it is cold, so every query passes. The guard's own bound applies in addition to the feeder's;
// the smaller one decides.
//
// A query's text becomes a key by the rule that the file records, as in `bloomery query`
// (LeasedFilter::key_of()). A text that cannot become a key, because the file expects several columns or
// hexadecimal digits, passes.
//
// Threads: all calls may run concurrently.
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
  // Uses the options `secret` and `verify`. Errors: those of LeasedFilter::open().
  static Result<std::unique_ptr<LeasedSource>> open(const std::string& path, const OpenOptions& options = {});

  Asked ask(std::string_view key) const override;
  // Errors: kUnsupported, always: only the feeder writes to the file. The guard remembers open writes by
  // itself.
  Status insert(std::string_view key) override;
  Completeness completeness() const override;
  SourceFigures figures() const override;

 private:
  explicit LeasedSource(LeasedFilter filter) : filter_(std::move(filter)) {}

  LeasedFilter filter_;
};

}  // namespace bloomery::guard
