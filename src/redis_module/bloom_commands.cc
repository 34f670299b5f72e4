// The commands BLOOM.*, which no other module has.
//
//   BLOOM.CREATE key [CAPACITY n] [ERROR r] [BYTES n] [EXPANSION n] [NONSCALING] [KEYED] [LAYOUT name]
//                    [SEED n] [SECRET hex] [BUCKETSIZE n] [MAXITERATIONS n]
//   BLOOM.ADD key item            BLOOM.MADD key item...         same as BF.ADD and BF.MADD
//   BLOOM.EXISTS key item         BLOOM.MEXISTS key item...      an error for a missing key or another type
//   BLOOM.INFO key                BLOOM.CARD key                 BLOOM.ESTIMATE key
//   BLOOM.REMOVE key item...      BLOOM.COUNT key item           for keys of the layout quotient
//   BLOOM.UNION destination source...
//   BLOOM.LEASE key MS            BLOOM.LEASE key AT unix-ms
//   BLOOM.CHANGES key id from                                    (changes_command.h)
//   BLOOM.SCANDUMP, BLOOM.LOADCHUNK                              same as BF.SCANDUMP and BF.LOADCHUNK
//
// Source: docs/redis.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hash/ascii_text.h"
#include "hash/secret_text.h"
#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/changes_command.h"
#include "redis_module/command_list.h"
#include "redis_module/feed_command.h"
#include "redis_module/file_items.h"
#include "redis_module/file_value.h"
#include "redis_module/filter_options.h"
#include "redis_module/item_commands.h"
#include "redis_module/memory_limit.h"

