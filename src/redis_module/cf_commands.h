// The commands CF.* as RedisBloom answers them. Behind them stands a quotient filter (deletable_filter.h), and no cuckoo
// filter.
//
// We differ on purpose in these points:
//   - CF.RESERVE and CF.INSERT take ERROR r, which holds while the key grows. The default is bloomery.error-rate.
//   - BUCKETSIZE, MAXITERATIONS and EXPANSION are checked and repeated by CF.INFO. They change nothing, except that a key
//     with EXPANSION 0 takes no more items than its capacity.
//   - Copies of an item take a few bytes, up to 16,777,215 of them. A key has one filter, however large it is.
//   - Chunks of CF.SCANDUMP are marked and checksummed. Those of RedisBloom are refused.
//   - A key that is being loaded answers maybe to every query, refuses changes, and takes its chunks in order.
//
// Source: the replies and errors of RedisBloom 2.8.20.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

// The commands, the first of which tells whether the names are free.
std::span<const CommandRow> cf_commands();

}  // namespace bloomery::redis_module
