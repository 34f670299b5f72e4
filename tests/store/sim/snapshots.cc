#include "tests/store/sim/snapshots.h"

#include <algorithm>
#include <iterator>

#include "tests/store/sim/ledger.h"
#include "tests/store/sim/model.h"

namespace bloomery::store::sim {
namespace {

constexpr const char* kClone = "clone";

ScanRequest all_cells() {
  ScanRequest request;
  request.is_raw = true;
  request.versions = kAllVersions;
  return request;
}

Result<std::string> rows_of_snapshot(SimulatedStore& machine, const std::string& name, std::int64_t now) {
  TableOptions options{.now_ms = now};
  options.files = &machine.disk();
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, Table::open_snapshot("/root", name, options));
  return scanned(table, all_cells());
}

std::string compared(SimulatedStore& machine, const std::string& what, const std::string& expected,
                     const Result<std::string>& found) {
  if (!found) {
    return machine.disk().has_failed() ? "" : what + ": " + found.error().to_string();
  }
  return *found == expected ? "" : what + " differs " + difference(expected, *found);
}

}  // namespace

std::string Snapshots::take(SimulatedStore& machine, const std::string& table, std::int64_t now) {
  const std::string name = "s" + std::to_string(++number_);
  const auto rows = scanned(machine.table(table).reader(), all_cells());
  if (!rows) {
    return machine.disk().has_failed() ? "" : "a scan: " + rows.error().to_string();
  }
  all_[name] = {.rows = *rows, .now = now, .is_certain = false};
  const Status made = machine.store().snapshot(table, name);
  if (!made) {
    return machine.disk().has_failed() ? "" : "a snapshot: " + made.error().to_string();
  }
  all_[name].is_certain = true;
  ++taken_;
  return compared(machine, "the new snapshot " + name + " of " + table, *rows,
                  rows_of_snapshot(machine, name, now));
}

std::string Snapshots::use(SimulatedStore& machine, std::uint64_t choice) {
  if (all_.empty()) {
    return "";
  }
  const auto chosen = std::next(all_.begin(), static_cast<std::ptrdiff_t>(choice % all_.size()));
  const auto& [name, snapshot] = *chosen;
  if (!snapshot.is_certain) {
    return "";
  }
  const std::string problem =
      compared(machine, "snapshot " + name, snapshot.rows, rows_of_snapshot(machine, name, snapshot.now));
  if (!problem.empty() || choice % 5 < 2) {
    return problem;
  }
  if (choice % 5 < 4) {
    const Status deleted = machine.store().delete_snapshot(name);
    if (deleted) {
      all_.erase(chosen);
      return "";
    }
    chosen->second.is_certain = false;
    return machine.disk().has_failed() ? "" : "a deletion: " + deleted.error().to_string();
  }
  const auto made = machine.store().clone({.snapshot = name, .copies = choice % 2 == 0}, kClone);
  const auto text = made ? scanned(made->reader(), all_cells()) : Result<std::string>(made.error());
  if (!text) {
    return machine.disk().has_failed() ? "" : "a clone: " + text.error().to_string();
  }
  ++clones_;
  const Status dropped = machine.store().drop_table(kClone);
  return dropped || machine.disk().has_failed() ? "" : "a clone: " + dropped.error().to_string();
}

std::string Snapshots::recover(SimulatedStore& machine) {
  const auto listed = machine.store().snapshots();
  if (!listed) {
    return "the list of snapshots: " + listed.error().to_string();
  }
  for (auto at = all_.begin(); at != all_.end();) {
    const std::string& name = at->first;
    auto& snapshot = at->second;
    const bool is_there = std::ranges::any_of(*listed, [&](const auto& each) { return each.name == name; });
    if (!is_there && snapshot.is_certain) {
      return "snapshot " + name + " is lost";
    }
    if (!is_there) {
      at = all_.erase(at);
      continue;
    }
    snapshot.is_certain = true;
    const std::string problem = compared(machine, "snapshot " + name + " after an open", snapshot.rows,
                                         rows_of_snapshot(machine, name, snapshot.now));
    if (!problem.empty()) {
      return problem;
    }
    ++at;
  }
  if (listed->size() != all_.size()) {
    return "there are " + std::to_string(listed->size()) + " snapshots, not " + std::to_string(all_.size());
  }
  const auto tables = machine.store().tables();
  if (std::ranges::find(tables, kClone) != tables.end()) {
    const Status dropped = machine.store().drop_table(kClone);
    return dropped ? "" : "a clone that a crash left: " + dropped.error().to_string();
  }
  return "";
}

}  // namespace bloomery::store::sim
