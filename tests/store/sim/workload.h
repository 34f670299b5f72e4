// Random operations on a store on a simulated machine, with the model beside it: each answer is compared, and
// after each crash and each fault what the store promised (ledger.h). One seed is one run.
//
//   tables    t0, never dropped; t1, of three regions, is truncated and gets and loses a family; t2 comes and goes
//   writes    puts, deletes of each kind, batches over rows, families and regions, deletes of newest versions,
//             increment, append, check_and_mutate, of all durabilities
//   files     with has_compactions: compactions in the background, and major ones; each new file is compared
//             with what the model says (compaction_check.h), and the model forgets what is gone
//   splits      with has_splits: a table gets one or two more regions
//   snapshots   with has_snapshots: they are taken, compared, deleted and cloned (snapshots.h)
//   machine   flushes, background work, jumps of the clock, close and open; if wanted, kills, power losses and
//             failing calls, also during recovery
//
// The operations depend on the seed alone, and not on options, if there are neither crashes nor faults.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/store/sim/compaction_check.h"
#include "tests/store/sim/ledger.h"
#include "tests/store/sim/snapshots.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}

  std::uint64_t below(std::uint64_t end) { return numbers_() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  template <typename Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[static_cast<std::size_t>(below(values.size()))];
  }
  std::mt19937_64& numbers() { return numbers_; }

 private:
  std::mt19937_64 numbers_;
};

struct WorkloadSettings {
  std::uint64_t seed = 1;
  std::size_t operations = 300;
  std::uint64_t layout = 0;  // a seed of options, formats of files, and the order of background work
  bool has_crashes = false;
  bool has_faults = false;
  bool changes_tables = true;
  bool has_compactions = false;
  bool has_snapshots = false;
  bool has_splits = false;
};

struct WorkloadCounts {
  std::uint64_t operations = 0, reads = 0, crashes = 0, faults = 0, recoveries = 0, flushes = 0,
                compactions = 0, snapshots = 0, clones = 0, splits = 0;

  void add(const WorkloadCounts& other);
};

class Workload {
 public:
  explicit Workload(const WorkloadSettings& settings);

  // Makes the store and its tables. Returns what is wrong, or nothing.
  std::string begin();
  // Does an operation.
  std::string step();
  // Compares all, closes, opens and compares again.
  std::string end();
  // Ends a fault of the disk, closes or crashes, and opens. What was acknowledged must be there.
  std::string end_after_fault();
  // begin(), the operations and end(), with the seed in front of what is wrong.
  std::string run();

  const Ledger& ledger() const { return ledger_; }
  // Compactions that the ledger does not know yet, and the one that a crash may keep or lose.
  std::vector<CheckedCompaction> new_compactions() const;
  SimulatedStore& machine() { return machine_; }
  const WorkloadCounts& counts() const { return counts_; }
  // A number of all answers so far.
  std::uint64_t answers() const { return answers_; }

 private:
  using Problem = std::string;

  // The texts of a mutation, which a Mutation views.
  struct OwnedMutation {
    ModelCell cell = {};
    bool has_timestamp = false;

    Mutation view() const;
  };

  Problem do_operation(std::uint64_t kind);
  Problem mutate();
  Problem put_loose();
  Problem increment();
  Problem append();
  Problem check_and_mutate();
  Problem get();
  Problem scan();
  Problem flush();
  Problem major_compact(const std::string& table);
  Problem reopen();
  Problem jump();
  Problem alter();
  Problem truncate();
  Problem create_or_drop();
  Problem use_snapshots();
  Problem split();

  // A write: its steps are in the ledger before it is tried.
  Problem write(const std::string& table, const std::vector<ModelCell>& cells, Durability durability,
                const std::function<Status(StoreTable&)>& act);
  Problem change(Step step, const std::function<Status()>& act);
  Problem settle_outcome(const Status& outcome, const std::vector<Step>& steps, Durability durability);
  Problem compare(const std::string& what, const std::string& expected, const Result<std::string>& found);

  void watch_compactions();
  Problem adopt_compactions();

  void arm_crash();
  void arm_fault();
  Problem mend();
  Problem crash_and_open(CrashMode mode);
  Problem open_again(bool was_killed);
  CrashMode random_mode();

  TableSchema random_schema(const std::string& name, const std::vector<std::string>& families);
  void set_attribute(TableSchema& schema, const std::string& family, bool is_new);
  std::string random_table();
  std::string random_row();
  std::string random_qualifier();
  std::string random_value();
  std::int64_t random_time();
  OwnedMutation random_mutation(const ModelTable& table, const std::string& row);
  std::vector<OwnedMutation> random_mutations(const ModelTable& table);
  Durability random_durability();
  void ask_columns(const ModelTable& table, CellRequest& request);
  std::vector<ModelCell> cells_of(const ModelTable& table, const std::vector<OwnedMutation>& mutations) const;
  StoreTable handle(const std::string& name) { return machine_.table(name); }
  bool may_fail() { return machine_.disk().has_failed(); }
  void note(std::string text);

  WorkloadSettings settings_;
  Random random_;
  Random layout_;
  Ledger ledger_;
  std::size_t in_flight_ = 0;                    // steps of the write that has not returned
  std::vector<CheckedCompaction> compactions_;   // that the model does not know yet
  std::optional<CheckedCompaction> installing_;  // a crash may keep or lose it
  WorkloadCounts counts_;
  Snapshots snapshots_;
  SimulatedStore machine_;  // its background work uses what is above
  Model model_;             // what reads see: all of the ledger
  std::int64_t now_ = 1'700'000'000'000;
  std::uint64_t number_ = 0;
  bool is_broken_ = false;    // an operation failed because of a fault
  bool is_stopping_ = false;  // the power will be lost at a call of the future
  std::uint64_t armed_at_ = 0;
  std::uint64_t answers_ = 0;
  std::deque<std::string> notes_;  // of the last operations
};

// Runs a workload. Returns what is wrong, or nothing.
std::string run_workload(const WorkloadSettings& settings, WorkloadCounts* counts = nullptr);

}  // namespace bloomery::store::sim
