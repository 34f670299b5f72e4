#include "redis_module/file_items.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "bloomery/filter/native_filter.h"
#include "redis_module/bloom_key.h"
#include "redis_module/border.h"
#include "redis_module/counters.h"
#include "redis_module/memory_limit.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kNoKey = "ERR an item is no key of the form that the file records";
constexpr const char* kHasManyExceptions = "ERR the file has more than 65536 exceptions, and is read-only";
constexpr const char* kDoesNotRemove =
    "ERR items are taken out of files of the type counting or quotient only";
constexpr long long kManyCopies = 15;  // a saturated counter means this many or more

// Returns why the type accepts no items, and what to do.
const char* error_of_whole(FilterType type) {
  switch (type) {
    case FilterType::kExact:
      return "ERR an exact file is read-only in a key: add to the file (bloomery add), and load it again";
    case FilterType::kWindowed:
      return "ERR a windowed file is read-only in a key: add to the file (bloomery add), and load it again";
    default:
      return "ERR the file is a ribbon or a fuse filter, which takes no items: build it again from all its "
             "items";
  }
}

// Returns the error of a file that accepts no items, or null.
const char* error_of_change(FileValue& file) {
  if (!file.is_finished()) {
    return kIsBeingLoaded;
  }
  if (file.whole() != nullptr) {
    return error_of_whole(file.header().type);
  }
  return file.taking_items() == nullptr ? kHasManyExceptions : nullptr;
}

// Counts the outcomes. Returns how many items were accepted, which are the first ones.
std::size_t count_outcomes(std::span<const Added> outcomes, std::size_t items) {
  std::size_t taken = 0;
  for (const Added outcome : outcomes) {
    counters().items_added += outcome == Added::kNew ? 1 : 0;
    counters().items_known += outcome == Added::kKnown ? 1 : 0;
    taken += outcome == Added::kNew || outcome == Added::kKnown ? 1 : 0;
  }
  counters().items_refused += items - taken;
  return taken;
}

// An exact set stores the fpp of the filter that it becomes in its header.
double planned_error(const FileValue& file, const NativeHeader& header) {
  if (!file.is_finished()) {
    return 1;
  }
  return header.type == FilterType::kExact ? 0 : header.target_fpp;
}

}  // namespace

int ask_file(Context* context, const FileValue& file, Words items, AnswerAs as) {
  std::vector<std::uint64_t> answers(answer_words(items.size()));
  if (!file.may_contain(texts_of(items), answers)) {
    return fail(context, kNoKey);
  }
  reply_with_bits(context, answers, items.size(), as);
  return kOk;
}

int add_to_file(Context* context, String* name, FileValue& file, Words items, AnswerAs as) {
  if (const char* error = error_of_change(file); error != nullptr) {
    return fail(context, error);
  }
  const auto keys = file.keys_of(texts_of(items));
  if (!keys) {
    return fail(context, kNoKey);
  }
  PiecedFile& filter = *file.taking_items();
  std::vector<Added> outcomes(items.size());
  filter.begin_step();
  outcomes.resize(filter.insert(*keys, most_bytes_of_key(context), outcomes));
  if (const std::size_t taken = count_outcomes(outcomes, items.size()); taken > 0) {
    server.Replicate(context, "BLOOM.MADD", "sv", name, items.data(), taken);
    announce(context, "bloom.add", name);
  }
  if (as == AnswerAs::kArray) {
    server.ReplyWithArray(context, static_cast<long>(outcomes.size()));
  }
  for (const Added outcome : outcomes) {
    reply_with_outcome(context, outcome);
  }
  return kOk;
}

int remove_from_file(Context* context, String* name, FileValue& file, Words items) {
  if (const char* error = error_of_change(file); error != nullptr) {
    return fail(context, error);
  }
  if (!file.pieced()->counts()) {
    return fail(context, kDoesNotRemove);
  }
  const auto keys = file.keys_of(texts_of(items));
  if (!keys) {
    return fail(context, kNoKey);
  }
  std::vector<Removed> outcomes;
  outcomes.reserve(items.size());
  std::vector<String*> changed;
  changed.reserve(items.size());
  file.taking_items()->begin_step();
  for (std::size_t i = 0; i < items.size(); ++i) {
    outcomes.push_back(file.taking_items()->remove((*keys)[i]));
    if (outcomes[i] == Removed::kYes) {
      changed.push_back(items[i]);
    }
  }
  if (!changed.empty()) {
    counters().items_removed += changed.size();
    server.Replicate(context, "BLOOM.REMOVE", "sv", name, changed.data(), changed.size());
    announce(context, "bloom.remove", name);
  }
  reply_with_removals(context, outcomes);
  return kOk;
}

int count_in_file(Context* context, const FileValue& file, const String* item) {
  if (!file.is_finished()) {
    return fail(context, kIsBeingLoaded);
  }
  const WholeFile* const whole = file.whole();
  if (whole != nullptr ? !whole->counts() : !file.pieced()->counts()) {
    return fail(context,
                "ERR items are counted in files of the types counting and quotient, and in exact ones that "
                "become these");
  }
  const std::string_view text = text_of(item);
  const auto keys = file.keys_of({&text, 1});
  if (!keys) {
    return fail(context, kNoKey);
  }
  const Hash128& key = keys->front();
  const std::optional<std::uint64_t> count =
      whole != nullptr ? whole->count(key) : file.pieced()->count_at_most(key);
  constexpr std::uint64_t kMost = std::numeric_limits<long long>::max();
  return server.ReplyWithLongLong(context,
                                  count ? static_cast<long long>(std::min(kMost, *count)) : kManyCopies);
}

int describe_file(Context* context, const FileValue& file) {
  const NativeHeader header = file.header();
  const auto number = [&](const char* label, std::uint64_t of) { reply_with_number(context, label, of); };
  const WindowedFile* const windowed = file.whole() == nullptr ? nullptr : file.whole()->windowed();
  server.ReplyWithMap(context, windowed == nullptr ? 10 : 12);
  server.ReplyWithSimpleString(context, "layout");
  server.ReplyWithSimpleString(context, "file");
  server.ReplyWithSimpleString(context, "type");
  server.ReplyWithSimpleString(context, file.type_name().c_str());
  number("capacity", header.capacity);
  number("items", header.inserted);
  number("takes-items", file.takes_items() ? 1 : 0);
  number("filter-bytes", file.size());
  number("memory-bytes", file.memory_bytes());
  number("loaded-bytes", file.taken());
  number("keyed", file.secret() ? 1 : 0);
  if (windowed != nullptr) {
    const WindowedFile::Remembered remembered = windowed->remembered();
    number("remembered-generations", remembered.generations);
    number("remembered-items", remembered.keys);
  }
  server.ReplyWithSimpleString(context, "planned-error");
  return server.ReplyWithDouble(context, planned_error(file, header));
}

}  // namespace bloomery::redis_module
