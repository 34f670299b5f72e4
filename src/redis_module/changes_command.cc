#include "redis_module/changes_command.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "bloomery/hash/hash_secret.h"
#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/item_commands.h"
#include "redis_module/item_replies.h"
#include "redis_module/recent_keys.h"

namespace bloomery::redis_module {
namespace {

void reply_with_bytes(Context* context, const char* label, const std::string& bytes) {
  server.ReplyWithSimpleString(context, label);
  server.ReplyWithStringBuffer(context, bytes.data(), bytes.size());
}

}  // namespace

int changes(Context* context, String** words, int /*count*/) {
  const auto id = integer_of(words[2]);
  const auto from = integer_of(words[3]);
  if (!id || !from || *id < 0 || *from < 0) {
    return fail(context, "ERR bad number: expected an id and a number of 0 or more");
  }
  const OpenKey key(context, words[1], kRead, Wants::kBloom);
  if (const char* error = error_of_found(key.found()); error != nullptr) {
    return fail(context, error);
  }
  FilterValue& value = key.value();
  if (!value.is_loaded()) {
    return fail(context, kIsBeingLoaded);
  }
  if (value.record().empty() || value.layout() != Layout::kBloomery) {
    return fail(context, "ERR no feeder has this key (BLOOM.FEED)");
  }
  const RecentKeys* const recent = value.recent_keys();
  const bool goes_on = recent != nullptr && recent->id() == static_cast<std::uint64_t>(*id) &&
                       recent->has(static_cast<std::uint64_t>(*from));
  const auto number = [&](const char* label, std::uint64_t of) { reply_with_number(context, label, of); };
  const BlockedShape& shape = value.growing().layers().front().size.shape;
  const HashSpec& hash = value.growing().plan().hash;
  server.ReplyWithMap(context, 13);
  number("id", recent != nullptr ? recent->id() : 0);
  number("next", recent != nullptr ? recent->next() : 0);
  if (goes_on) {
    reply_with_bytes(context, "hashes", recent->from(static_cast<std::uint64_t>(*from)));
  } else {
    server.ReplyWithSimpleString(context, "hashes");
    server.ReplyWithNull(context);
  }
  number("lease-until", static_cast<std::uint64_t>(value.lease_until()));
  number("lease-left",
         static_cast<std::uint64_t>(std::max(value.lease_until() - server.Milliseconds(), 0LL)));
  reply_with_bytes(context, "record", value.record());
  number("layers", value.layer_count());
  number("words", shape.words);
  number("hash-count", shape.hash_count);
  number("capacity", value.capacity());
  number("hash", static_cast<std::uint64_t>(hash.id));
  reply_with_bytes(context, "seed", std::to_string(hash.seed));
  reply_with_bytes(context, "secret", std::string(hash.secret.bytes.begin(), hash.secret.bytes.end()));
  return 0;
}

}  // namespace bloomery::redis_module
