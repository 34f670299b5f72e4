#include "bloomery/guard/guard_options.h"

#include <cmath>

namespace bloomery::guard {
namespace {

// Durations above a hundred years are refused, so that their sum with a clock cannot overflow.
constexpr std::chrono::hours kLongest{24 * 365 * 100};

Status expect(bool is_right, const char* what) {
  return is_right ? Status() : Error::invalid_argument("guard options", what);
}

bool is_time(std::chrono::milliseconds time, std::chrono::milliseconds least) {
  return time >= least && time <= kLongest;
}

}  // namespace

Status check_options(const GuardOptions& options) {
  using std::chrono::milliseconds;
  const FreshTimes& times = options.times;
  const NegativeOptions& negative = options.negative;
  BLOOMERY_RETURN_IF_ERROR(expect(options.bound.time > milliseconds(0) && options.bound.time <= kLongest,
                                  "bound.time: expected more than 0 and at most 100 years"));
  BLOOMERY_RETURN_IF_ERROR(expect(std::isfinite(times.jitter) && times.jitter >= 0 && times.jitter < 1,
                                  "times.jitter: expected 0 to below 1"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(is_time(times.fresh, milliseconds(1)), "times.fresh: expected at least 1 ms"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(times.keep.count() == 0 || (times.keep >= times.fresh && times.keep <= kLongest),
             "times.keep: expected 0 or at least times.fresh"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(negative.keep >= milliseconds(0) && negative.keep <= options.bound.time,
             "negative.keep: expected at most bound.time, as it denies a stranger's row as long"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(is_time(negative.keep_if_told, milliseconds(0)), "negative.keep_if_told: expected at least 0"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(is_time(options.load_deadline, milliseconds(1)), "load_deadline: expected at least 1 ms"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(options.loads_without_cache >= 1 && options.loads_at_once >= options.loads_without_cache,
             "loads_at_once: expected at least loads_without_cache, and that at least 1"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(is_time(options.recovery, milliseconds(0)), "recovery: expected at least 0"));
  return expect(options.executor || options.refresh_threads >= 1, "refresh_threads: expected at least 1");
}

}  // namespace bloomery::guard
