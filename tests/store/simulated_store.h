// A store on a simulated disk, clock and executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/store/store.h"
#include "store/store_access.h"
#include "tests/store/sim/clock.h"
#include "tests/store/sim/disk.h"
#include "tests/store/sim/executor.h"

namespace bloomery::store {

class SimulatedStore {
 public:
  explicit SimulatedStore(std::uint64_t seed = 1, const StoreOptions& options = {},
                          std::unique_ptr<sim::SimulatedDisk> disk = std::make_unique<sim::SimulatedDisk>())
      : disk_(std::move(disk)),
        clock_(std::make_shared<sim::SimulatedClock>()),
        options_(options),
        seed_(seed) {
    start_executor();
  }
  SimulatedStore(const SimulatedStore&) = delete;
  SimulatedStore& operator=(const SimulatedStore&) = delete;
  ~SimulatedStore() { store_.reset(); }

  sim::SimulatedDisk& disk() { return *disk_; }
  sim::SimulatedClock& clock() { return *clock_; }
  sim::SeededExecutor& executor() { return *executor_; }
  Store& store() { return *store_; }
  StoreOptions& options() { return options_; }
  Environment environment() {
    return {.files = disk_.get(),
            .clock = clock_,
            .executor = executor_,
            .seed = ++seed_,
            .on_freeze = on_freeze,
            .on_compaction = on_compaction};
  }
  // Of the stores that are opened from now on.
  std::function<void()> on_freeze = {};
  std::function<void(const CompactionNote&, bool)> on_compaction = {};
  const std::string& error() const { return error_; }

  bool create() { return take(StoreAccess::create(environment(), "/root", options_)); }
  bool open() { return take(StoreAccess::open(environment(), "/root", options_)); }
  bool close() {
    const Status closed = store_->close();
    error_ = closed ? "" : closed.error().to_string();
    store_.reset();
    start_executor();
    return static_cast<bool>(closed);
  }
  // Ends the process without a word, and the power of the machine.
  void crash(std::uint64_t seed, sim::CrashMode mode) {
    disk_->stop_at(disk_->calls() + 1);
    executor_->drop_all();
    store_.reset();
    disk_->crash(seed, mode);
    start_executor();
  }

  StoreTable make_table(const std::string& name, const std::vector<std::string>& families) {
    TableSchema schema = *TableSchema::of_table(name);
    for (const std::string& family : families) {
      (void)schema.add_family(family);
    }
    auto made = store_->create_table(schema);
    error_ = made ? "" : made.error().to_string();
    return *made;
  }
  StoreTable table(const std::string& name) { return *store_->table(name); }

 private:
  void start_executor() {
    executor_ = std::make_shared<sim::SeededExecutor>(clock_, "seed " + std::to_string(seed_));
  }
  bool take(Result<Store> opened) {
    error_ = opened ? "" : opened.error().to_string();
    store_.reset();
    if (opened) {
      store_.emplace(*std::move(opened));
    }
    return opened.has_value();
  }

  std::unique_ptr<sim::SimulatedDisk> disk_;
  std::shared_ptr<sim::SimulatedClock> clock_;
  std::shared_ptr<sim::SeededExecutor> executor_;
  StoreOptions options_;
  std::uint64_t seed_;
  std::optional<Store> store_;
  std::string error_;
};

// Returns the newest value of a column, or an empty one.
inline std::string value_of(const StoreTable& table, const std::string& row, const std::string& family,
                            const std::string& qualifier) {
  GetRequest get;
  get.row = row;
  get.columns = {{.family = family, .qualifier = qualifier}};
  const auto found = table.reader().get(get);
  if (!found) {
    return found.error().to_string();
  }
  return found->empty() ? "" : std::string(found->cells().front().cell().value);
}

}  // namespace bloomery::store
