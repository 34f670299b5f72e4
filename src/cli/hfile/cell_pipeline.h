// Reads and parses batches of cells in one thread, while another thread consumes the previous batches.
//
//   caller's thread:  LineSource -> CellBatch ->| ring of kSlots batches |-> consume: in its own thread
//
// The caller's thread reads, so it receives the signals that interrupt a read; the other thread blocks these.
// The ring is bounded (back-pressure). After an error of `consume`, only the batch in progress is still read.
// Without a second thread, one loop reads and consumes.
#pragma once

#include <functional>

#include "bloomery/base/result.h"
#include "cli/hfile/cell_batch.h"

namespace bloomery::cli {

// Calls `consume` with each batch, in order, until a batch has an error or `consume` fails, and returns this
// error. The cells before an error in a batch are still consumed.
Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread,
                      const std::function<Status(const CellBatch&)>& consume);

}  // namespace bloomery::cli
