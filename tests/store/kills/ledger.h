// What a writer reported before it was killed, and what a store must therefore have.
//
//   certain | operations that returned, the last acknowledged one included | begun
//             a killed process leaves the first k of a thread's operations, at least those up to the last
//             acknowledged one, at most all that were begun
//
// An operation is acknowledged when it returned and does not wait for a later write of the log (SYNC_WAL,
// FSYNC_WAL). Across threads, of two operations the second of which began when the first had returned, the
// second is not there without the first: a log has no holes.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bloomery/table/table.h"
#include "tests/store/kills/writer.h"

namespace bloomery::store::kills {

// What a store has, of all threads.
struct Contents {
  std::map<std::string, std::vector<Version>> columns = {};  // as in a State, without those of counters
  std::array<std::uint64_t, kCounters> counters = {};
  std::map<std::string, std::string> tables = {};
};

Result<Contents> contents_of(const Store& store);
// Reads a root that no process has open.
Result<Contents> contents_of_root(const std::string& root);

class Ledger {
 public:
  explicit Ledger(std::uint64_t seed) { work_.seed = seed; }

  const Work& work() const { return work_; }

  void note(const Report& report);
  bool is_opened() const { return is_opened_; }
  bool has_failed() const { return has_failed_; }
  // Returns true if a flush or a change of tables was begun and has not returned.
  bool is_flushing() const;
  bool is_changing_tables() const;

  // Compares with what a store has, and takes that as certain. Returns what is wrong, or nothing.
  std::string settle(const Contents& contents);

  struct Counts {
    std::uint64_t begun = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t returned = 0;   // without being acknowledged: ASYNC_WAL
    std::uint64_t kept = 0;       // of those that were not acknowledged, and
    std::uint64_t gone = 0;       // these are not there
    std::uint64_t mutations = 0;  // of the acknowledged operations
  };
  const Counts& counts() const { return counts_; }

 private:
  using Numbers = std::array<std::uint32_t, kThreads>;

  struct Progress {
    std::uint32_t returned = 0;
    std::uint32_t acknowledged = 0;
    State state = {};                           // after `begun` operations, as the writer has it
    std::vector<Operation> operations = {};     // those that were begun
    std::vector<Numbers> returned_before = {};  // what all threads had returned when each was begun
  };
  // The possible numbers of operations that are there.
  struct Possible {
    std::uint32_t least = 0;
    std::uint32_t most = 0;
  };

  std::string check_thread(std::size_t thread, const State& found, Possible& possible);
  std::string check_order(const std::array<Possible, kThreads>& possible) const;
  void begin();

  Work work_;
  std::array<Progress, kThreads> progress_ = {};
  bool is_opened_ = false;
  bool has_failed_ = false;
  Counts counts_ = {};
};

}  // namespace bloomery::store::kills
