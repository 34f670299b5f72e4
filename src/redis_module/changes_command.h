// BLOOM.CHANGES key id from: how a copy of a fed key follows it (feed/key_mirror.h).
//
// The reply is an array of names and values:
//
//   id           names the list of the key's latest items (recent_keys.h); 0: the key has none
//   next         the number of the next item
//   hashes       of the items from `from` on, 8 bytes each; nil if `id` is another one, or `from` is too old:
//                the copy must then be made again from BLOOM.SCANDUMP
//   lease-until, lease-left, record, layers     as in BLOOM.INFO, of the same moment
//   words, hash-count, capacity, error, hash, seed, secret      the shape and the hash of the filter
//
// The first call makes the list, which costs up to an eighth of the filter's memory, 512 KiB at most. Only a
// filter of one layer of our own layout has a list: keys of other layers cannot be told by their hashes
// alone. A key that is not fed, and one that is being loaded, is refused.
#pragma once

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

int changes(Context* context, String** words, int count);

}  // namespace bloomery::redis_module
