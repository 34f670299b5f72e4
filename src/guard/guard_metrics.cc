#include "bloomery/guard/guard_metrics.h"

#include <limits>

#include "bloomery/guard/prometheus.h"

namespace bloomery::guard {
namespace {

struct Row {
  const char* name;
  const char* help;
  std::uint64_t GuardMetrics::*value;
};

constexpr Row kCounterRows[] = {
    {"rejected_total", "Questions that the filter answered no.", &GuardMetrics::rejected},
    {"would_reject_total", "Questions that the filter would have answered no, in shadow mode.",
     &GuardMetrics::would_reject},
    {"wrong_rejections_total",
     "Keys that were found although the filter would have answered no, in shadow mode.",
     &GuardMetrics::wrong_rejections},
    {"filter_passed_total", "Questions that a believed filter passed.", &GuardMetrics::filter_passed},
    {"unfiltered_total", "Questions that passed because the filter was not believed or not asked.",
     &GuardMetrics::unfiltered},
    {"passed_found_total", "Questions that the filter passed and that had a row.",
     &GuardMetrics::passed_found},
    {"passed_absent_total", "Questions that the filter passed and that had no row.",
     &GuardMetrics::passed_absent},
    {"cache_hits_total", "Answers from the cache.", &GuardMetrics::cache_hits},
    {"stale_answers_total", "Answers that were past their fresh time.", &GuardMetrics::stale_answers},
    {"copy_answers_total", "Answers from this process's copies.", &GuardMetrics::copy_answers},
    {"negative_hits_total", "Answers from the negative cache.", &GuardMetrics::negative_hits},
    {"joined_total", "Questions that waited for the load of another one.", &GuardMetrics::joined},
    {"failed_total", "Questions that ended with an error.", &GuardMetrics::failed},
    {"loads_total", "Calls of the loader.", &GuardMetrics::loads},
    {"load_errors_total", "Calls of the loader that failed.", &GuardMetrics::load_errors},
    {"refreshes_total", "Calls of the loader in the background.", &GuardMetrics::refreshes},
    {"gate_refusals_total", "Loads that found no room by their deadline.", &GuardMetrics::gate_refusals},
    {"lease_waits_total", "Loads that waited for another process.", &GuardMetrics::lease_waits},
    {"cache_errors_total", "Calls of the cache that failed.", &GuardMetrics::cache_errors},
    {"writes_total", "Writes through the guard.", &GuardMetrics::writes},
    {"spoiled_total", "Loads whose result a write forbade to keep.", &GuardMetrics::spoiled},
};

double seconds(std::chrono::nanoseconds time) {
  return time == std::chrono::nanoseconds::max() ? std::numeric_limits<double>::infinity()
                                                 : std::chrono::duration<double>(time).count();
}

}  // namespace

std::string prometheus_text(const GuardMetrics& metrics, const std::string& labels) {
  PrometheusText text(labels);
  const std::string prefix = "bloomery_guard_";
  for (const Row& row : kCounterRows) {
    text.counter(prefix + row.name, row.help, metrics.*row.value);
  }
  for (const GuardState state :
       {GuardState::kCold, GuardState::kLoading, GuardState::kActive, GuardState::kStale}) {
    text.gauge(prefix + "state", "1 for the state that the guard is in.", metrics.state == state ? 1 : 0,
               std::string("state=\"") + state_name(state) + "\"");
  }
  const auto gauge = [&](const char* name, const char* help, double value) {
    text.gauge(prefix + name, help, value);
  };
  gauge("lag_seconds", "Time since the horizon of the filter.", seconds(metrics.lag));
  gauge("lag_bytes", "Bytes of the log behind the filter.",
        static_cast<double>(metrics.completeness.lag_bytes));
  gauge("filter_age_seconds", "Time since the filter was swapped in.", seconds(metrics.age));
  gauge("filter_rebuild_seconds", "How long the building of the filter took.",
        seconds(metrics.source.rebuild));
  gauge("filter_rebuilds", "Filters that were swapped in.", static_cast<double>(metrics.source.rebuilds));
  gauge("filter_keys", "Keys that were inserted.", static_cast<double>(metrics.source.keys));
  gauge("filter_bytes", "Bytes of the filter.", static_cast<double>(metrics.source.bytes));
  gauge("measured_fpp", "Share of the absent keys that passed.", metrics.measured_fpp());
  gauge("negative_bytes", "Bytes of the negative cache.", static_cast<double>(metrics.negative_bytes));
  gauge("open_writes", "Writes that the filter is not yet known to have.",
        static_cast<double>(metrics.open_writes));
  gauge("loads_now", "Loads under way.", static_cast<double>(metrics.loads_now));
  gauge("loads_waiting", "Loads that wait for room.", static_cast<double>(metrics.loads_waiting));
  gauge("cache_down", "1 while the cache is down.", metrics.is_cache_down ? 1 : 0);
  return text.text();
}

}  // namespace bloomery::guard
