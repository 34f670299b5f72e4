// RedisBloom's BF.* commands, with its replies and errors, for keys of both Bloom layouts (filter_value.h).
//
// Intended differences:
//   - Option names must match completely. RedisBloom compares only their first letters, and its BF.RESERVE
//     skips unknown options.
//   - A key that is being loaded by BF.LOADCHUNK answers maybe to every query, refuses items, and accepts its
//     chunks only in order.
//   - A key may not exceed bloomery.memory-limit.
//
// Source: the replies and errors of RedisBloom 2.8.20; the limits of BF.RESERVE's EXPANSION as RedisBloom 8
// has them.
#include <algorithm>
#include <array>
#include <string_view>

#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/command_list.h"
#include "redis_module/filter_options.h"
#include "redis_module/item_commands.h"

namespace bloomery::redis_module {
namespace {

// ---- RESERVE and INSERT

constexpr std::array kBfReserveValues = {ValueOption{"EXPANSION", take_expansion}};
constexpr std::array kBfReserveFlags = {FlagOption{"NONSCALING", &FilterOptions::nonscaling}};
constexpr OptionGrammar kBfReserveGrammar = {
    .values = kBfReserveValues,
    .flags = kBfReserveFlags,
    .errors = {.error_not_number = "ERR bad error rate",
               .error_out_of_range = "ERR (0 < error rate range < 1) ",
               .capacity_not_number = "ERR bad capacity",
               .capacity_out_of_range = "ERR (capacity should be larger than 0)",
               .expansion_not_number = "ERR bad expansion",
               .expansion_out_of_range = "ERR expansion must be in the range [0, 32768]",
               .unknown_word = "ERR unknown argument received",
               .no_value = "ERR no expansion"}};

constexpr std::array kBfInsertValues = {ValueOption{"CAPACITY", take_capacity},
                                        ValueOption{"ERROR", take_error_rate},
                                        ValueOption{"EXPANSION", take_expansion}};
constexpr std::array kBfInsertFlags = {FlagOption{"NOCREATE", &FilterOptions::no_create},
                                       FlagOption{"NONSCALING", &FilterOptions::nonscaling}};
constexpr OptionGrammar kBfInsertGrammar = {.values = kBfInsertValues,
                                            .flags = kBfInsertFlags,
                                            .errors = {.error_not_number = "Bad error rate",
                                                       .error_out_of_range = "Bad argument received",
                                                       .capacity_not_number = "Bad capacity",
                                                       .capacity_out_of_range = "Bad argument received",
                                                       .expansion_not_number = "Bad expansion",
                                                       .expansion_out_of_range = "Bad argument received",
                                                       .unknown_word = "Unknown argument received",
                                                       .no_value = "Bad argument received"}};

constexpr const char* kCannotExpand = "Nonscaling filters cannot expand";

const char* bf_reserve_options(Words words, FilterOptions& options) {
  const OptionErrors& errors = kBfReserveGrammar.errors;
  const char* error = take_error_rate(words[2], errors, options);
  error = error != nullptr ? error : take_capacity(words[3], errors, options);
  error = error != nullptr ? error : read_options(words, 4, kBfReserveGrammar, options);
  if (error == nullptr && options.items_at != 0) {
    error = errors.unknown_word;
  }
  return error != nullptr ? error : apply_nonscaling(options, kCannotExpand);
}

int bf_reserve(Context* context, String** words, int count) {
  auto options = usual_options(context, Family::kBloom);
  if (!options) {
    return kOk;
  }
  if (const char* error = bf_reserve_options(words_of(words, count), *options); error != nullptr) {
    return fail(context, error);
  }
  return reserve_key(context, words[1], *options);
}

int bf_insert(Context* context, String** words, int count) {
  auto options = usual_options(context, Family::kBloom);
  if (!options) {
    return kOk;
  }
  const Words all = words_of(words, count);
  const char* error = read_options(all, 2, kBfInsertGrammar, *options);
  error = error != nullptr ? error : apply_nonscaling(*options, kCannotExpand);
  if (error != nullptr) {
    return fail(context, error);
  }
  if (options->items_at == 0 || options->items_at == all.size()) {
    return server.WrongArity(context);
  }
  OpenKey key(context, words[1], kRead | kWrite, Wants::kBloom);
  return add_and_reply(context, words[1], *options, key, all.subspan(options->items_at));
}

// ---- INFO

struct InfoField {
  std::string_view word;
  const char* label;
};

constexpr std::array<InfoField, 5> kInfoFields = {{{"CAPACITY", "Capacity"},
                                                   {"SIZE", "Size"},
                                                   {"FILTERS", "Number of filters"},
                                                   {"ITEMS", "Number of items inserted"},
                                                   {"EXPANSION", "Expansion rate"}}};

void reply_with_field(Context* context, const FilterValue& value, std::size_t field) {
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

int reply_with_one_field(Context* context, const FilterValue& value, const String* word) {
  const auto* const field =
      std::ranges::find_if(kInfoFields, [&](const InfoField& row) { return is_word(word, row.word); });
  if (field == kInfoFields.end()) {
    return fail(context, "Invalid information value");
  }
  // The reply is a map of one pair in RESP3, and an array with only the value in RESP2.
  if ((server.GetContextFlags(context) & kFlagResp3) != 0) {
    server.ReplyWithMap(context, 1);
    server.ReplyWithSimpleString(context, field->label);
  } else {
    server.ReplyWithArray(context, 1);
  }
  reply_with_field(context, value, static_cast<std::size_t>(field - kInfoFields.begin()));
  return kOk;
}

int bf_info(Context* context, String** words, int count) {
  if (count > 3) {
    return server.WrongArity(context);
  }
  const OpenKey key(context, words[1], kRead, Wants::kBloom);
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

constexpr std::array kBfReserveArguments = {
    value_argument("error_rate", ArgumentType::kDouble), value_argument("capacity", ArgumentType::kInteger),
    option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
    option_argument("nonscaling", "NONSCALING", ArgumentType::kToken), CommandArgument{}};
constexpr std::array kBfInsertArguments = {
    option_argument("capacity", "CAPACITY", ArgumentType::kInteger),
    option_argument("error", "ERROR", ArgumentType::kDouble),
    option_argument("expansion", "EXPANSION", ArgumentType::kInteger),
    option_argument("nocreate", "NOCREATE", ArgumentType::kToken),
    option_argument("nonscaling", "NONSCALING", ArgumentType::kToken),
    option_argument("item", "ITEMS", ArgumentType::kString, kArgumentRepeats),
    CommandArgument{}};
constexpr std::array kBfFieldArguments = {value_argument("field", ArgumentType::kString, kArgumentIsOptional),
                                          CommandArgument{}};
constexpr std::array kBfRows = {
    command<bf_reserve, -4>("BF.RESERVE", kAddFlags, KeyUse::kInserts, "Makes an empty filter", "O(1)",
                            kBfReserveArguments.data()),
    command<of_family<add_one, Wants::kBloom>, 3>("BF.ADD", kAddFlags, KeyUse::kInserts,
                                                  "Adds an item, and makes the filter if there is none",
                                                  "O(layers)", kItemArgument.data()),
    command<of_family<add_many, Wants::kBloom>, -3>("BF.MADD", kAddFlags, KeyUse::kInserts,
                                                    "Adds items, and makes the filter if there is none",
                                                    "O(items * layers)", kItemsArgument.data()),
    command<bf_insert, -4>("BF.INSERT", kAddFlags, KeyUse::kInserts,
                           "Adds items, and makes the filter by options if there is none",
                           "O(items * layers)", kBfInsertArguments.data()),
    command<exists<AnswerAs::kOne, Wants::kBloom>, 3>("BF.EXISTS", kReadFlags, KeyUse::kReads,
                                                      "Tells whether an item may be in", "O(layers)",
                                                      kItemArgument.data()),
    command<exists<AnswerAs::kArray, Wants::kBloom>, -3>("BF.MEXISTS", kReadFlags, KeyUse::kReads,
                                                         "Tells of each item whether it may be in",
                                                         "O(items * layers)", kItemsArgument.data()),
    command<bf_info, -2>("BF.INFO", kReadFlags, KeyUse::kReads, "Describes a filter", "O(layers)",
                         kBfFieldArguments.data()),
    command<of_family<count_of_key, Wants::kBloom>, 2>("BF.CARD", kReadFlags, KeyUse::kReads,
                                                       "Returns how many items were new to the filter",
                                                       "O(layers)", nullptr),
    command<of_family<scan_bloom, Wants::kBloom>, 3>("BF.SCANDUMP", kSlowReadFlags, KeyUse::kReads,
                                                     "Returns a filter piece by piece", "O(1)",
                                                     kIteratorArgument.data()),
    command<of_family<load_bloom, Wants::kBloom>, 4>("BF.LOADCHUNK", kAddFlags, KeyUse::kOverwrites,
                                                     "Loads a piece that BF.SCANDUMP returned", "O(1)",
                                                     kChunkArguments.data())};

}  // namespace

std::span<const CommandRow> bf_commands() {
  return kBfRows;
}

}  // namespace bloomery::redis_module
