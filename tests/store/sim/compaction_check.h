// Compares what a compaction wrote with what the model says.
//
// Threads: one.
#pragma once

#include <string>
#include <vector>

#include "store/environment.h"
#include "tests/store/sim/model.h"

namespace bloomery::store::sim {

struct CheckedCompaction {
  std::string table = {};
  std::vector<ModelCell> dropped = {};  // what the old files have, and the new one does not
  std::string problem = {};             // empty if the new file is right
};

CheckedCompaction check_compaction(FileSystem& files, const CompactionNote& note);

}  // namespace bloomery::store::sim
