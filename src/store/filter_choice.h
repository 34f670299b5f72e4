// Chooses the filters of a new file of a family with BLOOMFILTER => AUTO: of rows, of columns, both or none.
//
// The measure is that of `bloomery hfile advise`, with the reads that were counted in place of a model:
//
//   cost(filter) - cost(exact) = P(false positive) x (cost of a read - cost of a skip)
//
// A filter saves what a get would read in files without its row, or without its columns. A larger choice must
// pay for itself (table/filter_worth.h). A pure function.
#pragma once

#include "store/read_demand.h"

namespace bloomery::store {

struct FilterKinds {
  bool has_rows = false;
  bool has_columns = false;

  bool operator==(const FilterKinds&) const = default;
};

// Costs in data blocks.
struct ReadCosts {
  double read = 1;
  double skip = 0;
};

// Fewer gets tell nothing.
inline constexpr double kLeastGets = 20;

// Returns `before` if there were fewer gets. `fpp` is that of each filter.
FilterKinds choose_filters(const ReadDemand& demand, const ReadCosts& costs, double fpp, FilterKinds before);

}  // namespace bloomery::store
