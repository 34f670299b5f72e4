#include "redis_module/item_commands.h"

#include <memory>
#include <optional>
#include <utility>

#include "bloomery/filter/native_filter.h"
#include "redis_module/border.h"
#include "redis_module/file_items.h"
#include "redis_module/item_replies.h"
#include "redis_module/memory_limit.h"
#include "redis_module/value_bytes.h"

namespace bloomery::redis_module {
namespace {

// The error texts of BF and BLOOM. RedisBloom has two texts for a bad iterator.
constexpr DumpErrors kScanErrors = {.bad_iterator = "Second argument must be numeric",
                                    .bad_header = "",
                                    .bad_chunk = "",
                                    .past_end = "",
                                    .not_next = ""};
constexpr DumpErrors kLoadErrors = {.bad_iterator = "ERR Second argument must be numeric",
                                    .bad_header = "ERR received bad data",
                                    .bad_chunk = "ERR received bad data",
                                    .past_end = "ERR invalid chunk - Too big for current filter",
                                    .not_next = "ERR invalid offset - no link found"};

// Creates the key from a dump's header. Returns the error for the client, or null.
const char* load_new(Context* context, OpenKey& key, std::string_view data, Wants wants,
                     const DumpErrors& errors) {
  Result<std::unique_ptr<FilterValue>> value = load_header(std::as_bytes(std::span(data)));
  if (!value || !wants_family(wants, family_of((*value)->layout()))) {
    return errors.bad_header;
  }
  if ((*value)->payload_bytes() > most_bytes_of_key(context)) {
    return kTooLarge;
  }
  key.set(std::move(value).value());
  return nullptr;
}

// Returns true if a chunk starts at the first missing byte. If the chunk is refused, its end must be wrong.
bool begins_inside(const FilterValue& value, std::uint64_t iterator, std::string_view data) {
  return !value.is_loaded() && iterator - 1 >= data.size() && iterator - 1 - data.size() == value.loaded();
}

const char* load_next(FilterValue& value, std::uint64_t iterator, std::string_view data,
                      const DumpErrors& errors) {
  const Status loaded = load_chunk(value, iterator, std::as_bytes(std::span(data)));
  if (loaded) {
    return nullptr;
  }
  switch (loaded.error().code()) {
    case ErrorCode::kCorruption:
      return errors.bad_chunk;
    case ErrorCode::kCapacity:
      return kNoMemory;
    default:
      return begins_inside(value, iterator, data) ? errors.past_end : errors.not_next;
  }
}

}  // namespace

const char* error_of_found(Found found) {
  return found == Found::kValue ? nullptr : found == Found::kNothing ? kNotFound : kWrongType;
}

std::optional<FilterOptions> options_if_made(Context* context, const OpenKey& key, Wants wants) {
  return key.found() == Found::kNothing
             ? usual_options(context, wants == Wants::kDeletable ? Family::kDeletable : Family::kBloom)
             : FilterOptions();
}

std::optional<FilterOptions> usual_options(Context* context, Family family) {
  Result<NewKey> usual = new_key_by_settings(family);
  if (!usual) {
    fail(context, "ERR no random secret");
    return std::nullopt;
  }
  FilterOptions options;
  options.key = *usual;
  return options;
}

// ---- queries

std::int64_t now_for(const FilterValue& value) {
  return value.has_lease() ? server.Milliseconds() : 0;
}

int reply_with_copies(Context* context, const OpenKey& key, const String* item) {
  if (key.file() != nullptr) {
    return count_in_file(context, *key.file(), item);
  }
  const std::uint64_t copies = key.value().count(text_of(item), now_for(key.value()));
  return server.ReplyWithLongLong(context, static_cast<long long>(copies));
}

int exists(Context* context, const OpenKey& key, Words items, AnswerAs as) {
  if (key.file() != nullptr) {
    return ask_file(context, *key.file(), items, as);
  }
  PerItem<std::uint64_t> answers(answer_words(items.size()));
  if (key.found() == Found::kValue) {
    key.value().may_contain(texts_of(items), now_for(key.value()), answers);
  }
  reply_with_bits(context, answers, items.size(), as);
  return kOk;
}

// ---- creating and adding

int reserve_key(Context* context, String* name, const FilterOptions& options) {
  OpenKey key(context, name, kRead | kWrite, Wants::kBoth);
  if (key.found() != Found::kNothing) {
    const bool is_same =
        key.found() == Found::kValue && family_of(key.value().layout()) == family_of(options.key.layout);
    return fail(context, is_same ? kItemExists : kWrongType);
  }
  if (const char* error = create_key(context, name, options.key, key); error != nullptr) {
    return fail(context, error);
  }
  return server.ReplyWithSimpleString(context, "OK");
}

const char* prepare_add(Context* context, String* name, const FilterOptions& options, OpenKey& key) {
  if (key.found() == Found::kOther) {
    return kWrongType;
  }
  if (key.found() == Found::kNothing) {
    return options.no_create ? kNotFound : create_key(context, name, options.key, key);
  }
  return key.value().is_loaded() ? nullptr : kIsBeingLoaded;
}

Added told_of(const FilterValue& value, Added outcome, AddWhen when) {
  const bool tells_of_copies = family_of(value.layout()) == Family::kDeletable && when == AddWhen::kAlways;
  const bool knows = outcome != Added::kNew || tells_of_copies || !value.answers_maybe(now_for(value));
  return knows ? outcome : Added::kKnown;
}

int add_and_reply(Context* context, String* name, const FilterOptions& options, OpenKey& key, Words items) {
  if (const char* error = prepare_add(context, name, options, key); error != nullptr) {
    return fail(context, error);
  }
  const PerItem<Added> outcomes = add_items(context, name, key.value(), items);
  server.ReplyWithArray(context, static_cast<long>(outcomes.size()));
  for (const Added outcome : outcomes) {
    reply_with_outcome(context, told_of(key.value(), outcome));
  }
  return kOk;
}

int add_one(Context* context, String** words, int count, Wants wants) {
  OpenKey key(context, words[1], kRead | kWrite, wants);
  if (wants == Wants::kBoth && key.file() != nullptr) {
    return add_to_file(context, words[1], *key.file(), words_of(words, count).subspan(2), AnswerAs::kOne);
  }
  const auto usual = options_if_made(context, key, wants);
  if (!usual) {
    return kOk;
  }
  if (const char* error = prepare_add(context, words[1], *usual, key); error != nullptr) {
    return fail(context, error);
  }
  const Added outcome = add_items(context, words[1], key.value(), words_of(words, count).subspan(2)).front();
  reply_with_outcome(context, told_of(key.value(), outcome));
  return kOk;
}

int add_many(Context* context, String** words, int count, Wants wants) {
  const Words items = words_of(words, count).subspan(2);
  OpenKey key(context, words[1], kRead | kWrite, wants);
  if (wants == Wants::kBoth && key.file() != nullptr) {
    return add_to_file(context, words[1], *key.file(), items, AnswerAs::kArray);
  }
  const auto usual = options_if_made(context, key, wants);
  return usual ? add_and_reply(context, words[1], *usual, key, items) : kOk;
}

int count_of_key(Context* context, String** words, int /*count*/, Wants wants) {
  const OpenKey key(context, words[1], kRead, wants);
  if (key.found() == Found::kOther) {
    return fail(context, kWrongType);
  }
  return server.ReplyWithLongLong(
      context, key.found() == Found::kNothing ? 0 : static_cast<long long>(key.value().keys()));
}

// ---- dumps

int scan_dump(Context* context, String** words, int /*count*/, Wants wants, const DumpErrors& errors,
              EndOfDump end) {
  const OpenKey key(context, words[1], kRead, wants);
  if (key.found() != Found::kValue) {
    return fail(context, error_of_found(key.found()));
  }
  const auto iterator = integer_of(words[2]);
  if (!iterator || *iterator < 0) {
    return fail(context, errors.bad_iterator);
  }
  if (!key.value().is_loaded()) {
    return fail(context, kIsBeingLoaded);
  }
  Result<ScanStep> step = scan_step(key.value(), static_cast<std::uint64_t>(*iterator));
  const ScanStep answer = step ? std::move(step).value() : ScanStep();
  server.ReplyWithArray(context, 2);
  server.ReplyWithLongLong(context, static_cast<long long>(answer.iterator));
  if (answer.iterator == 0 && end == EndOfDump::kNull) {
    return server.ReplyWithNull(context);
  }
  return server.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(answer.bytes.data()),
                                      answer.bytes.size());
}

