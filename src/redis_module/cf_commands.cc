// RedisBloom's CF.* commands, with its replies and errors. New keys are quotient filters
// (deletable_filter.h). A key that was loaded from a dump of RedisBloom stays a cuckoo filter
// (cuckoo_chain.h).
//
// Intended differences:
//   - CF.RESERVE and CF.INSERT accept ERROR r, which holds while the key grows. The default is
//     bloomery.error-rate.
//   - BUCKETSIZE, MAXITERATIONS and EXPANSION are validated and reported by CF.INFO. They have no other
//     effect, except that a key with EXPANSION 0 accepts no more items than its capacity.
//   - A repeated item costs a few bytes, up to 16,777,215 copies. A key is one filter, whatever its size.
//   - Chunks of CF.SCANDUMP are marked and checksummed, unless they are of a cuckoo filter.
//   - CF.COMPACT does nothing, also for a cuckoo filter.
//   - A key that is being loaded by CF.LOADCHUNK answers maybe to every query, refuses changes, and accepts
//     its chunks only in order.
//
// Source: the replies and errors of RedisBloom 2.8.20.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/command_list.h"
#include "redis_module/filter_options.h"
#include "redis_module/item_commands.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kIsFull = "Filter is full";

// ---- RESERVE

constexpr OptionErrors kCfErrors = {
    .error_not_number = "Bad error rate",
    .error_out_of_range = "Bad error rate: expected more than 0 and less than 1",
    .capacity_not_number = "Bad capacity",
    .capacity_out_of_range = "Bad capacity",
    .expansion_not_number = "Couldn't parse EXPANSION",
    .expansion_out_of_range = "EXPANSION: value must be an integer between 0 and 32768, inclusive.",
    .unknown_word = "Unknown argument received",
    .no_value = "Bad argument received"};
constexpr std::array kCfReserveValues = {
    ValueOption{"BUCKETSIZE", take_bucket_size}, ValueOption{"MAXITERATIONS", take_iterations},
    ValueOption{"EXPANSION", take_expansion}, ValueOption{"ERROR", take_error_rate}};
constexpr OptionGrammar kCfReserveGrammar = {.values = kCfReserveValues, .flags = {}, .errors = kCfErrors};
constexpr std::array kCfInsertValues = {ValueOption{"CAPACITY", take_capacity},
                                        ValueOption{"ERROR", take_error_rate}};
constexpr std::array kCfInsertFlags = {FlagOption{"NOCREATE", &FilterOptions::no_create}};
constexpr OptionGrammar kCfInsertGrammar = {
    .values = kCfInsertValues, .flags = kCfInsertFlags, .errors = kCfErrors};

const char* check_capacity(const FilterOptions& options) {
  return options.key.plan.capacity < 2 * std::uint64_t{options.key.cuckoo.bucket_size}
             ? "Capacity must be at least (BucketSize * 2)"
             : nullptr;
}

const char* cf_reserve_options(Words words, FilterOptions& options) {
  const char* error = take_capacity(words[2], kCfErrors, options);
  error = error != nullptr ? error : read_options(words, 3, kCfReserveGrammar, options);
  if (error == nullptr && options.items_at != 0) {
    error = kCfErrors.unknown_word;
  }
  return error != nullptr ? error : check_capacity(options);
}

int cf_reserve(Context* context, String** words, int count) {
  auto options = usual_options(context, Family::kDeletable);
  if (!options) {
    return kOk;
  }
  if (const char* error = cf_reserve_options(words_of(words, count), *options); error != nullptr) {
    return fail(context, error);
  }
  // Like RedisBloom, rounds EXPANSION up to a power of two.
  options->key.plan.expansion =
      options->key.plan.expansion == 0 ? 0 : std::bit_ceil(options->key.plan.expansion);
  return reserve_key(context, words[1], *options);
}

// ---- adding

const char* error_of_add(Added outcome) {
  switch (outcome) {
    case Added::kFull:
      return kIsFull;
    case Added::kNoMemory:
      return kNoMemory;
    default:
      return error_of(outcome);
  }
}

// Adds one item, and replies with a boolean or an error.
template <AddWhen kWhen>
int cf_add(Context* context, String** words, int count) {
  OpenKey key(context, words[1], kRead | kWrite, Wants::kDeletable);
  const auto usual = options_if_made(context, key, Wants::kDeletable);
  if (!usual) {
    return kOk;
  }
  if (const char* error = prepare_add(context, words[1], *usual, key); error != nullptr) {
    return fail(context, error);
  }
  const Words items = words_of(words, count).subspan(2);
  const Added outcome =
      told_of(key.value(), add_items(context, words[1], key.value(), items, kWhen).front(), kWhen);
  if (outcome != Added::kNew && outcome != Added::kKnown) {
    return fail(context, error_of_add(outcome));
  }
  return server.ReplyWithBool(context, outcome == Added::kNew ? 1 : 0);
}

