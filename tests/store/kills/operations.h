// What one thread of a writer does to a store, and what the store has after it. A seed, a thread and a number
// give one operation, so that the process that kills the writer knows what it did.
//
//   tables a and b    each worker has rows of its own; in b each of these is in another region
//   row "counters"    of a: all workers add to its columns, each to bits of its own
//   table side        made, altered, truncated and dropped by the last thread
//
// A put has its number as its timestamp, and a delete hides what is older than its number. Increments and
// appends have the time of the clock, which is not compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/store/store.h"

namespace bloomery::store::kills {

inline constexpr std::size_t kWorkers = 3;
inline constexpr std::size_t kTableThread = kWorkers;
inline constexpr std::size_t kThreads = kWorkers + 1;
inline constexpr std::size_t kCounters = 2;
inline constexpr unsigned kCounterBits = 20;  // of each worker in a counter

struct Version {
  std::optional<std::int64_t> timestamp = {};  // nothing: the clock's
  std::string value = {};
};

// What a store has of one thread.
struct State {
  std::map<std::string, std::vector<Version>> columns = {};  // "table/row/family:qualifier"; newest first
  std::array<std::uint64_t, kCounters> counts = {};          // how often it added to each counter
  std::map<std::string, std::string> tables = {};            // of the last thread: families, "f" or "f h"
};

struct Change {
  std::string row = {};
  std::string family = {};
  std::string qualifier = {};
  std::int64_t timestamp = 0;
  CellType type = CellType::kPut;
  std::string value = {};
};

struct Operation {
  enum class Kind : std::uint8_t {
    kMutate,
    kCheckAndMutate,
    kIncrement,
    kAppend,
    kFlush,
    kCreate,
    kAlter,
    kTruncate,
    kDrop
  };

  Kind kind = Kind::kMutate;
  Durability durability = Durability::kFsyncWal;
  std::string table = {};
  std::vector<Change> changes = {};
  std::optional<std::string> expected = {};  // of kCheckAndMutate: what the first change's column must have
  bool holds = true;                         // and whether it has that
  std::size_t counter = 0;
  std::string families = {};  // of kCreate and kAlter

  // Returns true if it survives the end of the process when it has returned. A check that does not hold writes
  // nothing, and so says nothing of the writes before it.
  bool is_acknowledged() const { return durability != Durability::kAsyncWal && holds; }
};

struct Thread {
  std::uint64_t seed = 1;
  std::size_t index = 0;
};

Operation operation_of(Thread thread, std::uint32_t number, const State& before);
void apply(const Operation& operation, State& state);
// Errors: those of the store, and kInvalidArgument for an answer that the state contradicts.
Status perform(Store& store, Thread thread, const Operation& operation);

// Makes the tables a and b.
Status make_tables(Store& store);

}  // namespace bloomery::store::kills
