// Reads and parses batches of cells in one thread while another one writes those before.
//
//   caller's thread:  LineSource -> CellBatch ->| ring of kSlots batches |-> consume: thread of its own
//
// The caller's thread reads, and so gets the signals that interrupt a read; the other thread has them
// blocked. The ring has a bound. After an error of `consume` nothing is read but the batch that is being
// read. With one thread it is a loop.
#pragma once

#include <functional>

#include "bloomery/base/result.h"
#include "cli/hfile/cell_batch.h"

namespace bloomery::cli {

// Calls `consume` with each batch, in order, until a batch has an error or `consume` fails. Returns this
// error. Cells in front of an error in a batch are consumed.
Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread,
                      const std::function<Status(const CellBatch&)>& consume);

}  // namespace bloomery::cli