int load_dump(Context* context, String** words, int /*count*/, Wants wants, const DumpErrors& errors) {
  const std::string_view data = text_of(words[3]);
  if (is_front(std::as_bytes(std::span(data)))) {
    redact(context, 3);  // the front contains the secret of a keyed filter
  }
  const auto iterator = integer_of(words[2]);
  if (!iterator || *iterator < 1) {
    return fail(context, errors.bad_iterator);
  }
  OpenKey key(context, words[1], kRead | kWrite, wants);
  if (key.found() == Found::kOther) {
    return fail(context, kWrongType);
  }
  const char* error = nullptr;
  if (*iterator == 1) {
    error = key.found() == Found::kValue ? kItemExists : load_new(context, key, data, wants, errors);
  } else {
    error = key.found() == Found::kNothing
                ? kNotFound
                : load_next(key.value(), static_cast<std::uint64_t>(*iterator), data, errors);
  }
  if (error != nullptr) {
    return fail(context, error);
  }
  server.Replicate(context, "BLOOM.LOADCHUNK", "sss", words[1], words[2], words[3]);
  announce(context, "bloom.loadchunk", words[1]);
  return server.ReplyWithSimpleString(context, "OK");
}

int scan_bloom(Context* context, String** words, int count, Wants wants) {
  return scan_dump(context, words, count, wants, kScanErrors, EndOfDump::kEmptyString);
}

int load_bloom(Context* context, String** words, int count, Wants wants) {
  return load_dump(context, words, count, wants, kLoadErrors);
}

}  // namespace bloomery::redis_module
