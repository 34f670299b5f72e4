#include "guard/guard_body.h"

#include <utility>

namespace bloomery::guard {
namespace {

Error is_gone() {
  return {ErrorCode::kIo, "guard", "expected a guard, found that it was destroyed"};
}

}  // namespace

GuardBody::GuardBody(std::shared_ptr<FilterSource> source, std::shared_ptr<ValueCache> value_cache,
                     Loader load_one, const GuardOptions& guard_options, const HashSpec& hash)
    : options(guard_options),
      loader(std::move(load_one)),
      gate({options.loads_at_once, options.loads_without_cache, options.recovery}),
      cache(std::move(value_cache), options.times, options.copy_bytes, gate),
      filter(std::move(source), options, hash),
      flights(hash),
      negatives(options.negative, hash) {
  if (!options.executor) {
    threads = std::make_unique<RefreshThreads>(options.refresh_threads);
  }
}

Checked GuardBody::check(std::string_view key) {
  constexpr std::size_t kCounterOf[] = {kUnfiltered, kFilterPassed, kRejected, kWouldReject};
  const Checked checked = filter.check(key);
  counters.add(kCounterOf[static_cast<std::size_t>(checked.verdict)]);
  return checked;
}

void GuardBody::count_found(const Checked& checked) {
  if (checked.verdict == Verdict::kPassed) {
    counters.add(kPassedFound);
  } else if (checked.verdict == Verdict::kWouldReject) {
    counters.add(kWrongRejections);
  }
}

void GuardBody::count_absent(const Checked& checked) {
  if (checked.verdict == Verdict::kPassed) {
    counters.add(kPassedAbsent);
  }
}

std::optional<Answer> GuardBody::kept(std::string_view key, const Checked& checked) {
  if (std::optional<Found> found = cache.get(key)) {
    counters.add(found->is_copy ? kCopyAnswers : kCacheHits);
    count_found(checked);
    if (!found->is_fresh) {
      counters.add(kStaleAnswers);
      refresh(key);
    }
    return Answer{std::move(found->value.bytes), Answer::From::kCache, !found->is_fresh};
  }
  const bool asks_negatives = checked.verdict != Verdict::kWouldReject && filter.mode() != GuardMode::kOff;
  if (asks_negatives && negatives.has(key, checked, machine_now_ns()) && !filter.is_bypassed(key)) {
    counters.add(kNegativeHits);
    count_absent(checked);
    return Answer{std::nullopt, Answer::From::kNegative, false};
  }
  return std::nullopt;
}

Result<Answer> GuardBody::settle(const Checked& checked, const Result<Loaded>& result) {
  if (!result) {
    counters.add(kFailed);
    return result.error();
  }
  result->has_value() ? count_found(checked) : count_absent(checked);
  return Answer{*result, Answer::From::kLoad, false};
}

Result<Answer> GuardBody::get(std::string_view key) {
  const Checked checked = check(key);
  if (checked.verdict == Verdict::kRejected) {
    return Answer();
  }
  const std::uint64_t landings = flights.landings(key);
  if (std::optional<Answer> answer = kept(key, checked)) {
    return std::move(*answer);
  }
  const Clock::time_point now = Clock::now();
  const Clock::time_point deadline = now + options.load_deadline;
  const Flights::Joined joined = flights.join(key, landings, now, deadline);
  if (!joined.is_leader) {
    counters.add(kJoined);
  } else if (options.executor) {
    options.executor([self = shared_from_this(), joined] {
      self->load(joined.flight, Purpose::kAnswer, joined.may_have_landed);
    });
  } else {
    load(joined.flight, Purpose::kAnswer, joined.may_have_landed);
  }
  const std::optional<Result<Loaded>> result = joined.flight->wait(deadline);
  return settle(checked, result ? *result
                                : Error(ErrorCode::kIo, "guard",
                                        "expected the row within the deadline of a load, found none yet"));
}

void GuardBody::get_later(std::string_view key, std::function<void(Result<Answer>)> done) {
  const Checked checked = check(key);
  if (checked.verdict == Verdict::kRejected) {
    done(Answer());
    return;
  }
  options.executor([self = shared_from_this(), key = std::string(key), checked, done = std::move(done)] {
    if (!self->enter()) {
      done(is_gone());
      return;
    }
    const std::uint64_t landings = self->flights.landings(key);
    if (std::optional<Answer> answer = self->kept(key, checked)) {
      self->leave();
      done(std::move(*answer));
      return;
    }
    const Clock::time_point now = Clock::now();
    const Flights::Joined joined = self->flights.join(key, landings, now, now + self->options.load_deadline);
    joined.flight->when_landed(
        [self, checked, done](const Result<Loaded>& result) { done(self->settle(checked, result)); });
    self->leave();
    if (joined.is_leader) {
      self->load(joined.flight, Purpose::kAnswer, joined.may_have_landed);
    } else {
      self->counters.add(kJoined);
    }
  });
}

void GuardBody::forget_absence(std::string_view key) {
  flights.spoil(key, [&] { negatives.drop(key); });
}

Status GuardBody::end_write(std::string_view key, bool is_insert, bool is_held) {
  forget_absence(key);
  Status removed = cache.remove(key);
  if (is_insert) {
    filter.writes().end(key, is_held, machine_now_ns());
  }
  return removed;
}

bool GuardBody::enter() {
  const std::lock_guard lock(running_mutex);
  running += is_closed ? 0 : 1;
  return !is_closed;
}

void GuardBody::leave() {
  const std::lock_guard lock(running_mutex);
  if (--running == 0) {
    nobody_runs.notify_all();
  }
}

void GuardBody::close() {
  {
    std::unique_lock lock(running_mutex);
    is_closed = true;
    nobody_runs.wait(lock, [this] { return running == 0; });
  }
  threads.reset();
}

GuardMetrics GuardBody::metrics() {
  const auto sum = [this](Counter counter) { return counters.sum(counter); };
  GuardMetrics now{.rejected = sum(kRejected),
                   .would_reject = sum(kWouldReject),
                   .filter_passed = sum(kFilterPassed),
                   .unfiltered = sum(kUnfiltered),
                   .passed_found = sum(kPassedFound),
                   .passed_absent = sum(kPassedAbsent),
                   .wrong_rejections = sum(kWrongRejections),
                   .cache_hits = sum(kCacheHits),
                   .stale_answers = sum(kStaleAnswers),
                   .copy_answers = sum(kCopyAnswers),
                   .negative_hits = sum(kNegativeHits),
                   .joined = sum(kJoined),
                   .failed = sum(kFailed),
                   .loads = sum(kLoads),
                   .load_errors = sum(kLoadErrors),
                   .refreshes = sum(kRefreshes),
                   .gate_refusals = sum(kGateRefusals),
                   .lease_waits = sum(kLeaseWaits),
                   .cache_errors = cache.errors(),
                   .writes = sum(kWrites),
                   .spoiled = sum(kSpoiled)};
  const std::int64_t now_ns = machine_now_ns();
  now.completeness = filter.source().completeness();
  now.state = state_of(now.completeness, filter.bound(), now_ns);
  now.lag = lag_at(now.completeness, now_ns);
  now.source = filter.source().figures();
  now.age = std::chrono::nanoseconds(now.source.built_ns == 0 ? 0 : now_ns - now.source.built_ns);
  now.negative_bytes = negatives.bytes();
  now.open_writes = filter.writes().count();
  now.loads_now = gate.inside();
  now.loads_waiting = gate.waiting();
  now.is_cache_down = cache.is_down();
  return now;
}

}  // namespace bloomery::guard