// A full filter replies -1; in RESP3, CF.INSERT replies false instead. CF.INSERTNX replies with numbers in
// RESP3, too.
void reply_with_inserted(Context* context, Added outcome, AddWhen when) {
  const bool has_booleans = when == AddWhen::kAlways && (server.GetContextFlags(context) & kFlagResp3) != 0;
  if (has_booleans) {
    server.ReplyWithBool(context, outcome == Added::kNew ? 1 : 0);
  } else {
    server.ReplyWithLongLong(context, outcome == Added::kNew ? 1 : outcome == Added::kKnown ? 0 : -1);
  }
}

template <AddWhen kWhen>
int cf_insert(Context* context, String** words, int count) {
  auto options = usual_options(context, Family::kDeletable);
  if (!options) {
    return kOk;
  }
  const Words all = words_of(words, count);
  const char* error = read_options(all, 2, kCfInsertGrammar, *options);
  error = error != nullptr ? error : check_capacity(*options);
  if (error != nullptr) {
    return fail(context, error);
  }
  if (options->items_at == 0 || options->items_at == all.size()) {
    return server.WrongArity(context);
  }
  OpenKey key(context, words[1], kRead | kWrite, Wants::kDeletable);
  if (const char* refused = prepare_add(context, words[1], *options, key); refused != nullptr) {
    return fail(context, refused);
  }
  const PerItem<Added> outcomes =
      add_items(context, words[1], key.value(), all.subspan(options->items_at), kWhen);
  server.ReplyWithArray(context, static_cast<long>(outcomes.size()));
  for (const Added outcome : outcomes) {
    reply_with_inserted(context, told_of(key.value(), outcome, kWhen), kWhen);
  }
  return kOk;
}

// ---- deleting and counting

int cf_remove(Context* context, String** words, int count) {
  const OpenKey key(context, words[1], kRead | kWrite, Wants::kDeletable);
  if (key.found() != Found::kValue) {
    return fail(context, "Not found");
  }
  if (!key.value().is_loaded()) {
    return fail(context, kIsBeingLoaded);
  }
  const Removed outcome =
      remove_items(context, words[1], key.value(), words_of(words, count).subspan(2)).front();
  return outcome == Removed::kNoMemory ? fail(context, kNoMemory)
                                       : server.ReplyWithBool(context, outcome == Removed::kYes ? 1 : 0);
}

int count_copies(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead, Wants::kDeletable);
  const bool is_there = key.file() != nullptr || key.found() == Found::kValue;
  return is_there ? reply_with_copies(context, key, words[2]) : server.ReplyWithLongLong(context, 0);
}

int compact(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead | kWrite, Wants::kDeletable);
  if (key.found() != Found::kValue) {
    return fail(context, "Cuckoo filter was not found");
  }
  // Nothing to do, because every delete frees its slot at once.
  return server.ReplyWithSimpleString(context, "OK");
}

// Returns the number of buckets that RedisBloom's first filter would have.
std::uint64_t buckets_of(const FilterValue& value) {
  return std::bit_ceil(std::max<std::uint64_t>(value.capacity() / value.cuckoo().bucket_size, 1));
}

// Returns the numbers of a cuckoo filter. Those of a quotient filter are the ones that RedisBloom would have.
CuckooChain::Header cuckoo_facts(const FilterValue& value) {
  if (value.layout() == Layout::kCuckoo) {
    return value.cuckoo_chain().header();
  }
  const DeletableFilter& filter = value.deletable();
  return {.items = filter.keys(),
          .buckets = buckets_of(value),
          .deleted = filter.deleted(),
          .tables = 1,
          .bucket_size = value.cuckoo().bucket_size,
          .most_iterations = value.cuckoo().most_iterations,
          .expansion = static_cast<std::uint16_t>(filter.plan().expansion)};
}

int cf_info(Context* context, String** words, int /*count*/) {
  const OpenKey key(context, words[1], kRead, Wants::kDeletable);
  if (key.found() != Found::kValue) {
    return fail(context, error_of_found(key.found()));
  }
  const CuckooChain::Header facts = cuckoo_facts(key.value());
  const std::array<std::pair<const char*, std::uint64_t>, 8> fields = {{
      {"Size", key.value().memory_bytes()},
      {"Number of buckets", facts.buckets},
      {"Number of filters", facts.tables},
      {"Number of items inserted", facts.items},
      {"Number of items deleted", facts.deleted},
      {"Bucket size", facts.bucket_size},
      {"Expansion rate", facts.expansion},
      {"Max iterations", facts.most_iterations},
  }};
  server.ReplyWithMap(context, static_cast<long>(fields.size()));
  for (const auto& [label, value] : fields) {
    reply_with_number(context, label, value);
  }
  return kOk;
}

