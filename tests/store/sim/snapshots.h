// Snapshots and clones among the operations of a workload: what a snapshot answers never changes, and one that
// was acknowledged is there after every crash until it is deleted.
//
// A call that failed leaves a whole snapshot or none. A clone has what its snapshot has; it is dropped at once,
// or after the crash that came between.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/store/simulated_store.h"

namespace bloomery::store::sim {

class Snapshots {
 public:
  // Takes a snapshot of the table. Returns what is wrong, or nothing; as all calls below.
  std::string take(SimulatedStore& machine, const std::string& table, std::int64_t now);
  // Compares one with what it answered first, and then deletes or clones it, as `choice` says.
  std::string use(SimulatedStore& machine, std::uint64_t choice);
  // Call it after each open, before the tables are compared.
  std::string recover(SimulatedStore& machine);

  std::uint64_t taken() const { return taken_; }
  std::uint64_t clones() const { return clones_; }

 private:
  struct Taken {
    std::string rows = {};
    std::int64_t now = 0;
    bool is_certain = true;  // no call that made or deleted it has failed
  };

  std::map<std::string, Taken> all_;
  std::uint64_t number_ = 0;  // of the last name
  std::uint64_t taken_ = 0, clones_ = 0;
};

}  // namespace bloomery::store::sim