namespace bloomery::redis_module {
namespace {

// ---- CREATE

constexpr const char* kBadError = "ERR bad error rate: expected more than 0 and less than 1";
constexpr const char* kBadCapacity = "ERR bad capacity: expected 1 or more";
constexpr const char* kBadExpansion = "ERR bad expansion: expected 0 to 32768";
constexpr const char* kBadWord = "ERR unknown or incomplete option";

// Marks a missing EXPANSION. Its default depends on the layout, which may follow later in the command.
constexpr std::uint32_t kNoExpansion = ~std::uint32_t{0};

const char* take_layout(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  if (is_word(word, "BLOOMERY")) {
    options.key.layout = Layout::kBloomery;
  } else if (is_word(word, "REDISBLOOM")) {
    options.key.layout = Layout::kRedisBloom;
  } else if (is_word(word, "QUOTIENT")) {
    options.key.layout = Layout::kQuotient;
  } else {
    return "ERR bad layout: expected bloomery, redisbloom or quotient";
  }
  return nullptr;
}

const char* take_bytes(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  const auto bytes = integer_of(word);
  if (!bytes || *bytes <= 0) {
    return "ERR bad bytes: expected 1 or more";
  }
  if (static_cast<std::uint64_t>(*bytes) > kMostPagedBytes) {
    return kTooLarge;
  }
  options.bytes = static_cast<std::uint64_t>(*bytes);
  return nullptr;
}

const char* take_seed(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  const auto seed = number_from_text<std::uint64_t>(text_of(word));
  if (!seed) {
    return "ERR bad seed: expected 0 to 2^64 - 1";
  }
  options.key.plan.hash = {.id = HashId::kMix8Xxh3, .seed = *seed, .secret = {}};
  options.names_hash = true;
  options.keyed = false;
  return nullptr;
}

const char* take_secret(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  const auto secret = secret_of_text(text_of(word));
  if (!secret) {
    return "ERR bad secret: expected 32 hexadecimal digits";
  }
  options.key.plan.hash = keyed_hash(*secret);
  options.names_hash = true;
  options.keyed = false;
  return nullptr;
}

constexpr std::array kCreateValues = {ValueOption{"CAPACITY", take_capacity},
                                      ValueOption{"ERROR", take_error_rate},
                                      ValueOption{"BYTES", take_bytes},
                                      ValueOption{"EXPANSION", take_expansion},
                                      ValueOption{"LAYOUT", take_layout},
                                      ValueOption{"SEED", take_seed},
                                      ValueOption{"SECRET", take_secret},
                                      ValueOption{"BUCKETSIZE", take_bucket_size},
                                      ValueOption{"MAXITERATIONS", take_iterations}};
constexpr std::array kCreateFlags = {FlagOption{"NONSCALING", &FilterOptions::nonscaling},
                                     FlagOption{"KEYED", &FilterOptions::keyed}};
constexpr OptionGrammar kCreateGrammar = {.values = kCreateValues,
                                          .flags = kCreateFlags,
                                          .errors = {.error_not_number = kBadError,
                                                     .error_out_of_range = kBadError,
                                                     .capacity_not_number = kBadCapacity,
                                                     .capacity_out_of_range = kBadCapacity,
                                                     .expansion_not_number = kBadExpansion,
                                                     .expansion_out_of_range = kBadExpansion,
                                                     .unknown_word = kBadWord,
                                                     .no_value = kBadWord}};

// A filter sized by BYTES does not grow. Its capacity is the number of items that fit at its error rate.
const char* size_by_bytes(FilterOptions& options) {
  if (options.names_capacity || options.names_expansion || options.key.layout != Layout::kBloomery) {
    return "ERR BYTES goes without CAPACITY, EXPANSION and other layouts than bloomery";
  }
  options.key.plan.expansion = 0;
  const std::optional<std::uint64_t> capacity = layer_capacity_of_bytes(options.bytes, options.key.plan.fpp);
  if (!capacity) {
    return "ERR bad bytes: too few for one item at this error rate";
  }
  options.key.plan.capacity = *capacity;
  return nullptr;
}

// Called last, because LAYOUT may be any option. With bloomery.keyed, a RedisBloom key is left unkeyed if
// that layout is the server's default; otherwise the command is refused.
bool is_keyed_by_setting(const FilterOptions& options) {
  const bool can_be = options.key.layout != Layout::kRedisBloom || settings().layout != Layout::kRedisBloom;
  return settings().keyed && !options.names_hash && can_be;
}

const char* finish(FilterOptions& options) {
  if (const char* error = apply_nonscaling(options, "ERR NONSCALING goes without EXPANSION");
      error != nullptr) {
    return error;
  }
  if (options.bytes > 0) {
    if (const char* error = size_by_bytes(options); error != nullptr) {
      return error;
    }
  }
  if (options.key.plan.expansion == kNoExpansion) {
    options.key.plan.expansion = usual_expansion(options.key.layout);
  }
  if (is_keyed_by_setting(options)) {
    options.keyed = true;
  }
  const bool has_secret = options.keyed || options.key.plan.hash.id == HashId::kSipHash;
  if (options.key.layout == Layout::kRedisBloom && has_secret) {
    return "ERR keys of the layout redisbloom have a fixed hash";
  }
  if (options.keyed) {
    const Result<HashSecret> secret = HashSecret::generate();
    if (!secret) {
      return "ERR no random secret";
    }
    options.key.plan.hash = keyed_hash(*secret);
  }
  return nullptr;
}

int create(Context* context, String** words, int count) {
  redact_secrets(context, words_of(words, count));
  // usual_options() is not used, because it would generate a secret that the options may replace.
  FilterOptions options;
  options.key = {.layout = settings().layout,
                 .plan = {.capacity = settings().capacity,
                          .fpp = settings().error_rate,
                          .expansion = kNoExpansion,
                          .hash = {}}};
  const char* error = read_options(words_of(words, count), 2, kCreateGrammar, options);
  if (error == nullptr) {
    error = options.items_at != 0 ? kBadWord : finish(options);
  }
  return error != nullptr ? fail(context, error) : reserve_key(context, words[1], options);
}

// ---- queries

// A missing key may have lost its items, so the reply is an error and never no.
template <AnswerAs kAs>
int bloom_exists(Context* context, String** words, int count) {
  const OpenKey key(context, words[1], kRead, Wants::kBoth);
  const char* const error = key.file() == nullptr ? error_of_found(key.found()) : nullptr;
  return error != nullptr ? fail(context, error)
                          : exists(context, key, words_of(words, count).subspan(2), kAs);
}

bool is_keyed(const FilterValue& value) {
  switch (value.layout()) {
    case Layout::kBloomery:
      return value.growing().plan().hash.id == HashId::kSipHash;
    case Layout::kQuotient:
      return value.deletable().plan().hash.id == HashId::kSipHash;
    default:
      return false;
  }
}

void reply_with_lease(Context* context, const FilterValue& value) {
  server.ReplyWithSimpleString(context, "lease-left");
  if (value.lease_until() == 0 && value.record().empty()) {
    server.ReplyWithNull(context);
  } else {
    server.ReplyWithLongLong(context, std::max(value.lease_until() - server.Milliseconds(), 0LL));
  }
  server.ReplyWithSimpleString(context, "record");
  if (value.record().empty()) {
    server.ReplyWithNull(context);
  } else {
    server.ReplyWithStringBuffer(context, value.record().data(), value.record().size());
  }
}

int bloom_info(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead, Wants::kBoth);
  if (key.file() != nullptr) {
    return describe_file(context, *key.file());
  }
  if (const char* error = error_of_found(key.found()); error != nullptr) {
    return fail(context, error);
  }
  const FilterValue& value = key.value();
  const auto number = [&](const char* label, std::uint64_t of) { reply_with_number(context, label, of); };
  server.ReplyWithMap(context, 12);
  server.ReplyWithSimpleString(context, "layout");
  server.ReplyWithSimpleString(context, layout_name(value.layout()));
  number("capacity", value.capacity());
  number("items", value.keys());
  number("layers", value.layer_count());
  number("filter-bytes", value.payload_bytes());
  number("memory-bytes", value.memory_bytes());
  number("expansion", value.expansion());
  number("keyed", is_keyed(value) ? 1 : 0);
  number("lease-until", static_cast<std::uint64_t>(value.lease_until()));
  reply_with_lease(context, value);
  server.ReplyWithSimpleString(context, "current-error");
  return server.ReplyWithDouble(context, value.answers_maybe(now_for(value)) ? 1 : value.current_fpp());
}

int estimate(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead, Wants::kBoth);
  if (const char* error = error_of_found(key.found()); error != nullptr) {
    return fail(context, error);
  }
  return server.ReplyWithLongLong(context, std::llround(key.value().estimated_keys()));
}

