#include "redis_module/bf_commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/filter/native_filter.h"
#include "redis_module/arguments.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/counters.h"
#include "redis_module/value_bytes.h"

namespace bloomery::redis_module {
namespace {

const char* error_of_found(Found found) {
  return found == Found::kNothing ? kNotFound : kWrongType;
}

bool is_added(Added outcome) {
  return outcome == Added::kNew || outcome == Added::kKnown;
}

// ---- options of RESERVE and INSERT

struct Options {
  NewKey key;
  bool names_expansion = false;
  bool nonscaling = false;
  bool may_create = true;
  std::size_t items_at = 0;  // the index of the first item; 0 if there is none
};

// The errors of one command where the two differ.
struct OptionErrors {
  const char* error_not_number;
  const char* error_out_of_range;
  const char* capacity_not_number;
  const char* capacity_out_of_range;
  const char* expansion_not_number;
  const char* expansion_out_of_range;
};

constexpr const char* kExpansionRange = "ERR expansion must be in the range [0, 32768]";
constexpr OptionErrors kReserveErrors = {.error_not_number = "ERR bad error rate",
                                         .error_out_of_range = "ERR (0 < error rate range < 1) ",
                                         .capacity_not_number = "ERR bad capacity",
                                         .capacity_out_of_range = "ERR (capacity should be larger than 0)",
                                         .expansion_not_number = "ERR bad expansion",
                                         .expansion_out_of_range = kExpansionRange};
constexpr OptionErrors kInsertErrors = {.error_not_number = "Bad error rate",
                                        .error_out_of_range = "Bad argument received",
                                        .capacity_not_number = "Bad capacity",
                                        .capacity_out_of_range = "Bad argument received",
                                        .expansion_not_number = "Bad expansion",
                                        .expansion_out_of_range = "Bad argument received"};

const char* take_error_rate(const String* word, const OptionErrors& errors, Options& options) {
  const auto rate = real_of(word);
  if (!rate) {
    return errors.error_not_number;
  }
  if (!(*rate > 0 && *rate < 1)) {
    return errors.error_out_of_range;
  }
  options.key.plan.fpp = *rate;
  return nullptr;
}

const char* take_capacity(const String* word, const OptionErrors& errors, Options& options) {
  const auto capacity = integer_of(word);
  if (!capacity) {
    return errors.capacity_not_number;
  }
  if (*capacity <= 0) {
    return errors.capacity_out_of_range;
  }
  if (static_cast<unsigned long long>(*capacity) > kMostCapacity) {
    return kTooLarge;
  }
  options.key.plan.capacity = static_cast<std::uint64_t>(*capacity);
  return nullptr;
}

const char* take_expansion(const String* word, const OptionErrors& errors, Options& options) {
  const auto expansion = integer_of(word);
  if (!expansion) {
    return errors.expansion_not_number;
  }
  if (*expansion < 0 || *expansion > kMostExpansion) {
    return errors.expansion_out_of_range;
  }
  options.key.plan.expansion = static_cast<std::uint32_t>(*expansion);
  options.names_expansion = *expansion > 0;
  return nullptr;
}

const char* finish(Options& options) {
  if (options.nonscaling && options.names_expansion) {
    return "Nonscaling filters cannot expand";
  }
  if (options.nonscaling) {
    options.key.plan.expansion = 0;
  }
  return nullptr;
}

// ---- making

const char* reserve_options(Words words, Options& options) {
  if (const char* error = take_error_rate(words[2], kReserveErrors, options); error != nullptr) {
    return error;
  }
  if (const char* error = take_capacity(words[3], kReserveErrors, options); error != nullptr) {
    return error;
  }
  for (std::size_t i = 4; i < words.size(); ++i) {
    if (is_word(words[i], "NONSCALING")) {
      options.nonscaling = true;
    } else if (!is_word(words[i], "EXPANSION")) {
      return "ERR unknown argument received";
    } else if (++i == words.size()) {
      return "ERR no expansion";
    } else if (const char* error = take_expansion(words[i], kReserveErrors, options); error != nullptr) {
      return error;
    }
  }
  return finish(options);
}

int reserve(Context* context, String** words, int count) {
  if (count < 4) {
    return server.WrongArity(context);
  }
  Options options;
  Result<NewKey> usual = new_key_by_settings();
  if (!usual) {
    return fail(context, "ERR no random secret");
  }
  options.key = *usual;
  if (const char* error = reserve_options(words_of(words, count), options); error != nullptr) {
    return fail(context, error);
  }
  OpenKey key(context, words[1], kRead | kWrite);
  if (key.found() != Found::kNothing) {
    return fail(context, key.found() == Found::kValue ? kItemExists : kWrongType);
  }
  if (const char* error = create_key(context, words[1], options.key, key); error != nullptr) {
    return fail(context, error);
  }
  return server.ReplyWithSimpleString(context, "OK");
}

// ---- adding

// Returns the error of a key that items cannot be added to, or null. Makes the key if it may.
const char* prepare_add(Context* context, String* name, const Options& options, OpenKey& key) {
  if (key.found() == Found::kOtherType) {
    return kWrongType;
  }
  if (key.found() == Found::kNothing) {
    return options.may_create ? create_key(context, name, options.key, key) : kNotFound;
  }
  return key.value().is_loaded() ? nullptr : kIsBeingLoaded;
}

void reply_with_outcome(Context* context, Added outcome) {
  if (is_added(outcome)) {
    server.ReplyWithBool(context, outcome == Added::kNew ? 1 : 0);
  } else {
    server.ReplyWithError(context, error_of(outcome));
  }
}

// Adds items and replies with an array. An error is its last element.
int add_and_reply(Context* context, String* name, const Options& options, Words items) {
  OpenKey key(context, name, kRead | kWrite);
  if (const char* error = prepare_add(context, name, options, key); error != nullptr) {
    return fail(context, error);
  }
  const std::vector<Added> outcomes = add_items(context, name, key.value(), items);
  server.ReplyWithArray(context, static_cast<long>(outcomes.size()));
  for (const Added outcome : outcomes) {
    reply_with_outcome(context, outcome);
  }
  return kOk;
}

const char* insert_option(Words words, std::size_t& i, Options& options) {
  if (is_word(words[i], "NOCREATE")) {
    options.may_create = false;
    return nullptr;
  }
  if (is_word(words[i], "NONSCALING")) {
    options.nonscaling = true;
    return nullptr;
  }
  using Take = const char* (*)(const String*, const OptionErrors&, Options&);
  const Take take = is_word(words[i], "CAPACITY")    ? take_capacity
                    : is_word(words[i], "ERROR")     ? take_error_rate
                    : is_word(words[i], "EXPANSION") ? take_expansion
                                                     : nullptr;
  if (take == nullptr) {
    return "Unknown argument received";
  }
  if (++i == words.size()) {
    return "Bad argument received";
  }
  return take(words[i], kInsertErrors, options);
}

const char* insert_options(Words words, Options& options) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (is_word(words[i], "ITEMS")) {
      options.items_at = i + 1;
      break;
    }
    if (const char* error = insert_option(words, i, options); error != nullptr) {
      return error;
    }
  }
  return finish(options);
}

