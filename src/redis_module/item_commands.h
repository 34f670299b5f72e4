// Commands that BF, CF and BLOOM share: they make keys, add, query and dump.
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

// Returns the server's time if the value's negatives expire; 0 otherwise, since reading the clock is slow.
std::int64_t now_for(const BloomValue& value);
// Replies with an upper bound on the copies of an item. Precondition: the key has a file or a deletable
// filter.
int reply_with_copies(Context* context, const OpenKey& key, const String* item);
// Replies with an answer for each item. Like RedisBloom, it answers no for a missing key and for a key of
// another type. A file is queried.
int exists(Context* context, const OpenKey& key, Words items, AnswerAs as);
template <AnswerAs kAs, Wants kWants>
int exists(Context* context, String** words, int count) {
  return exists(context, OpenKey(context, words[1], kRead, kWants), words_of(words, count).subspan(2), kAs);
}

// Makes a key by options, and replies OK.
int reserve_key(Context* context, String* name, const FilterOptions& options);
// Returns the error of a key that cannot accept items, or null. Makes a missing key if that is allowed.
const char* prepare_add(Context* context, String* name, const FilterOptions& options, OpenKey& key);
// Adds items and replies with an array. An error is its last element. The key is open for writing.
int add_and_reply(Context* context, String* name, const FilterOptions& options, OpenKey& key, Words items);
// Returns the outcome that a client may see. A key that answers maybe to every query cannot say that an item
// was new. It can say that a copy was added.
Added told_of(const BloomValue& value, Added outcome, AddWhen when = AddWhen::kAlways);
int add_one(Context* context, String** words, int count, Wants wants);
int add_many(Context* context, String** words, int count, Wants wants);
int count_of_key(Context* context, String** words, int count, Wants wants);

// Returns the options that the settings decide, or replies with an error and returns nothing.
std::optional<FilterOptions> usual_options(Context* context, Family family);
// Returns them for a command that may find its key. If it exists, they stay unset: a secret costs random
// bytes.
std::optional<FilterOptions> options_if_made(Context* context, const OpenKey& key, Wants wants);

const char* error_of_found(Found found);

// The errors of dumps where BF and CF differ.
struct DumpErrors {
  const char* bad_iterator;
  const char* bad_header;
  const char* bad_chunk;
  const char* past_end;  // the chunk begins where bytes are missing, and ends after its layer
  const char* not_next;
};

// How a dump ends, besides the iterator 0.
enum class EndOfDump : std::uint8_t { kEmptyString, kNull };

int scan_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors,
              EndOfDump end);
int load_dump(Context* context, String** words, int count, Wants wants, const DumpErrors& errors);
// Dumps of BF and BLOOM use these replies.
int scan_bloom(Context* context, String** words, int count, Wants wants);
int load_bloom(Context* context, String** words, int count, Wants wants);

}  // namespace bloomery::redis_module