// Returns null if the key has a completely loaded filter, otherwise the error for the client.
const char* error_unless_whole(const OpenKey& key) {
  if (const char* error = error_of_found(key.found()); error != nullptr) {
    return error;
  }
  return key.value().is_loaded() ? nullptr : kIsBeingLoaded;
}

// ---- deletable filters

int bloom_remove(Context* context, String** words, int count) {
  const OpenKey key(context, words[1], kRead | kWrite, Wants::kDeletable);
  if (key.file() != nullptr) {
    return remove_from_file(context, words[1], *key.file(), words_of(words, count).subspan(2));
  }
  if (const char* error = error_unless_whole(key); error != nullptr) {
    return fail(context, error);
  }
  const auto outcomes = remove_items(context, words[1], key.value(), words_of(words, count).subspan(2));
  reply_with_removals(context, outcomes);
  return kOk;
}

int copies(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead, Wants::kDeletable);
  const char* const error = key.file() == nullptr ? error_unless_whole(key) : nullptr;
  return error != nullptr ? fail(context, error) : reply_with_copies(context, key, words[2]);
}

// ---- UNION

const char* error_of_source(const OpenKey& key) {
  if (const char* error = error_unless_whole(key); error != nullptr) {
    return error;
  }
  return key.value().layout() == Layout::kBloomery ? nullptr
                                                   : "ERR a union is of keys of the layout bloomery";
}

// Returns the earliest end of the values' leases; 0 if none has a lease. A value with a feeder's record but
// no lease counts as expired, since it answers maybe already.
std::int64_t first_lease(std::span<const FilterValue* const> values) {
  std::int64_t first = 0;
  for (const FilterValue* const value : values) {
    if (value->has_lease()) {
      const std::int64_t until = std::max<std::int64_t>(value->lease_until(), 1);
      first = first == 0 ? until : std::min(first, until);
    }
  }
  return first;
}

// A feeder renews the lease of its destination without regard to the lease of a source, so such a union is
// refused.
const char* error_of_leases(const OpenKey& destination, std::span<const FilterValue* const> values) {
  if (destination.found() != Found::kValue || destination.value().record().empty()) {
    return nullptr;
  }
  const bool has_other_lease = std::ranges::any_of(
      values, [&](const FilterValue* value) { return value != &destination.value() && value->has_lease(); });
  return has_other_lease ? "ERR a feeder has the destination (BLOOM.FEED), so no source may have a lease"
                         : nullptr;
}

// Returns the union of all values, or null and the error for the client if they are incompatible or too
// large.
std::unique_ptr<FilterValue> united(std::span<const FilterValue* const> values, std::uint64_t most_bytes,
                                    const char*& error) {
  auto whole = std::make_unique<FilterValue>(*values.front());
  for (const FilterValue* const next : values.subspan(1)) {
    const Status status = whole->growing().unite(next->growing());
    if (!status) {
      error = status.error().code() == ErrorCode::kCapacity ? "ERR a union has too many layers"
                                                            : "ERR a union is of keys with the same hash";
      return nullptr;
    }
  }
  whole->set_loaded(whole->payload_bytes());
  if (whole->payload_bytes() > most_bytes) {
    error = kTooLarge;
    return nullptr;
  }
  return whole;
}

