// The options of a guard. The defaults suit a table whose rows seldom change, with a shared cache.
#pragma once

#include <chrono>
#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/guard/completeness.h"
#include "bloomery/guard/loader.h"

namespace bloomery::guard {

enum class GuardMode : std::uint8_t {
  kEnforce,  // a *no* is answered without the database
  kShadow,   // a *no* is counted, and the database is still queried
  kOff,      // the kill switch: neither the filter nor the negative cache is used
};

// How long values are cached. Each time varies at random by up to `jitter` of it, so that values that were
// loaded together do not become stale together.
struct FreshTimes {
  std::chrono::milliseconds fresh{60'000};     // afterwards the value is refreshed in the background
  std::chrono::milliseconds keep{86'400'000};  // afterwards it is removed; 0: kept until it is evicted
  double jitter = 0.1;                         // 0 to below 1
};

// Negative entries: keys that passed the filter and that the database does not have.
struct NegativeOptions {
  std::uint64_t bytes = std::uint64_t{4} << 20;  // 0: no negative cache
  // How long an entry is kept; at most `bound.time`, since a row that another program inserts is denied
  // meanwhile.
  std::chrono::milliseconds keep{500};
  // How long an entry is kept while the state is active. This requires a call of Guard::changed() for every
  // row inserted into the filter; LiveFilter::on_insert() can make these calls. changed() removes the entry
  // of a new row. 0 means that nobody calls it.
  std::chrono::milliseconds keep_if_told{0};
};

struct GuardOptions {
  LagBound bound = {};
  GuardMode mode = GuardMode::kEnforce;
  FreshTimes times = {};
  NegativeOptions negative = {};

  std::chrono::milliseconds load_deadline{2000};  // for one load, waiting included
  std::uint32_t loads_at_once = 64;
  std::uint32_t loads_without_cache = 8;  // while the cache is down
  // After the cache is back, the limit rises from loads_without_cache to the normal one in this time.
  std::chrono::milliseconds recovery{10'000};
  // The size of this process's copies of values of a shared cache. They are used while the cache is down or
  // recovering, and spare the database a burst of loads. During recovery they count as stale. A write of
  // another process does not invalidate them. 0: no copies.
  std::uint64_t copy_bytes = std::uint64_t{32} << 20;

  // Runs loads and refreshes. Without it a load runs in the calling thread, and refreshes run in threads of
  // the guard.
  Executor executor = {};
  std::uint32_t refresh_threads = 2;

  // The maximal number of writes that a guard remembers until the filter has them. While there are more,
  // every query passes.
  std::uint64_t open_writes = std::uint64_t{1} << 20;
};

// Errors: kInvalidArgument, naming the option.
Status check_options(const GuardOptions& options);

}  // namespace bloomery::guard