int insert(Context* context, String** words, int count) {
  if (count < 4) {
    return server.WrongArity(context);
  }
  Options options;
  Result<NewKey> usual = new_key_by_settings();
  if (!usual) {
    return fail(context, "ERR no random secret");
  }
  options.key = *usual;
  const Words all = words_of(words, count);
  if (const char* error = insert_options(all, options); error != nullptr) {
    return fail(context, error);
  }
  if (options.items_at == 0 || options.items_at == all.size()) {
    return server.WrongArity(context);
  }
  return add_and_reply(context, words[1], options, all.subspan(options.items_at));
}

// ---- asking

// RedisBloom answers no of a missing key, and of a key of another type.
int exists(Context* context, Words words, AnswerAs as) {
  const OpenKey key(context, words[1], kRead);
  reply_with_answers(context, key.found() == Found::kValue ? &key.value() : nullptr, words.subspan(2), as);
  return kOk;
}

int exists_one(Context* context, String** words, int count) {
  return count == 3 ? exists(context, words_of(words, count), AnswerAs::kOne) : server.WrongArity(context);
}

int exists_many(Context* context, String** words, int count) {
  return count >= 3 ? exists(context, words_of(words, count), AnswerAs::kArray) : server.WrongArity(context);
}

struct InfoField {
  std::string_view word;
  const char* label;
};

