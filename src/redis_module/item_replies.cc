#include "redis_module/item_replies.h"

#include "redis_module/border.h"
#include "redis_module/counters.h"

namespace bloomery::redis_module {

void reply_with_bits(Context* context, std::span<const std::uint64_t> answers, std::size_t items,
                     AnswerAs as) {
  counters().items_queried += items;
  // From here on nothing is allocated, so a reply that was begun is always completed.
  if (as == AnswerAs::kArray) {
    server.ReplyWithArray(context, static_cast<long>(items));
  }
  for (std::size_t i = 0; i < items; ++i) {
    server.ReplyWithBool(context, static_cast<int>(answers[i / 64] >> (i % 64) & 1));
  }
}

const char* error_of(Added outcome) {
  switch (outcome) {
    case Added::kFull:
      return "ERR non scaling filter is full";
    case Added::kOverLimit:
      return kTooLarge;
    default:
      return "ERR problem inserting into filter";
  }
}

void reply_with_outcome(Context* context, Added outcome) {
  if (outcome == Added::kNew || outcome == Added::kKnown) {
    server.ReplyWithBool(context, outcome == Added::kNew ? 1 : 0);
  } else {
    server.ReplyWithError(context, error_of(outcome));
  }
}

void reply_with_number(Context* context, const char* label, std::uint64_t number) {
  server.ReplyWithSimpleString(context, label);
  server.ReplyWithLongLong(context, static_cast<long long>(number));
}

void reply_with_removals(Context* context, std::span<const Removed> outcomes) {
  server.ReplyWithArray(context, static_cast<long>(outcomes.size()));
  for (const Removed outcome : outcomes) {
    if (outcome == Removed::kNoMemory) {
      server.ReplyWithError(context, kNoMemory);
    } else {
      server.ReplyWithBool(context, outcome == Removed::kYes ? 1 : 0);
    }
  }
}

}  // namespace bloomery::redis_module
