// How a guard behaves. The defaults suit a table whose rows change seldom, behind a shared cache.
#pragma once

#include <chrono>
#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/guard/completeness.h"
#include "bloomery/guard/loader.h"

namespace bloomery::guard {

enum class GuardMode : std::uint8_t {
  kEnforce,  // a *no* is answered without the database
  kShadow,   // a *no* is counted, and the database is asked all the same
  kOff,      // the kill switch: neither the filter nor the negative cache is asked
};

// How long values are kept. Each time is made longer or shorter at random by up to `jitter` of it, so that values
// that came together do not become stale together.
struct FreshTimes {
  std::chrono::milliseconds fresh{60'000};     // then the value is refreshed in the background
  std::chrono::milliseconds keep{86'400'000};  // then it is gone; 0: as long as there is room
  double jitter = 0.1;                         // 0 to below 1
};

// Keys that passed the filter and that the database does not have.
struct NegativeOptions {
  std::uint64_t bytes = std::uint64_t{4} << 20;  // 0: none are kept
  // How long one is kept. It is at most the time of the bound, since a stranger's row is denied meanwhile.
  std::chrono::milliseconds keep{500};
  // How long one is kept while the state is active. It needs that Guard::changed() is called for every row that the
  // filter gets, as LiveFilter::on_insert() does. A fresh row then ends it. 0 means that nobody calls it.
  std::chrono::milliseconds keep_if_told{0};
};

struct GuardOptions {
  LagBound bound = {};
  GuardMode mode = GuardMode::kEnforce;
  FreshTimes times = {};
  NegativeOptions negative = {};

  std::chrono::milliseconds load_deadline{2000};  // of one load, waiting included
  std::uint32_t loads_at_once = 64;
  std::uint32_t loads_without_cache = 8;  // while the cache is down
  // After the cache is back the number of loads rises from the one to the other in this time.
  std::chrono::milliseconds recovery{10'000};
  // Copies of the values of a shared cache in this process. They are answered while it is down or recovering, and
  // spare the database a second wave. While it recovers they count as stale. A write of another process does not reach
  // them. 0: none.
  std::uint64_t copy_bytes = std::uint64_t{32} << 20;

  // Runs loads and refreshes. Without it a load runs in the thread that asks, and refreshes in threads of the guard.
  Executor executor = {};
  std::uint32_t refresh_threads = 2;

  // The writes that a guard remembers until the filter has them. If there are more, everything passes meanwhile.
  std::uint64_t open_writes = std::uint64_t{1} << 20;
};

// Errors: kInvalidArgument, naming the option.
Status check_options(const GuardOptions& options);

}  // namespace bloomery::guard
