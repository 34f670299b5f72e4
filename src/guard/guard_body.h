// A GuardBody owns the components of a Guard, and passes a query through them.
//
//   guard_body.cc   queries: filter, cache, negative cache, flight; writes
//   guard_load.cc   loads: lease, gate, loader, caching of the result
//
// Asynchronous work holds a reference to the body. Once the guard is destroyed, that work neither loads nor
// touches the cache.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/guard/answer.h"
#include "bloomery/guard/guard_metrics.h"
#include "bloomery/guard/guard_options.h"
#include "guard/cache_access.h"
#include "guard/filter_check.h"
#include "guard/flights.h"
#include "guard/load_gate.h"
#include "guard/negative_cache.h"
#include "guard/refresh_threads.h"
#include "guard/striped.h"

namespace bloomery::guard {

enum Counter : std::size_t {
  kRejected,
  kWouldReject,
  kFilterPassed,
  kUnfiltered,
  kPassedFound,
  kPassedAbsent,
  kWrongRejections,
  kCacheHits,
  kStaleAnswers,
  kCopyAnswers,
  kNegativeHits,
  kJoined,
  kFailed,
  kLoads,
  kLoadErrors,
  kRefreshes,
  kGateRefusals,
  kLeaseWaits,
  kWrites,
  kSpoiled,
  kCounters,
};

using Clock = std::chrono::steady_clock;

struct GuardBody : std::enable_shared_from_this<GuardBody> {
  enum class Purpose : std::uint8_t { kAnswer, kRefresh };

  GuardBody(std::shared_ptr<FilterSource> source, std::shared_ptr<ValueCache> value_cache, Loader load_one,
            const GuardOptions& guard_options, const HashSpec& hash);

  // ---- queries

  Result<Answer> get(std::string_view key);
  void get_later(std::string_view key, std::function<void(Result<Answer>)> done);
  // Queries the filter and counts its verdict.
  Checked check(std::string_view key);
  // Returns the cached value or the cached absence of the key, or nothing.
  std::optional<Answer> kept(std::string_view key, const Checked& checked);
  // Turns a load's result into an answer, and counts it.
  Result<Answer> settle(const Checked& checked, const Result<Loaded>& result);
  void count_found(const Checked& checked);
  void count_absent(const Checked& checked);

  // ---- loads

  void refresh(std::string_view key);
  // Loads the key of the flight and lands it. `looks_again`: check the cache again first, because another
  // flight may have filled it.
  void load(const std::shared_ptr<Flight>& flight, Purpose purpose, bool looks_again);
  Result<Loaded> load_once(Flight& flight, Purpose purpose, bool looks_again);
  // Returns the cached value, or nothing if there is none. A refresh needs a fresh value.
  std::optional<Result<Loaded>> cached(std::string_view key, Purpose purpose);
  // Acquires the lease, or returns the value that another process has loaded, or an error.
  std::optional<Result<Loaded>> take_lease(const Flight& flight, Purpose purpose, Lease& lease);
  void keep(Flight& flight, Purpose purpose, const Result<Loaded>& result, const Lease& lease,
            std::uint64_t epoch, std::int64_t since_ns);

  // ---- writes

  void forget_absence(std::string_view key);
  Status end_write(std::string_view key, bool is_insert, bool is_held);

  // ---- shutdown

  // Returns false if the guard is destroyed. After true, the caller must call leave().
  bool enter();
  void leave();
  void close();

  GuardMetrics metrics();

  const GuardOptions options;
  const Loader loader;
  StripedCounters<kCounters> counters;
  LoadGate gate;
  CacheAccess cache;
  FilterCheck filter;
  Flights flights;
  NegativeCache negatives;
  std::unique_ptr<RefreshThreads> threads;  // null if there is an executor

  std::mutex running_mutex;  // guards the members below
  std::condition_variable nobody_runs;
  std::uint64_t running = 0;
  bool is_closed = false;
};

}  // namespace bloomery::guard
