// Replies about items: answers of queries, and outcomes of additions and removals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "filter/native/growing_plan.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Whether the reply is a single answer or an array.
enum class AnswerAs : std::uint8_t { kOne, kArray };

// Replies with bit i of the answers for item i.
void reply_with_bits(Context* context, std::span<const std::uint64_t> answers, std::size_t items,
                     AnswerAs as);
// The error that a client gets for an outcome.
const char* error_of(Added outcome);
// Replies with 1 for an item that was new, 0 for one that was known, or an error.
void reply_with_outcome(Context* context, Added outcome);
// Replies with a field of a map.
void reply_with_number(Context* context, const char* label, std::uint64_t number);

// Replies with an array: 1 for an item of which a copy was removed, 0 for one that was not in, or an error.
void reply_with_removals(Context* context, std::span<const Removed> outcomes);

}  // namespace bloomery::redis_module
