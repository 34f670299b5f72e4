#include "guard/flights.h"

#include <utility>

namespace bloomery::guard {

std::optional<Result<Loaded>> Flight::wait(SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  landed_.wait_until(lock, deadline, [this] { return result_.has_value(); });
  return result_;
}

void Flight::when_landed(Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!result_) {
      waiting_.push_back(std::move(done));
      return;
    }
  }
  done(*result_);  // without the lock, because a result never changes
}

void Flight::land(const Result<Loaded>& result) {
  std::vector<Done> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (result_) {
      return;
    }
    result_ = result;
    waiting.swap(waiting_);
  }
  landed_.notify_all();
  for (const Done& done : waiting) {
    done(*result_);
  }
}

std::uint64_t Flights::landings(std::string_view key) const {
  return parts_[hash_bytes(key, hash_).low % kParts].landings.load(std::memory_order_acquire);
}

Flights::Joined Flights::join(std::string_view key, std::uint64_t landings, SteadyTime now,
                              SteadyTime deadline) {
  Part& part = part_of(key);
  std::shared_ptr<Flight> hung;
  Joined joined;
  {
    const std::lock_guard lock(part.mutex);
    std::shared_ptr<Flight>& flight = part.flights[std::string(key)];
    const bool is_hung = flight != nullptr && flight->deadline() <= now;
    if (flight != nullptr && !is_hung && !flight->is_spoiled()) {
      return {flight, false, false};
    }
    if (is_hung) {
      hung = flight;
      hung->is_spoiled_.store(true, std::memory_order_release);
    }
    flight = std::make_shared<Flight>(key, deadline);
    joined = {flight, true, part.landings.load(std::memory_order_acquire) != landings};
  }
  if (hung != nullptr) {
    hung->land(
        Error(ErrorCode::kIo, "guard", "expected the loader to end by its deadline, found it still at work"));
  }
  return joined;
}

void Flights::land(const std::shared_ptr<Flight>& flight, const Result<Loaded>& result) {
  Part& part = part_of(flight->key());
  {
    const std::lock_guard lock(part.mutex);
    const auto known = part.flights.find(flight->key());
    if (known != part.flights.end() && known->second == flight) {
      part.flights.erase(known);
      part.landings.fetch_add(1, std::memory_order_acq_rel);
    }
  }
  flight->land(result);
}

}  // namespace bloomery::guard
