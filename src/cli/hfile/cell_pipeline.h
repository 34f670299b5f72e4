// Batches of cells, read and parsed while those before are written.
//
//   caller's thread:  LineSource -> CellBatch ->| ring of kSlots batches |-> consume: thread of its own
//
// The caller's thread is the one that reads, and so hears the signals that interrupt a read; the other one
// has them blocked. The ring has a bound. After an error of `consume` no more is read than the batch that is
// being read. With one thread it is a loop.
#pragma once

#include <functional>

#include "bloomery/base/result.h"
#include "cli/hfile/cell_batch.h"

namespace bloomery::cli {

// Calls `consume` with every batch that has no error, in order, until one has or `consume` fails: that error
// is the answer. Cells in front of an error are consumed.
Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread,
                      const std::function<Status(const CellBatch&)>& consume);

}  // namespace bloomery::cli
