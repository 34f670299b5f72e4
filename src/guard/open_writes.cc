#include "guard/open_writes.h"

#include "bloomery/guard/completeness.h"

namespace bloomery::guard {
namespace {

void raise_to(std::atomic<std::int64_t>& value, std::int64_t least) {
  std::int64_t now = value.load(std::memory_order_relaxed);
  while (now < least && !value.compare_exchange_weak(now, least, std::memory_order_acq_rel)) {
  }
}

}  // namespace

bool OpenWrites::begin(std::string_view key) {
  Part& part = part_of(key);
  const std::lock_guard lock(part.mutex);
  forget_covered(part);
  const auto known = part.keys.find(std::string(key));
  if (known != part.keys.end()) {
    ++known->second.open;
    return true;
  }
  if (count_.load(std::memory_order_relaxed) >= most_keys_) {
    unheld_.fetch_add(1, std::memory_order_acq_rel);
    return false;
  }
  part.keys.emplace(std::string(key), Held{.open = 1});
  count_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void OpenWrites::end(std::string_view key, bool is_held, std::int64_t now_ns) {
  const std::int64_t end_ns = now_ns + kClockSlackNs;  // machine_now_ns() may lag by that much
  if (!is_held) {
    raise_to(unheld_end_ns_, end_ns);
    unheld_.fetch_sub(1, std::memory_order_acq_rel);
    return;
  }
  Part& part = part_of(key);
  const std::lock_guard lock(part.mutex);
  Held& held = part.keys.find(std::string(key))->second;
  --held.open;
  held.end_ns = end_ns;
  part.ended.emplace_back(end_ns, key);
}

bool OpenWrites::holds(std::string_view key) {
  if (is_empty()) {
    return false;
  }
  Part& part = part_of(key);
  const std::lock_guard lock(part.mutex);
  forget_covered(part);
  return part.keys.contains(std::string(key));
}

bool OpenWrites::is_blind(std::int64_t horizon_ns) const {
  return unheld_.load(std::memory_order_acquire) > 0 ||
         horizon_ns <= unheld_end_ns_.load(std::memory_order_acquire);
}

void OpenWrites::note_horizon(std::int64_t horizon_ns) {
  if (!is_empty()) {
    raise_to(horizon_ns_, horizon_ns);
  }
}

void OpenWrites::forget_covered(Part& part) {
  const std::int64_t horizon = horizon_ns_.load(std::memory_order_acquire);
  while (!part.ended.empty() && part.ended.front().first < horizon) {
    const auto known = part.keys.find(part.ended.front().second);
    if (known != part.keys.end() && known->second.open == 0 && known->second.end_ns < horizon) {
      part.keys.erase(known);
      count_.fetch_sub(1, std::memory_order_acq_rel);
    }
    part.ended.pop_front();
  }
}

}  // namespace bloomery::guard
