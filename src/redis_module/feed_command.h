// BLOOM.FEED key before next until [item ...]: one step of a feeder, which keeps a filter up to date with a
// database table.
//
// A fed key has a record: bytes in which the feeder notes how far the filter has followed its source. Record,
// bits and lease are one value. So a server that returns to an older state, from a file or as a stale
// replica, has bits, record and lease of the same moment.
//
//   before   the record that the feeder expects in the key; empty if the key has none yet
//   next     the new record, 1 to 512 bytes
//   until    the end of the lease, in milliseconds since 1970 by the server's clock; 0: no lease
//   item     added to the filter
//
// A step is atomic, with one exception: if the filter accepts only some of the items, these stay in the
// filter, and neither record nor lease changes. Extra items are harmless. The reply is the server's time in
// milliseconds and the number of new items.
//
// Invariant: a key with a record answers maybe unless its lease is valid.
//
// A step is replicated as BLOOM.MADD of the new items and BLOOM.FEED without items, in one transaction.
#pragma once

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

int feed(Context* context, String** words, int count);

}  // namespace bloomery::redis_module
