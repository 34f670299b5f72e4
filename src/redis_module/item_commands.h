// Commands that BF, CF and BLOOM share: creating keys, adding, querying, dumping.
#pragma once

#include <cstdint>
#include <optional>

#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/filter_options.h"
#include "redis_module/filter_value.h"
#include "redis_module/item_replies.h"

namespace bloomery::redis_module {

// Binds a function that serves several families to one family.
template <int (*kCommand)(Context*, String**, int, Wants), Wants kWants>
int of_family(Context* context, String** words, int count) {
  return kCommand(context, words, count, kWants);
}

// Returns the server's time if a *no* of the value can expire; otherwise 0, because reading the clock is
// slow.
std::int64_t now_for(const FilterValue& value);
// Replies with an upper bound on the copies of an item. Precondition: the key has a file or a deletable
// filter.
int reply_with_copies(Context* context, const OpenKey& key, const String* item);
// Replies with one answer per item. Like RedisBloom, it replies no for a missing key and for a key of another
// type. A key that was loaded from a file is queried.
int exists(Context* context, const OpenKey& key, Words items, AnswerAs as);
template <AnswerAs kAs, Wants kWants>
int exists(Context* context, String** words, int count) {
  return exists(context, OpenKey(context, words[1], kRead, kWants), words_of(words, count).subspan(2), kAs);
}

// Creates a key from options, and replies OK.
int reserve_key(Context* context, String* name, const FilterOptions& options);
// Returns the error if the key cannot accept items, or null. Creates a missing key if the options allow that.
const char* prepare_add(Context* context, String* name, const FilterOptions& options, OpenKey& key);
// Adds items and replies with an array. If an item is refused, its error is the last element. `key` is open
// for writing.
int add_and_reply(Context* context, String* name, const FilterOptions& options, OpenKey& key, Words items);
// Returns the outcome that the client is told. A key that answers maybe to every query reports new items as
// known. The insertion of a copy into a deletable filter is still reported as new.
Added told_of(const FilterValue& value, Added outcome, AddWhen when = AddWhen::kAlways);
int add_one(Context* context, String** words, int count, Wants wants);
int add_many(Context* context, String** words, int count, Wants wants);
int count_of_key(Context* context, String** words, int count, Wants wants);

// Returns the options that the settings determine. On an error, replies with it and returns nothing.
std::optional<FilterOptions> usual_options(Context* context, Family family);
// Returns usual_options() if the key does not exist. If it exists, the options stay unset, because a secret
// would cost random bytes.
std::optional<FilterOptions> options_if_made(Context* context, const OpenKey& key, Wants wants);

const char* error_of_found(Found found);

// Error texts of dumps that differ between BF and CF.
struct DumpErrors {
  const char* bad_iterator;
  const char* bad_header;
  const char* bad_chunk;
  const char* past_end;  // the chunk starts at the first missing byte, and ends after its layer
  const char* not_next;
};

// The bytes of SCANDUMP's last reply, which has the iterator 0.
enum class EndOfDump : std::uint8_t { kEmptyString, kNull };

int scan_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors,
              EndOfDump end);
int load_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors);
// SCANDUMP and LOADCHUNK of BF and BLOOM.
int scan_bloom(Context* context, String** words, int count, Wants wants);
int load_bloom(Context* context, String** words, int count, Wants wants);

}  // namespace bloomery::redis_module
