// The loads in progress, one for each key. Later callers wait for the first one's result.
//
//   join ──> leader: loads, then land()          join ──> not the leader: wait(), or call when_landed()
//
// A write of a key spoils the key's flight, whose data may be older than the write. Callers that joined
// before the write get its result. Later callers do not join it, and its result is not cached. keep() and
// spoil() hold the same lock, so no write can happen between keep()'s check and its action.
//
// A flight past its deadline has hung. The next caller replaces it, and all who wait for it get an error.
//
// Threads: all calls may run together.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bloomery/guard/loader.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::guard {

using SteadyTime = std::chrono::steady_clock::time_point;

class Flight {
 public:
  using Done = std::function<void(const Result<Loaded>& result)>;

  Flight(std::string_view key, SteadyTime deadline) : key_(key), deadline_(deadline) {}

  const std::string& key() const { return key_; }
  SteadyTime deadline() const { return deadline_; }
  bool is_spoiled() const { return is_spoiled_.load(std::memory_order_acquire); }

  // Waits for the result until `deadline`. Returns nothing if there is none by then.
  std::optional<Result<Loaded>> wait(SteadyTime deadline);
  // Calls `done` with the result: at once if it exists, otherwise when the flight lands.
  void when_landed(Done done);

 private:
  friend class Flights;
  void land(const Result<Loaded>& result);

  const std::string key_;
  const SteadyTime deadline_;
  std::atomic<bool> is_spoiled_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable landed_;
  std::optional<Result<Loaded>> result_;
  std::vector<Done> waiting_;
};

class Flights {
 public:
  struct Joined {
    std::shared_ptr<Flight> flight;
    bool is_leader = false;
    // True if a flight of the key may have landed since `landings` was read. The cache may then have the
    // value.
    bool may_have_landed = false;
  };

  explicit Flights(const HashSpec& hash) : hash_(hash) {}

  // Returns a counter that grows when a flight of the key lands. Other keys may share it.
  std::uint64_t landings(std::string_view key) const;
  Joined join(std::string_view key, std::uint64_t landings, SteadyTime now, SteadyTime deadline);
  // Delivers the result. A second call has no effect.
  void land(const std::shared_ptr<Flight>& flight, const Result<Loaded>& result);

  // Spoils the key's flight, and calls `meanwhile` under the lock of the key.
  template <typename Meanwhile>
  void spoil(std::string_view key, Meanwhile meanwhile) {
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    const auto known = part.flights.find(std::string(key));
    if (known != part.flights.end()) {
      known->second->is_spoiled_.store(true, std::memory_order_release);
    }
    meanwhile();
  }
  // Calls `action` under the lock of the key unless the flight is spoiled.
  template <typename Action>
  void keep(const Flight& flight, Action action) {
    const std::lock_guard lock(part_of(flight.key()).mutex);
    if (!flight.is_spoiled()) {
      action();
    }
  }

 private:
  static constexpr std::size_t kParts = 64;

  struct alignas(64) Part {
    std::mutex mutex;  // guards `flights`
    std::unordered_map<std::string, std::shared_ptr<Flight>> flights;
    std::atomic<std::uint64_t> landings{0};
  };

  Part& part_of(std::string_view key) { return parts_[hash_bytes(key, hash_).low % kParts]; }

  HashSpec hash_;
  std::array<Part, kParts> parts_;
};

}  // namespace bloomery::guard
