// Replies about items: query answers, and outcomes of additions and removals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "filter/native/growing_plan.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// A single answer, or an array with one answer per item.
enum class AnswerAs : std::uint8_t { kOne, kArray };

// Replies with bit i of `answers` for item i.
void reply_with_bits(Context* context, std::span<const std::uint64_t> answers, std::size_t items,
                     AnswerAs as);
// Returns the error text for an outcome that is an error.
const char* error_of(Added outcome);
// Replies with 1 for an item that was new, 0 for one that was known, or an error.
void reply_with_outcome(Context* context, Added outcome);
// Replies with one field of a map: its label and a number.
void reply_with_number(Context* context, const char* label, std::uint64_t number);

// Replies with an array: 1 for an item of which a copy was removed, 0 for an item that was absent, or an
// error.
void reply_with_removals(Context* context, std::span<const Removed> outcomes);

}  // namespace bloomery::redis_module
