// What a store promised: the state that must survive, and the changes after it, of which a crash leaves the
// first few, each as a whole.
//
//   certain | step 1 | step 2 | ... | step n
//             a crash leaves certain and the first k steps; a kill of the process at least the first `handed`
//
// Puts without the log are apart: each may be lost until its region was flushed. Their rows begin with
// kLoose, and each row is written once.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bloomery/store/store.h"
#include "tests/store/sim/compaction_check.h"
#include "tests/store/sim/model.h"

namespace bloomery::store::sim {

inline constexpr char kLoose = '~';

struct LoosePut {
  ModelCell cell = {};
  bool is_certain = false;
};

struct Ledger {
  Model certain = {};
  std::vector<Step> tail = {};
  std::size_t handed = 0;                      // steps that the operating system has
  std::map<std::string, LoosePut> loose = {};  // by row; all of one table

  // All steps are certain from now on, or all but the last few.
  void settle(std::size_t but = 0);
  // A compaction of some files dropped a cell, and a file before them has another one with its key, which was
  // overwritten: that one is seen now, as in HBase. Returns false if the certain state has another value.
  bool uncover(const std::string& table, const ModelCell& cell, const std::string& older);
  // Forgets a cell that a compaction dropped. `is_written_again`: the store still has one with its key.
  void forget(const std::string& table, const ModelCell& cell, bool is_written_again);
  void settle_loose();
};

// Has the ledger, and the model if it is not null, forget what a compaction dropped, unless the store has it:
// it was written again, or the compaction was lost with the power. Returns the error of a read.
Status forget_dropped(const CheckedCompaction& compaction, const Store& store, Ledger& ledger, Model* model);

// What a store has, as texts.
struct Contents {
  std::string text = {};                          // of all tables, without loose rows
  std::map<std::string, std::string> loose = {};  // by row
  std::string problem = {};                       // the error of a read
};

Contents contents_of(const Store& store);

// Sets the ledger to what the store has. Returns what is wrong, or nothing. `was_killed`: the machine has
// lost no power.
std::string recover(Ledger& ledger, const Store& store, bool was_killed);

// Returns the first lines in which two texts differ.
std::string difference(const std::string& expected, const std::string& found);

}  // namespace bloomery::store::sim
