#include "guard/cache_access.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "bloomery/guard/completeness.h"

namespace bloomery::guard {
namespace {

constexpr std::size_t kMostOwed = 65'536;

// Returns `time` multiplied by a random factor from 1 - jitter to 1 + jitter.
std::chrono::milliseconds jittered(std::chrono::milliseconds time, double jitter) {
  thread_local std::minstd_rand random(std::random_device{}());
  const double factor = 1 + jitter * (2 * std::uniform_real_distribution<double>()(random) - 1);
  return std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(time.count()) * factor));
}

Error is_away() {
  return {ErrorCode::kIo, "cache", "expected an answer, found that it is down"};
}

}  // namespace

CacheAccess::CacheAccess(std::shared_ptr<ValueCache> cache, const FreshTimes& times, std::uint64_t copy_bytes,
                         LoadGate& gate)
    : cache_(std::move(cache)),
      times_(times),
      gate_(gate),
      copies_(cache_->is_shared() ? copy_bytes : 0, times) {}

void CacheAccess::note(bool has_worked) {
  errors_.fetch_add(has_worked ? 0 : 1, std::memory_order_relaxed);
  switch (health_.note(has_worked)) {
    case ServerHealth::Change::kWentDown:
      gate_.cache_went_down();
      break;
    case ServerHealth::Change::kCameBack:
      gate_.cache_came_back();
      break;
    default:
      break;
  }
}

std::optional<Found> CacheAccess::from_copies(std::string_view key) {
  std::optional<CachedValue> copy = copies_.get(key);
  if (!copy) {
    return std::nullopt;
  }
  const bool is_fresh = copy->fresh_until_ms > unix_now_ms();
  return Found{std::move(*copy), is_fresh, true};
}

void CacheAccess::owe(std::string_view key) {
  const std::lock_guard lock(owed_mutex_);
  if (owed_.size() < kMostOwed || owed_.contains(std::string(key))) {
    owed_.emplace(key);
    owed_count_.store(owed_.size(), std::memory_order_release);
    return;
  }
  const double longest = static_cast<double>(times_.fresh.count()) * (1 + times_.jitter);
  fresh_after_ms_.store(unix_now_ms() + static_cast<std::int64_t>(longest) + 1, std::memory_order_release);
}

bool CacheAccess::is_believed(const CachedValue& value) const {
  return value.fresh_until_ms > fresh_after_ms_.load(std::memory_order_acquire);
}

void CacheAccess::settle(std::string_view key) {
  if (owed_count_.load(std::memory_order_acquire) > 0) {
    const std::lock_guard lock(owed_mutex_);
    owed_.erase(std::string(key));
    owed_count_.store(owed_.size(), std::memory_order_release);
  }
}

bool CacheAccess::owes(std::string_view key) {
  if (owed_count_.load(std::memory_order_acquire) == 0) {
    return false;
  }
  const std::lock_guard lock(owed_mutex_);
  return owed_.contains(std::string(key));
}

std::optional<Found> CacheAccess::get(std::string_view key) {
  if (owes(key) && !remove(key)) {
    return std::nullopt;
  }
  if (!health_.may_try()) {
    return from_copies(key);
  }
  const std::uint64_t seen = copies_.removals(key);
  Result<std::optional<CachedValue>> got = cache_->get(key);
  note(got.has_value());
  if (!got) {
    return from_copies(key);
  }
  if (!*got || !is_believed(**got)) {
    std::optional<Found> copy = gate_.is_recovering() ? from_copies(key) : std::nullopt;
    if (copy) {
      copy->is_fresh = false;
    }
    return copy;
  }
  CachedValue value = std::move(**got);
  copies_.put(key, value, seen);
  const bool is_fresh = value.fresh_until_ms > unix_now_ms();
  return Found{std::move(value), is_fresh, false};
}

void CacheAccess::put(std::string_view key, std::string_view bytes, const Lease& lease, std::uint64_t seen) {
  const CachedValue value{std::string(bytes), unix_now_ms() + jittered(times_.fresh, times_.jitter).count()};
  copies_.put(key, value, seen);
  if (health_.may_try()) {
    const Status put = cache_->put(key, value, jittered(times_.keep, times_.jitter), lease);
    note(put.has_value() || put.error().code() != ErrorCode::kIo);
    if (put) {
      settle(key);
    }
  }
}

Status CacheAccess::remove(std::string_view key) {
  copies_.remove(key);
  if (!health_.may_try()) {
    owe(key);
    return is_away();
  }
  Status removed = cache_->remove(key);
  note(removed.has_value());
  removed ? settle(key) : owe(key);
  return removed;
}

std::optional<Lease> CacheAccess::take_lease(std::string_view key, std::chrono::milliseconds duration) {
  if (!has_leases()) {
    return Lease();
  }
  Result<std::optional<Lease>> lease = cache_->take_lease(key, duration);
  note(lease.has_value());
  return lease ? std::move(*lease) : Lease();
}

void CacheAccess::give_back(std::string_view key, const Lease& lease) {
  if (lease.is_held() && !is_down()) {
    note(cache_->give_back(key, lease).has_value());
  }
}

}  // namespace bloomery::guard
