// RedisBloom's CF.* commands, with its replies and errors. The keys are quotient filters
// (deletable_filter.h), not cuckoo filters.
//
// Intended differences:
//   - CF.RESERVE and CF.INSERT accept ERROR r, which holds while the key grows. The default is
//     bloomery.error-rate.
//   - BUCKETSIZE, MAXITERATIONS and EXPANSION are validated and reported by CF.INFO. They have no other
//     effect, except that a key with EXPANSION 0 accepts no more items than its capacity.
//   - A repeated item costs a few bytes, up to 16,777,215 copies. A key is one filter, whatever its size.
//   - Chunks of CF.SCANDUMP are marked and checksummed. Those of RedisBloom are refused.
//   - A key that is being loaded by CF.LOADCHUNK answers maybe to every query, refuses changes, and accepts
//     its chunks only in order.
//
// Source: the replies and errors of RedisBloom 2.8.20.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

// Returns the commands. If the server refuses the first one, the names are taken by another module.
std::span<const CommandRow> cf_commands();

}  // namespace bloomery::redis_module
