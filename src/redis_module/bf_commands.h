// The commands BF.* as RedisBloom answers them, on keys of either layout.
//
// We differ on purpose in these points:
//   - Options are whole words; RedisBloom looks at their first letters, and BF.RESERVE skips unknown ones.
//   - A key that is being loaded answers maybe to every query, refuses items, and takes its chunks in order.
//   - A key is no larger than bloomery.memory-limit.
//
// Source: the replies and errors of RedisBloom 2.8.20; the limits of BF.RESERVE's EXPANSION as RedisBloom 8 has them.
#pragma once

#include <cstdint>
#include <span>

#include "redis_module/arguments.h"
#include "redis_module/bloom_value.h"
#include "redis_module/command_list.h"

namespace bloomery::redis_module {

// The commands, the first of which tells whether the names are free.
std::span<const CommandRow> bf_commands();

// The same commands under another name, for the namespace BLOOM.
int add_one(Context* context, String** words, int count);
int add_many(Context* context, String** words, int count);
int scan_dump(Context* context, String** words, int count);
int load_dump(Context* context, String** words, int count);
int count_of_key(Context* context, String** words, int count);

// Whether the answer for one item stands alone.
enum class AnswerAs : std::uint8_t { kOne, kArray };

// Replies with an answer for each item: what the value says, or no if there is none.
void reply_with_answers(Context* context, const BloomValue* value, Words items, AnswerAs as);

}  // namespace bloomery::redis_module
