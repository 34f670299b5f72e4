#include "bloomery/guard/live_filter.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "bloomery/filter/scalable_filter.h"
#include "guard/striped.h"

namespace bloomery::guard {
namespace {

Error refused() {
  return Error::capacity("live filter",
                         "expected memory for another key, found none: the filter is not believed");
}

}  // namespace

// A filter and its state.
struct Generation {
  explicit Generation(ScalableFilter made) : filter(std::move(made)), begun_ns(machine_now_ns()) {}

  // The horizon is read before the caller queries the bits. So all bits that were set before it advanced are
  // visible.
  Completeness completeness() const {
    const std::int64_t horizon = horizon_ns.load(std::memory_order_acquire);
    return {is_believed.load(std::memory_order_acquire) ? FilterPhase::kComplete : FilterPhase::kCold,
            position.load(std::memory_order_relaxed), lag_bytes.load(std::memory_order_relaxed), horizon,
            epoch};
  }
  Status insert(std::string_view key) {
    if (filter.insert(key)) {
      return {};
    }
    is_refusing.store(true, std::memory_order_release);
    is_believed.store(false, std::memory_order_release);
    return refused();
  }

  ScalableFilter filter;
  std::int64_t begun_ns;
  std::int64_t built_ns = 0;
  std::uint64_t epoch = 0;
  std::atomic<bool> is_believed{false};
  std::atomic<bool> is_refusing{false};
  std::atomic<std::uint64_t> position{0};
  std::atomic<std::uint64_t> lag_bytes{0};
  std::atomic<std::int64_t> horizon_ns{0};
};

struct LiveFilter::Filters {
  Result<std::unique_ptr<Generation>> make_generation(std::uint64_t capacity) const {
    HashSecret secret;
    if (options.secret) {
      secret = *options.secret;
    } else {
      BLOOMERY_ASSIGN_OR_RETURN(secret, HashSecret::generate());
    }
    BLOOMERY_ASSIGN_OR_RETURN(ScalableFilter filter,
                              ScalableFilter::for_capacity(std::max<std::uint64_t>(capacity, 1), options.fpp,
                                                           {.hash = keyed_hash(secret)}));
    return std::make_unique<Generation>(std::move(filter));
  }

