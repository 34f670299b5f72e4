// The commands of BF, CF and BLOOM share these parts: they make keys, add, ask and dump.
#pragma once

#include <cstdint>
#include <optional>

#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/bloom_value.h"
#include "redis_module/filter_options.h"
#include "redis_module/item_replies.h"

namespace bloomery::redis_module {

// Makes a command of a function that serves several families.
template <int (*kCommand)(Context*, String**, int, Wants), Wants kWants>
int of_family(Context* context, String** words, int count) {
  return kCommand(context, words, count, kWants);
}

// The server's time, by which answers of the value may be maybe; 0 if they do not depend on it, since it takes a while to ask.
std::int64_t now_for(const BloomValue& value);
// Replies with how many copies of an item are in, or more. Precondition: the key has a file or a deletable filter.
int reply_with_copies(Context* context, const OpenKey& key, const String* item);
// Replies with an answer for each item. RedisBloom answers no of a missing key, and of a key of another type. A file answers as
// itself: it may have the item.
int exists(Context* context, const OpenKey& key, Words items, AnswerAs as);
template <AnswerAs kAs, Wants kWants>
int exists(Context* context, String** words, int count) {
  return exists(context, OpenKey(context, words[1], kRead, kWants), words_of(words, count).subspan(2), kAs);
}

// Makes a key by options, and replies OK.
int reserve_key(Context* context, String* name, const FilterOptions& options);
// Returns the error of a key that items cannot be added to, or null. Makes the key if it may.
const char* prepare_add(Context* context, String* name, const FilterOptions& options, OpenKey& key);
// Adds items and replies with an array. An error is its last element. The key is open for writing.
int add_and_reply(Context* context, String* name, const FilterOptions& options, OpenKey& key, Words items);
// Returns what a client is told of an item that was added. A key that answers maybe to everybody cannot say that an item
// was not in. That a filter has taken a copy, it can say.
Added told_of(const BloomValue& value, Added outcome, AddWhen when = AddWhen::kAlways);
int add_one(Context* context, String** words, int count, Wants wants);
int add_many(Context* context, String** words, int count, Wants wants);
int count_of_key(Context* context, String** words, int count, Wants wants);

// Returns the options of a key that settings decide, or replies with an error and returns nothing.
std::optional<FilterOptions> usual_options(Context* context, Family family);
// The same for a command that may find its key: then they are not used and not made, since a secret is random bytes.
std::optional<FilterOptions> options_if_made(Context* context, const OpenKey& key, Wants wants);

const char* error_of_found(Found found);

// The errors of dumps where BF and CF differ.
struct DumpErrors {
  const char* bad_iterator;
  const char* bad_header;
  const char* bad_chunk;
  const char* past_end;  // the chunk begins where bytes are missing, and ends behind its layer
  const char* not_next;
};

// How the end of a dump is told, beside the iterator 0.
enum class EndOfDump : std::uint8_t { kEmptyString, kNull };

int scan_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors,
              EndOfDump end);
int load_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors);
// The dumps of BF and BLOOM answer like this.
int scan_bloom(Context* context, String** words, int count, Wants wants);
int load_bloom(Context* context, String** words, int count, Wants wants);

}  // namespace bloomery::redis_module