constexpr std::array<InfoField, 5> kInfoFields = {{{"CAPACITY", "Capacity"},
                                                   {"SIZE", "Size"},
                                                   {"FILTERS", "Number of filters"},
                                                   {"ITEMS", "Number of items inserted"},
                                                   {"EXPANSION", "Expansion rate"}}};

void reply_with_field(Context* context, const BloomValue& value, std::size_t field) {
  switch (field) {
    case 0:
      server.ReplyWithLongLong(context, static_cast<long long>(value.capacity()));
      return;
    case 1:
      server.ReplyWithLongLong(context, static_cast<long long>(value.memory_bytes()));
      return;
    case 2:
      server.ReplyWithLongLong(context, static_cast<long long>(value.layer_count()));
      return;
    case 3:
      server.ReplyWithLongLong(context, static_cast<long long>(value.keys()));
      return;
    default:
      if (value.expansion() == 0) {
        server.ReplyWithNull(context);
      } else {
        server.ReplyWithLongLong(context, value.expansion());
      }
  }
}

int reply_with_one_field(Context* context, const BloomValue& value, const String* word) {
  const auto* const field =
      std::ranges::find_if(kInfoFields, [&](const InfoField& row) { return is_word(word, row.word); });
  if (field == kInfoFields.end()) {
    return fail(context, "Invalid information value");
  }
  // RESP3 has a map of one pair; RESP2 an array of the value alone.
  if ((server.GetContextFlags(context) & kFlagResp3) != 0) {
    server.ReplyWithMap(context, 1);
    server.ReplyWithSimpleString(context, field->label);
  } else {
    server.ReplyWithArray(context, 1);
  }
  reply_with_field(context, value, static_cast<std::size_t>(field - kInfoFields.begin()));
  return kOk;
}

int info(Context* context, String** words, int count) {
  if (count < 2 || count > 3) {
    return server.WrongArity(context);
  }
  const OpenKey key(context, words[1], kRead);
  if (key.found() != Found::kValue) {
    return fail(context, error_of_found(key.found()));
  }
  if (count == 3) {
    return reply_with_one_field(context, key.value(), words[2]);
  }
  server.ReplyWithMap(context, static_cast<long>(kInfoFields.size()));
  for (std::size_t i = 0; i < kInfoFields.size(); ++i) {
    server.ReplyWithSimpleString(context, kInfoFields[i].label);
    reply_with_field(context, key.value(), i);
  }
  return kOk;
}

// ---- dumps

// Makes the key of a header. Returns the client's error, or null.
const char* load_new(Context* context, OpenKey& key, std::string_view data) {
  Result<std::unique_ptr<BloomValue>> value = load_header(std::as_bytes(std::span(data)));
  if (!value) {
    return "ERR received bad data";
  }
  if ((*value)->payload_bytes() > most_bytes_of_key(context)) {
    return kTooLarge;
  }
  key.set(std::move(value).value());
  return nullptr;
}

// Whether a chunk begins where bytes are missing, so that only its end is wrong.
bool begins_inside(const BloomValue& value, std::uint64_t iterator, std::string_view data) {
  return !value.is_loaded() && iterator - 1 >= data.size() && iterator - 1 - data.size() == value.loaded();
}

