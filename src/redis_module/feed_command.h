// BLOOM.FEED key before next until [item ...]: one step of a feeder, which keeps a filter current with a
// source.
//
// A fed key has a record: the feeder's bytes, which say how far the filter has followed its source. Record,
// bits and lease are one value. So a server that returns to an older state, from a file or as a stale
// replica, has bits, record and lease of the same moment.
//
//   before   the record that the feeder believes the key has; empty if it has none yet
//   next     the record from now on, 1 to 512 bytes
//   until    the lease, in milliseconds since 1970 by the server's clock; 0 ends it
//   item     added to the filter
//
// A step is atomic, with one exception: if the filter accepts only some of the items, those stay in, and
// neither record nor lease changes. An extra item is harmless. The reply is the server's time in milliseconds
// and the number of new items.
//
// Invariant: a key with a record answers maybe unless its lease runs.
//
// Replicated as BLOOM.MADD of the items that were new, and BLOOM.FEED without items, in one transaction.
#pragma once

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

int feed(Context* context, String** words, int count);

}  // namespace bloomery::redis_module
