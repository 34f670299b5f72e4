// Checks whether a history of operations on one register is linearizable: whether each operation can have
// happened at one moment between its begin and its end, so that all answers are those of one order.
//
// The register is a column: a number, or absent. A row of a store is a register of its own, and a history of
// many rows is linearizable if the history of each row is (Herlihy and Wing).
//
// The search tries each operation that may come next, and remembers where it was: the operations of a thread
// have an order, so a place in the search is a count for each thread, and the register's value. So a history
// of n operations by t threads costs at most about n^t / t^t places, and few of them in practice.
//
// Source: Wing and Gong, Testing and Verifying Concurrent Objects (1993); Lowe, Testing for Linearizability
// (2017), for the memory of places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bloomery::store::sim {

using RegisterValue = std::optional<std::int64_t>;

struct RegisterOperation {
  enum class Kind : std::uint8_t { kGet, kPut, kDelete, kIncrement, kCheckAndPut, kCheckAndDelete };

  Kind kind = Kind::kGet;
  std::uint64_t begin =
      0;  // of one clock for all threads; an operation precedes another that begins after its end
  std::uint64_t end = 0;
  std::int64_t given = 0;      // the value of a put, the amount of an increment
  RegisterValue checked = {};  // what a check compares with
  RegisterValue found = {};    // the answer of a get or of an increment
  bool holds = false;          // the answer of a check
};

// The operations of each thread, in their order.
using RegisterHistory = std::vector<std::vector<RegisterOperation>>;

// Returns true if the history is that of a register which is absent at first.
bool is_linearizable(const RegisterHistory& history);

std::string text_of(const RegisterHistory& history);

}  // namespace bloomery::store::sim
