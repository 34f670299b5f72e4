#include "redis_module/feed_command.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/item_replies.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kOtherRecord = "OTHERRECORD the key has another record";

// Returns the error if the key cannot be fed or does not have the record `before`, otherwise null.
const char* error_of_key(const OpenKey& key, std::string_view before) {
  if (key.found() != Found::kValue) {
    return key.found() == Found::kNothing ? "OTHERRECORD there is no such key" : kWrongType;
  }
  if (!key.value().is_loaded()) {
    return kIsBeingLoaded;
  }
  return key.value().record() == before ? nullptr : kOtherRecord;
}

// Returns the error of the first item that the filter refused, or null.
const char* error_of_items(const PerItem<Added>& outcomes, std::size_t items) {
  for (const Added outcome : outcomes) {
    if (outcome != Added::kNew && outcome != Added::kKnown) {
      return error_of(outcome);
    }
  }
  return outcomes.size() == items ? nullptr : kNoMemory;
}

}  // namespace

int feed(Context* context, String** words, int count) {
  const std::string_view next = text_of(words[3]);
  if (next.empty() || next.size() > kMostRecordBytes) {
    return fail(context, "ERR bad record: expected 1 to 512 bytes");
  }
  const auto until = integer_of(words[4]);
  if (!until || *until < 0 || *until > kLatestLease) {
    return fail(context, "ERR bad lease: expected 0 or more milliseconds");
  }
  const OpenKey key(context, words[1], kRead | kWrite, Wants::kBloom);
  if (const char* error = error_of_key(key, text_of(words[2])); error != nullptr) {
    return fail(context, error);
  }
  std::string record(next);  // after the items are added, no allocation may fail
  const Words items = words_of(words, count).subspan(5);
  const PerItem<Added> outcomes = add_items(context, words[1], key.value(), items, AddWhen::kAlways, false);
  if (const char* error = error_of_items(outcomes, items.size()); error != nullptr) {
    return fail(context, error);
  }
  key.value().set_record(std::move(record));
  key.value().set_lease_of_feeder(*until);
  server.Replicate(context, "BLOOM.FEED", "sssl", words[1], words[2], words[3], *until);
  announce(context, "bloom.feed", words[1]);
  server.ReplyWithArray(context, 2);
  server.ReplyWithLongLong(context, server.Milliseconds());
  return server.ReplyWithLongLong(context, std::ranges::count(outcomes, Added::kNew));
}

}  // namespace bloomery::redis_module
