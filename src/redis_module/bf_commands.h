// RedisBloom's BF.* commands, with its replies and errors, for keys of both Bloom layouts (filter_value.h).
//
// Intended differences:
//   - Option names must match completely. RedisBloom compares only their first letters, and its BF.RESERVE
//     skips unknown options.
//   - A key that is being loaded by BF.LOADCHUNK answers maybe to every query, refuses items, and accepts its
//     chunks only in order.
//   - A key may not exceed bloomery.memory-limit.
//
// Source: the replies and errors of RedisBloom 2.8.20; the limits of BF.RESERVE's EXPANSION as RedisBloom 8
// has them.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

// Returns the commands. If the server refuses the first one, the names are taken by another module.
std::span<const CommandRow> bf_commands();

}  // namespace bloomery::redis_module
