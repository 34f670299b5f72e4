// BLOOM.FEED key before next until [item ...]: one step of a feeder, which keeps a filter current with a source.
//
// A key that is fed has a record: bytes of the feeder that say how far the filter has followed its source. The record, the
// bits and the lease are one value. So a server that comes back with an older state, from a file or as a late replica, has
// bits, record and lease of one moment.
//
//   before   the record that the feeder believes the key has; empty if it has none yet
//   next     the record from now on, 1 to 512 bytes
//   until    the lease, in milliseconds since 1970 by the server's clock; 0 ends it
//   item     added to the filter
//
// A step applies whole or not at all, with one exception: if the filter takes only some of the items, those stay in, and
// neither record nor lease changes. An item too many is harmless. The reply is the server's time in milliseconds and the
// number of items that were new.
//
// Invariant: a key with a record answers maybe unless its lease runs.
//
// Replicated as BLOOM.MADD of the items that were new, and BLOOM.FEED without items, in one transaction.
#pragma once

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

int feed(Context* context, String** words, int count);

}  // namespace bloomery::redis_module
