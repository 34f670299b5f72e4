#include <algorithm>
#include <thread>
#include <utility>

#include "guard/guard_body.h"

namespace bloomery::guard {
namespace {

constexpr std::chrono::milliseconds kShortestLook{1};
constexpr std::chrono::milliseconds kLongestLook{50};
// How much longer a lease lasts than the load's deadline, so that it is still held when the value is stored.
constexpr std::chrono::milliseconds kLeaseSpare{1000};

// Calls `at_end` on destruction, even if a loader throws.
template <typename AtEnd>
class Finally {
 public:
  explicit Finally(AtEnd at_end) : at_end_(std::move(at_end)) {}
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;
  ~Finally() { at_end_(); }

 private:
  AtEnd at_end_;
};

Error failed(const char* found) {
  return {ErrorCode::kIo, "guard", std::string("expected the row of a key, found ") + found};
}

}  // namespace

void GuardBody::refresh(std::string_view key) {
  const Clock::time_point now = Clock::now();
  const Flights::Joined joined = flights.join(key, 0, now, now + options.load_deadline);
  if (!joined.is_leader) {
    return;
  }
  auto job = [self = shared_from_this(), flight = joined.flight] {
    self->load(flight, Purpose::kRefresh, true);
  };
  if (options.executor) {
    options.executor(std::move(job));
  } else if (!threads->post(std::move(job))) {
    flights.land(joined.flight, failed("no room to refresh it"));
  }
}

void GuardBody::load(const std::shared_ptr<Flight>& flight, Purpose purpose, bool looks_again) {
  const Finally lands_at_least([&] { flights.land(flight, failed("that its load was broken off")); });
  if (!enter()) {
    return;
  }
  const Finally leaves([this] { leave(); });
  const Result<Loaded> result = load_once(*flight, purpose, looks_again);
  flights.land(flight, result);
}

std::optional<Result<Loaded>> GuardBody::cached(std::string_view key, Purpose purpose) {
  std::optional<Found> found = cache.get(key);
  if (!found || (purpose == Purpose::kRefresh && !found->is_fresh)) {
    return std::nullopt;
  }
  return Result<Loaded>(Loaded(std::move(found->value.bytes)));
}

std::optional<Result<Loaded>> GuardBody::take_lease(const Flight& flight, Purpose purpose, Lease& lease) {
  std::chrono::milliseconds look = kShortestLook;
  for (bool is_first = true;; is_first = false) {
    if (std::optional<Lease> taken = cache.take_lease(flight.key(), options.load_deadline + kLeaseSpare)) {
      lease = std::move(*taken);
      // The previous holder of the lease may have stored the value since we looked.
      return lease.is_held() ? cached(flight.key(), purpose) : std::nullopt;
    }
    if (is_first) {
      counters.add(kLeaseWaits);
    }
    if (purpose == Purpose::kRefresh || Clock::now() + look >= flight.deadline()) {
      return Result<Loaded>(failed("that another process is still loading it"));
    }
    std::this_thread::sleep_for(look);
    look = std::min(2 * look, kLongestLook);
    if (std::optional<Result<Loaded>> found = cached(flight.key(), purpose)) {
      return found;
    }
  }
}

Result<Loaded> GuardBody::load_once(Flight& flight, Purpose purpose, bool looks_again) {
  if (looks_again) {
    if (std::optional<Result<Loaded>> found = cached(flight.key(), purpose)) {
      return std::move(*found);
    }
  }
  Lease lease;
  // give_back() has no effect on a lease that put() has used up.
  const Finally gives_back([&] { cache.give_back(flight.key(), lease); });
  if (cache.has_leases()) {
    if (std::optional<Result<Loaded>> found = take_lease(flight, purpose, lease)) {
      return std::move(*found);
    }
  }
  if (!gate.enter(purpose == Purpose::kRefresh ? Clock::now() : flight.deadline())) {
    counters.add(kGateRefusals);
    return failed("no room among the loads that may run at once");
  }
  Result<Loaded> result = failed("nothing");
  const std::uint64_t epoch = filter.source().completeness().epoch;
  const std::int64_t since_ns = machine_now_ns();
  {
    const Finally leaves([this] { gate.leave(); });
    counters.add(kLoads);
    if (purpose == Purpose::kRefresh) {
      counters.add(kRefreshes);
    }
    result = loader(flight.key(), {flight.deadline()});
  }
  keep(flight, purpose, result, lease, epoch, since_ns);
  return result;
}

void GuardBody::keep(Flight& flight, Purpose purpose, const Result<Loaded>& result, const Lease& lease,
                     std::uint64_t epoch, std::int64_t since_ns) {
  const std::string& key = flight.key();
  if (!result) {
    counters.add(kLoadErrors);
    return;
  }
  const std::uint64_t seen =
      // Read before the flight's state, because a write spoils the flight first and then removes.
      cache.removals(key);
  if (result->has_value() && !cache.is_shared()) {
    flights.keep(flight, [&] { cache.put(key, **result, lease, seen); });
  } else if (result->has_value() && !flight.is_spoiled()) {
    cache.put(key, **result, lease, seen);  // without a lock, because put() waits for a server
    if (flight.is_spoiled()) {  // a write came in between, and may have removed the key before the put
      (void)cache.remove(key);
    }
  } else if (!result->has_value()) {
    if (purpose == Purpose::kRefresh) {
      (void)cache.remove(key);  // the row is gone, so its stale value must be removed
    }
    flights.keep(flight, [&] {
      if (!filter.writes().holds(key)) {
        negatives.put(key, epoch, since_ns);
      }
    });
  }
  if (flight.is_spoiled()) {
    counters.add(kSpoiled);
  }
}

}  // namespace bloomery::guard