// Makes the union the value of the destination. A destination without a record gets the lease.
void set_union(OpenKey& destination, std::unique_ptr<FilterValue> whole, std::int64_t lease_until) {
  if (destination.found() == Found::kValue) {
    destination.value().take_filter_of(std::move(*whole));
  } else {
    whole->set_record({});
    destination.set(std::move(whole));
  }
  if (destination.value().record().empty()) {
    destination.value().set_lease_until(lease_until);
  }
}

int unite(Context* context, String** words, int count) {
  OpenKey destination(context, words[1], kRead | kWrite, Wants::kBoth);
  std::vector<const FilterValue*> values;
  if (destination.found() != Found::kNothing) {
    if (const char* error = error_of_source(destination); error != nullptr) {
      return fail(context, error);
    }
    values.push_back(&destination.value());
  }
  for (String* const name : words_of(words, count).subspan(2)) {
    const OpenKey source(context, name, kRead, Wants::kBoth);
    if (const char* error = error_of_source(source); error != nullptr) {
      return fail(context, error);
    }
    values.push_back(&source.value());
  }
  const char* error = must_obey(context) ? nullptr : error_of_leases(destination, values);
  if (error != nullptr) {
    return fail(context, error);
  }
  const std::int64_t lease_until = first_lease(values);
  std::unique_ptr<FilterValue> whole = united(values, most_bytes_of_key(context), error);
  if (whole == nullptr) {
    return fail(context, error);
  }
  set_union(destination, std::move(whole), lease_until);
  server.Replicate(context, "BLOOM.UNION", "v", words + 1, static_cast<std::size_t>(count - 1));
  announce(context, "bloom.union", words[1]);
  return server.ReplyWithSimpleString(context, "OK");
}

// ---- LEASE

constexpr const char* kBadLease = "ERR bad lease: expected 0 or more milliseconds";

int lease(Context* context, String** words, int count) {
  const bool absolute = count == 4 && is_word(words[2], "AT");
  if (count != 3 && !absolute) {
    return server.WrongArity(context);
  }
  const auto milliseconds = integer_of(words[count - 1]);
  if (!milliseconds || *milliseconds < 0 || *milliseconds > kLatestLease) {
    return fail(context, kBadLease);
  }
  const long long until =
      absolute || *milliseconds == 0 ? *milliseconds : server.Milliseconds() + *milliseconds;
  if (until > kLatestLease) {  // without this check the server would save a lease that it refuses to load
    return fail(context, kBadLease);
  }
  const OpenKey key(context, words[1], kRead | kWrite, Wants::kBoth);
  if (const char* error = error_of_found(key.found()); error != nullptr) {
    return fail(context, error);
  }
  if (!key.value().record().empty()) {
    return fail(context, "ERR a feeder renews the lease of this key (BLOOM.FEED)");
  }
  key.value().set_lease_until(until);
  server.Replicate(context, "BLOOM.LEASE", "scl", words[1], "AT", until);
  announce(context, "bloom.lease", words[1]);
  return server.ReplyWithSimpleString(context, "OK");
}

constexpr std::array kBloomCreateArguments = {
    option_argument("capacity", "CAPACITY", ArgumentType::kInteger),
    option_argument("error", "ERROR", ArgumentType::kDouble),
    option_argument("bytes", "BYTES", ArgumentType::kInteger),
    option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
    option_argument("nonscaling", "NONSCALING", ArgumentType::kToken),
    option_argument("keyed", "KEYED", ArgumentType::kToken),
    option_argument("layout", "LAYOUT", ArgumentType::kString),
    option_argument("seed", "SEED", ArgumentType::kInteger),
    option_argument("secret", "SECRET", ArgumentType::kString),
    option_argument("bucketsize", "BUCKETSIZE", ArgumentType::kInteger),
    option_argument("maxiterations", "MAXITERATIONS", ArgumentType::kInteger),
    CommandArgument{}};
constexpr std::array kBloomUnionArguments = {
    value_argument("source", ArgumentType::kString, kArgumentRepeats), CommandArgument{}};