const char* load_next(BloomValue& value, std::uint64_t iterator, std::string_view data) {
  const Status loaded = load_chunk(value, iterator, std::as_bytes(std::span(data)));
  if (loaded) {
    return nullptr;
  }
  switch (loaded.error().code()) {
    case ErrorCode::kCorruption:
      return "ERR received bad data";
    case ErrorCode::kCapacity:
      return "ERR Insufficient memory";
    default:
      return begins_inside(value, iterator, data) ? "ERR invalid chunk - Too big for current filter"
                                                  : "ERR invalid offset - no link found";
  }
}

}  // namespace

void reply_with_answers(Context* context, const BloomValue* value, Words items, AnswerAs as) {
  std::vector<std::uint64_t> answers(answer_words(items.size()));
  if (value != nullptr) {
    value->may_contain(texts_of(items), server.Milliseconds(), answers);
  }
  counters().items_queried += items.size();
  // From here on nothing takes memory, so a reply that was begun is finished.
  if (as == AnswerAs::kArray) {
    server.ReplyWithArray(context, static_cast<long>(items.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    server.ReplyWithBool(context, static_cast<int>(answers[i / 64] >> (i % 64) & 1));
  }
}

int add_one(Context* context, String** words, int count) {
  if (count != 3) {
    return server.WrongArity(context);
  }
  const Result<NewKey> usual = new_key_by_settings();
  if (!usual) {
    return fail(context, "ERR no random secret");
  }
  OpenKey key(context, words[1], kRead | kWrite);
  if (const char* error = prepare_add(context, words[1], {.key = *usual}, key); error != nullptr) {
    return fail(context, error);
  }
  reply_with_outcome(context,
                     add_items(context, words[1], key.value(), words_of(words, count).subspan(2)).front());
  return kOk;
}

int add_many(Context* context, String** words, int count) {
  if (count < 3) {
    return server.WrongArity(context);
  }
  const Result<NewKey> usual = new_key_by_settings();
  if (!usual) {
    return fail(context, "ERR no random secret");
  }
  return add_and_reply(context, words[1], {.key = *usual}, words_of(words, count).subspan(2));
}

int count_of_key(Context* context, String** words, int count) {
  if (count != 2) {
    return server.WrongArity(context);
  }
  const OpenKey key(context, words[1], kRead);
  if (key.found() == Found::kOtherType) {
    return fail(context, kWrongType);
  }
  return server.ReplyWithLongLong(
      context, key.found() == Found::kNothing ? 0 : static_cast<long long>(key.value().keys()));
}

int scan_dump(Context* context, String** words, int count) {
  if (count != 3) {
    return server.WrongArity(context);
  }
  const OpenKey key(context, words[1], kRead);
  if (key.found() != Found::kValue) {
    return fail(context, error_of_found(key.found()));
  }
  const auto iterator = integer_of(words[2]);
  if (!iterator || *iterator < 0) {
    return fail(context, "Second argument must be numeric");
  }
  if (!key.value().is_loaded()) {
    return fail(context, kIsBeingLoaded);
  }
  Result<ScanStep> step = scan_step(key.value(), static_cast<std::uint64_t>(*iterator));
  const ScanStep answer = step ? std::move(step).value() : ScanStep();
  server.ReplyWithArray(context, 2);
  server.ReplyWithLongLong(context, static_cast<long long>(answer.iterator));
  return server.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(answer.bytes.data()),
                                      answer.bytes.size());
}

int load_dump(Context* context, String** words, int count) {
  if (count != 4) {
    return server.WrongArity(context);
  }
  const auto iterator = integer_of(words[2]);
  if (!iterator || *iterator < 1) {
    return fail(context, "ERR Second argument must be numeric");
  }
  OpenKey key(context, words[1], kRead | kWrite);
  if (key.found() == Found::kOtherType) {
    return fail(context, kWrongType);
  }
  const char* error = nullptr;
  if (*iterator == 1) {
    error = key.found() == Found::kValue ? kItemExists : load_new(context, key, text_of(words[3]));
  } else {
    error = key.found() == Found::kNothing
                ? kNotFound
                : load_next(key.value(), static_cast<std::uint64_t>(*iterator), text_of(words[3]));
  }
  if (error != nullptr) {
    return fail(context, error);
  }
  server.Replicate(context, "BLOOM.LOADCHUNK", "sss", words[1], words[2], words[3]);
  announce(context, "bloom.loadchunk", words[1]);
  return server.ReplyWithSimpleString(context, "OK");
}

std::span<const CommandRow> bf_commands() {
  static constexpr std::array kItem = {value_argument("item", ArgumentType::kString), CommandArgument{}};
  static constexpr std::array kItems = {value_argument("item", ArgumentType::kString, kArgumentRepeats),
                                        CommandArgument{}};
  static constexpr std::array kReserve = {
      value_argument("error_rate", ArgumentType::kDouble), value_argument("capacity", ArgumentType::kInteger),
      option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
      option_argument("nonscaling", "NONSCALING", ArgumentType::kToken), CommandArgument{}};
  static constexpr std::array kInsert = {
      option_argument("capacity", "CAPACITY", ArgumentType::kInteger),
      option_argument("error", "ERROR", ArgumentType::kDouble),
      option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
      option_argument("nocreate", "NOCREATE", ArgumentType::kToken),
      option_argument("nonscaling", "NONSCALING", ArgumentType::kToken),
      option_argument("item", "ITEMS", ArgumentType::kString, kArgumentRepeats),
      CommandArgument{}};
  static constexpr std::array kField = {value_argument("field", ArgumentType::kString, kArgumentIsOptional),
                                        CommandArgument{}};
  static constexpr std::array kIterator = {value_argument("iterator", ArgumentType::kInteger),
                                           CommandArgument{}};
  static constexpr std::array kChunk = {value_argument("iterator", ArgumentType::kInteger),
                                        value_argument("data", ArgumentType::kString), CommandArgument{}};
  static constexpr std::array kRows = {
      CommandRow{"BF.RESERVE", guarded<reserve>, kAddFlags, KeyUse::kInserts, -4, "Makes an empty filter",
                 "O(1)", kReserve.data()},
      CommandRow{"BF.ADD", guarded<add_one>, kAddFlags, KeyUse::kInserts, 3,
                 "Adds an item, and makes the filter if there is none", "O(layers)", kItem.data()},
      CommandRow{"BF.MADD", guarded<add_many>, kAddFlags, KeyUse::kInserts, -3,
                 "Adds items, and makes the filter if there is none", "O(items * layers)", kItems.data()},
      CommandRow{"BF.INSERT", guarded<insert>, kAddFlags, KeyUse::kInserts, -4,
                 "Adds items, and makes the filter by options if there is none", "O(items * layers)",
                 kInsert.data()},
      CommandRow{"BF.EXISTS", guarded<exists_one>, kReadFlags, KeyUse::kReads, 3,
                 "Tells whether an item may be in", "O(layers)", kItem.data()},
      CommandRow{"BF.MEXISTS", guarded<exists_many>, kReadFlags, KeyUse::kReads, -3,
                 "Tells of each item whether it may be in", "O(items * layers)", kItems.data()},
      CommandRow{"BF.INFO", guarded<info>, kReadFlags, KeyUse::kReads, -2, "Describes a filter", "O(layers)",
                 kField.data()},
      CommandRow{"BF.CARD", guarded<count_of_key>, kReadFlags, KeyUse::kReads, 2,
                 "Returns how many items were new to the filter", "O(layers)", nullptr},
      CommandRow{"BF.SCANDUMP", guarded<scan_dump>, kSlowReadFlags, KeyUse::kReads, 3,
                 "Returns a filter piece by piece", "O(1)", kIterator.data()},
      CommandRow{"BF.LOADCHUNK", guarded<load_dump>, kAddFlags, KeyUse::kOverwrites, 4,
                 "Loads a piece that BF.SCANDUMP returned", "O(1)", kChunk.data()}};
  return kRows;
}

}  // namespace bloomery::redis_module
