// RedisBloom's BF.* commands, with its replies and errors, for keys of both Bloom layouts.
//
// We differ on purpose in these points:
//   - Option names must match completely; RedisBloom checks their first letters, and BF.RESERVE skips unknown
//     ones.
//   - A key that is being loaded answers maybe to every query, refuses items, and accepts its chunks in
//     order.
//   - A key is no larger than bloomery.memory-limit.
//
// Source: the replies and errors of RedisBloom 2.8.20; the limits of BF.RESERVE's EXPANSION as RedisBloom 8
// has them.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

// The commands, the first of which tells whether the names are free.
std::span<const CommandRow> bf_commands();

}  // namespace bloomery::redis_module