// ---- dumps

constexpr DumpErrors kDumpErrors = {
    .bad_iterator = "Invalid position",
    .bad_header = "Invalid header: expected one of CF.SCANDUMP, of RedisBloom or of bloomery",
    .bad_chunk = "Couldn't load chunk!",
    .past_end = "Couldn't load chunk!",
    .not_next = "Invalid position"};

int cf_scan(Context* context, String** words, int count) {
  return scan_dump(context, words, count, Wants::kDeletable, kDumpErrors, EndOfDump::kNull);
}

int cf_load(Context* context, String** words, int count) {
  return load_dump(context, words, count, Wants::kDeletable, kDumpErrors);
}

constexpr std::array kCfReserveArguments = {
    value_argument("capacity", ArgumentType::kInteger),
    option_argument("bucketsize", "BUCKETSIZE", ArgumentType::kInteger),
    option_argument("maxiterations", "MAXITERATIONS", ArgumentType::kInteger),
    option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
    option_argument("error", "ERROR", ArgumentType::kDouble),
    CommandArgument{}};
constexpr std::array kCfInsertArguments = {
    option_argument("capacity", "CAPACITY", ArgumentType::kInteger),
    option_argument("error", "ERROR", ArgumentType::kDouble),
    option_argument("nocreate", "NOCREATE", ArgumentType::kToken),
    option_argument("item", "ITEMS", ArgumentType::kString, kArgumentRepeats), CommandArgument{}};
constexpr std::array kCfRows = {
    command<cf_reserve, -3>("CF.RESERVE", kAddFlags, KeyUse::kInserts,
                            "Makes an empty filter from which items can be deleted", "O(1)",
                            kCfReserveArguments.data()),
    command<cf_add<AddWhen::kAlways>, 3>("CF.ADD", kAddFlags, KeyUse::kInserts,
                                         "Adds a copy of an item, and makes the filter if there is none",
                                         "O(1)", kItemArgument.data()),
    command<cf_add<AddWhen::kAbsent>, 3>(
        "CF.ADDNX", kAddFlags, KeyUse::kInserts,
        "Adds an item unless it may be in, and makes the filter if there is none", "O(1)",
        kItemArgument.data()),
    command<cf_insert<AddWhen::kAlways>, -4>(
        "CF.INSERT", kAddFlags, KeyUse::kInserts,
        "Adds a copy of each item, and makes the filter by options if there is none", "O(items)",
        kCfInsertArguments.data()),
    command<cf_insert<AddWhen::kAbsent>, -4>(
        "CF.INSERTNX", kAddFlags, KeyUse::kInserts,
        "Adds each item unless it may be in, and makes the filter by options if there is none", "O(items)",
        kCfInsertArguments.data()),
    command<exists<AnswerAs::kOne, Wants::kDeletable>, 3>("CF.EXISTS", kReadFlags, KeyUse::kReads,
                                                          "Tells whether an item may be in", "O(1)",
                                                          kItemArgument.data()),
    command<exists<AnswerAs::kArray, Wants::kDeletable>, -3>("CF.MEXISTS", kReadFlags, KeyUse::kReads,
                                                             "Tells of each item whether it may be in",
                                                             "O(items)", kItemsArgument.data()),
    command<cf_remove, 3>("CF.DEL", "write fast", KeyUse::kDeletes, "Takes out one copy of an item", "O(1)",
                          kItemArgument.data()),
    command<count_copies, 3>("CF.COUNT", kReadFlags, KeyUse::kReads,
                             "Returns how many copies of an item are in, or more", "O(1)",
                             kItemArgument.data()),
    command<cf_info, 2>("CF.INFO", kReadFlags, KeyUse::kReads, "Describes a filter", "O(segments)", nullptr),
    command<cf_scan, 3>("CF.SCANDUMP", kSlowReadFlags, KeyUse::kReads, "Returns a filter piece by piece",
                        "O(1)", kIteratorArgument.data()),
    command<cf_load, 4>("CF.LOADCHUNK", kAddFlags, KeyUse::kOverwrites,
                        "Loads a piece that CF.SCANDUMP returned", "O(1)", kChunkArguments.data()),
    command<compact, 2>("CF.COMPACT", "write", KeyUse::kUpdates,
                        "Does nothing, since a delete frees its slot", "O(1)", nullptr)};

}  // namespace

std::span<const CommandRow> cf_commands() {
  return kCfRows;
}

}  // namespace bloomery::redis_module