  LiveFilterOptions options;
  std::function<void(std::string_view)> heard;
  std::mutex feeder;            // serializes the feeder's calls
  StripedSharedMutex pointers;  // guards the two pointers, not the filters
  std::unique_ptr<Generation> served;
  std::unique_ptr<Generation> building;
  std::int64_t latest_horizon_ns = 0;  // the latest one reported or swapped in; guarded by `feeder`
  std::atomic<std::uint64_t> rebuilds{0};
};

Result<std::shared_ptr<LiveFilter>> LiveFilter::make(const LiveFilterOptions& options) {
  auto filters = std::make_unique<Filters>();
  filters->options = options;
  BLOOMERY_ASSIGN_OR_RETURN(const auto tried, filters->make_generation(options.capacity));
  return std::shared_ptr<LiveFilter>(new LiveFilter(std::move(filters)));
}

LiveFilter::LiveFilter(std::unique_ptr<Filters> filters) : filters_(std::move(filters)) {}
LiveFilter::~LiveFilter() = default;

Asked LiveFilter::ask(std::string_view key) const {
  const auto lock = filters_->pointers.read();
  const Generation* const served = filters_->served.get();
  if (served == nullptr) {
    return {.may_contain = true,
            .seen = {.phase = filters_->building ? FilterPhase::kLoading : FilterPhase::kCold}};
  }
  const Completeness seen = served->completeness();
  return {.may_contain = seen.phase != FilterPhase::kComplete || served->filter.may_contain(key),
          .seen = seen};
}

Status LiveFilter::insert(std::string_view key) {
  Status status;
  {
    const auto lock = filters_->pointers.read();
    for (Generation* const each : {filters_->served.get(), filters_->building.get()}) {
      if (each != nullptr) {
        if (Status inserted = each->insert(key); !inserted) {
          status = std::move(inserted);
        }
      }
    }
  }
  if (filters_->heard) {
    filters_->heard(key);
  }
  return status;
}

Completeness LiveFilter::completeness() const {
  const auto lock = filters_->pointers.read();
  if (filters_->served != nullptr) {
    return filters_->served->completeness();
  }
  return {.phase = filters_->building ? FilterPhase::kLoading : FilterPhase::kCold};
}

SourceFigures LiveFilter::figures() const {
  const auto lock = filters_->pointers.read();
  SourceFigures figures{.target_fpp = filters_->options.fpp, .rebuilds = filters_->rebuilds.load()};
  if (const Generation* const served = filters_->served.get()) {
    figures.keys = served->filter.inserted();
    figures.bytes = served->filter.byte_size();
    figures.built_ns = served->built_ns;
    figures.rebuild = std::chrono::nanoseconds(served->built_ns - served->begun_ns);
  }
  return figures;
}

Status LiveFilter::begin_rebuild(std::uint64_t capacity) {
  const std::lock_guard feeder(filters_->feeder);
  if (filters_->building != nullptr) {
    return Error::invalid_argument("live filter", "expected no rebuild under way, found one");
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto made, filters_->make_generation(capacity));
  const std::lock_guard lock(filters_->pointers);
  filters_->building = std::move(made);
  return {};
}

Status LiveFilter::insert_scanned(std::string_view key) {
  const auto lock = filters_->pointers.read();
  if (filters_->building == nullptr) {
    return Error::invalid_argument("live filter", "expected a rebuild under way, found none");
  }
  return filters_->building->insert(key);
}

Status LiveFilter::finish_rebuild(const Completeness& completeness) {
  const std::lock_guard feeder(filters_->feeder);
  std::unique_ptr<Generation> old;  // freed after `pointers` is unlocked
  const std::lock_guard lock(filters_->pointers);
  if (filters_->building == nullptr || completeness.phase != FilterPhase::kComplete) {
    return Error::invalid_argument("live filter",
                                   "expected a rebuild under way that is complete, found none");
  }
  if (completeness.horizon_ns < filters_->latest_horizon_ns) {
    return Error::invalid_argument("live filter",
                                   "expected a horizon that does not go back, found an earlier one");
  }
  Generation& next = *filters_->building;
  if (next.is_refusing.load(std::memory_order_acquire)) {
    return refused();
  }
  next.position = completeness.position;
  next.lag_bytes = completeness.lag_bytes;
  next.horizon_ns = completeness.horizon_ns;
  next.built_ns = machine_now_ns();
  next.epoch = filters_->rebuilds.load() + 1;
  next.is_believed = true;
  filters_->latest_horizon_ns = completeness.horizon_ns;
  old = std::exchange(filters_->served, std::move(filters_->building));
  filters_->rebuilds.fetch_add(1);
  return {};
}

void LiveFilter::abandon_rebuild() {
  std::unique_ptr<Generation> old;  // freed after both locks
  const std::lock_guard feeder(filters_->feeder);
  const std::lock_guard lock(filters_->pointers);
  old = std::move(filters_->building);
}

void LiveFilter::report(std::uint64_t position, std::uint64_t lag_bytes, std::int64_t horizon_ns) {
  const std::lock_guard feeder(filters_->feeder);
  const auto lock = filters_->pointers.read();
  if (filters_->served == nullptr) {
    return;
  }
  filters_->latest_horizon_ns = std::max(filters_->latest_horizon_ns, horizon_ns);
  filters_->served->position.store(position, std::memory_order_relaxed);
  filters_->served->lag_bytes.store(lag_bytes, std::memory_order_relaxed);
  filters_->served->horizon_ns.store(filters_->latest_horizon_ns, std::memory_order_release);
}

void LiveFilter::doubt() {
  const std::lock_guard feeder(filters_->feeder);
  const auto lock = filters_->pointers.read();
  if (filters_->served != nullptr) {
    filters_->served->is_believed.store(false, std::memory_order_release);
  }
}

void LiveFilter::on_insert(std::function<void(std::string_view key)> heard) {
  filters_->heard = std::move(heard);
}

}  // namespace bloomery::guard
