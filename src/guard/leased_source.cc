#include "bloomery/guard/leased_source.h"

#include <span>
#include <utility>

namespace bloomery::guard {
namespace {

Completeness completeness_of(const LeaseState& state) {
  return {.phase = state.holds ? FilterPhase::kComplete : FilterPhase::kCold,
          .position = state.position,
          .lag_bytes = 0,  // the page does not record it
          .horizon_ns = static_cast<std::int64_t>(state.complete_at_ns),
          .epoch = state.generation};
}

}  // namespace

Result<std::unique_ptr<LeasedSource>> LeasedSource::open(const std::string& path,
                                                         const OpenOptions& options) {
  OpenOptions with_recorded_keys = options;
  // Ask() makes keys by the rule that the file records.
  with_recorded_keys.recorded_keys = RecordedKeys::kKnown;
  BLOOMERY_ASSIGN_OR_RETURN(LeasedFilter filter, LeasedFilter::open(path, with_recorded_keys));
  return std::unique_ptr<LeasedSource>(new LeasedSource(std::move(filter)));
}

Asked LeasedSource::ask(std::string_view key) const {
  const LeaseState before = filter_.state();
  const Result<LeaseAnswer> answer = filter_.answer(std::span(&key, 1));
  if (!before.holds || !answer || *answer != LeaseAnswer::kNo) {
    return {.may_contain = true, .seen = completeness_of(before)};
  }
  // A rebuild may have replaced the filter during the query. It is then unknown which filter said no, so the
  // answer is maybe.
  return {.may_contain = filter_.state().generation != before.generation, .seen = completeness_of(before)};
}

Status LeasedSource::insert(std::string_view /*key*/) {
  return Error::unsupported(
      "leased file", 0, "expected a filter that this process writes to, found one that a feeder writes to");
}

Completeness LeasedSource::completeness() const {
  return completeness_of(filter_.state());
}

SourceFigures LeasedSource::figures() const {
  return {.target_fpp = filter_.target_fpp()};
}

}  // namespace bloomery::guard