constexpr std::array kBloomLeaseArguments = {option_argument("at", "AT", ArgumentType::kToken),
                                             value_argument("milliseconds", ArgumentType::kInteger),
                                             CommandArgument{}};
constexpr std::array kBloomFeedArguments = {
    value_argument("before", ArgumentType::kString), value_argument("next", ArgumentType::kString),
    value_argument("until", ArgumentType::kInteger),
    value_argument("item", ArgumentType::kString, kArgumentIsOptional | kArgumentRepeats), CommandArgument{}};
constexpr std::array kBloomChangesArguments = {value_argument("id", ArgumentType::kInteger),
                                               value_argument("from", ArgumentType::kInteger),
                                               CommandArgument{}};
constexpr std::array kBloomRows = {
    command<create, -2>("BLOOM.CREATE", kAddFlags, KeyUse::kInserts, "Makes an empty filter", "O(1)",
                        kBloomCreateArguments.data()),
    command<of_family<add_one, Wants::kBoth>, 3>("BLOOM.ADD", kAddFlags, KeyUse::kInserts,
                                                 "Adds an item, and makes the filter if there is none",
                                                 "O(layers)", kItemArgument.data()),
    command<of_family<add_many, Wants::kBoth>, -3>("BLOOM.MADD", kAddFlags, KeyUse::kInserts,
                                                   "Adds items, and makes the filter if there is none",
                                                   "O(items * layers)", kItemsArgument.data()),
    command<bloom_exists<AnswerAs::kOne>, 3>("BLOOM.EXISTS", kReadFlags, KeyUse::kReads,
                                             "Tells whether an item may be in", "O(layers)",
                                             kItemArgument.data()),
    command<bloom_exists<AnswerAs::kArray>, -3>("BLOOM.MEXISTS", kReadFlags, KeyUse::kReads,
                                                "Tells of each item whether it may be in",
                                                "O(items * layers)", kItemsArgument.data()),
    command<bloom_info, 2>("BLOOM.INFO", kReadFlags, KeyUse::kReads,
                           "Describes a filter, with its present error rate", "O(layers)", nullptr),
    command<of_family<count_of_key, Wants::kBoth>, 2>("BLOOM.CARD", kReadFlags, KeyUse::kReads,
                                                      "Returns how many items were new to the filter",
                                                      "O(layers)", nullptr),
    command<estimate, 2>("BLOOM.ESTIMATE", kSlowReadFlags, KeyUse::kReads,
                         "Estimates the number of items from the bits", "O(layers)", nullptr),
    command<bloom_remove, -3>("BLOOM.REMOVE", "write", KeyUse::kDeletes,
                              "Takes one copy of each item out of a filter that counts", "O(items)",
                              kItemsArgument.data()),
    command<copies, 3>("BLOOM.COUNT", kReadFlags, KeyUse::kReads,
                       "Returns how many copies of an item are in a filter of the layout quotient, or more",
                       "O(1)", kItemArgument.data()),
    command<unite, -3>("BLOOM.UNION", kAddFlags, KeyUse::kUpdates,
                       "Adds the items of other filters, whose memory is shared until it changes",
                       "O(layers)", kBloomUnionArguments.data(), MoreKeys::kAllOthers),
    command<lease, -3>("BLOOM.LEASE", "write fast", KeyUse::kUpdates,
                       "Makes every answer maybe when the time is over", "O(1)", kBloomLeaseArguments.data()),
    command<feed, -5>("BLOOM.FEED", kAddFlags, KeyUse::kUpdates,
                      "Adds items with a new record and lease, if the record is the one that is named",
                      "O(items * layers)", kBloomFeedArguments.data()),
    command<changes, 4>("BLOOM.CHANGES", "readonly", KeyUse::kReads,
                        "Returns the hashes of a fed filter's new items, for a copy that follows it",
                        "O(items)", kBloomChangesArguments.data()),
    command<of_family<scan_bloom, Wants::kBoth>, 3>("BLOOM.SCANDUMP", kSlowReadFlags, KeyUse::kReads,
                                                    "Returns a filter piece by piece", "O(1)",
                                                    kIteratorArgument.data()),
    command<of_family<load_bloom, Wants::kBoth>, 4>("BLOOM.LOADCHUNK", kAddFlags, KeyUse::kOverwrites,
                                                    "Loads a piece that BLOOM.SCANDUMP returned", "O(1)",
                                                    kChunkArguments.data())};

}  // namespace

std::span<const CommandRow> bloom_commands() {
  return kBloomRows;
}

}  // namespace bloomery::redis_module
