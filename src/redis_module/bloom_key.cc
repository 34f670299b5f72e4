#include "redis_module/bloom_key.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "hash/secret_text.h"
#include "redis_module/bloom_type.h"
#include "redis_module/border.h"
#include "redis_module/counters.h"
#include "redis_module/file_type.h"
#include "redis_module/memory_limit.h"

namespace bloomery::redis_module {
namespace {

// Returns a text that reads back as the same number, which 17 digits guarantee.
std::string exact_text(double value) {
  std::array<char, 40> text;
  const int size = std::snprintf(text.data(), text.size(), "%.17g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

void replicate_creation(Context* context, String* name, const NewKey& key) {
  const GrowingPlan& plan = key.plan;
  const std::string error = exact_text(plan.fpp);
  const bool keyed = plan.hash.id == HashId::kSipHash;
  const std::string last = keyed ? secret_text(plan.hash.secret) : std::to_string(plan.hash.seed);
  std::vector<std::string> words = {"LAYOUT",
                                    layout_name(key.layout),
                                    "CAPACITY",
                                    std::to_string(plan.capacity),
                                    "ERROR",
                                    error,
                                    "EXPANSION",
                                    std::to_string(plan.expansion),
                                    keyed ? "SECRET" : "SEED",
                                    last};
  if (key.layout == Layout::kQuotient) {
    words.insert(words.end(), {"BUCKETSIZE", std::to_string(key.cuckoo.bucket_size), "MAXITERATIONS",
                               std::to_string(key.cuckoo.most_iterations)});
  }
  std::vector<String*> strings;
  strings.reserve(words.size());
  for (const std::string& word : words) {
    strings.push_back(server.CreateString(context, word.data(), word.size()));
  }
  server.Replicate(context, "BLOOM.CREATE", "sv", name, strings.data(), strings.size());
  for (String* const string : strings) {
    server.FreeString(context, string);
  }
}

// Replicates the client's command if the setting says so and it may, otherwise `command` with these items.
void replicate_items(Context* context, const char* command, String* name, const PerItem<String*>& items,
                     bool may_go_verbatim) {
  if (settings().verbatim && may_go_verbatim) {
    server.ReplicateVerbatim(context);
  } else {
    server.Replicate(context, command, "sv", name, items.data(), items.size());
  }
}

}  // namespace

const char* layout_name(Layout layout) {
  switch (layout) {
    case Layout::kBloomery:
      return "bloomery";
    case Layout::kRedisBloom:
      return "redisbloom";
    case Layout::kCuckoo:
      return "cuckoo";
    default:
      return "quotient";
  }
}

OpenKey::OpenKey(Context* context, String* name, int mode, Wants wants)
    : key_(server.OpenKey(context, name, mode)) {
  const int kind = key_ == nullptr ? kEmptyKey : server.KeyType(key_);
  found_ = kind == kEmptyKey ? Found::kNothing : Found::kOther;
  if (kind != kModuleKey) {
    return;
  }
  const DataType* const type = server.ModuleTypeGetType(key_);
  if (type == file_type()) {
    file_ = static_cast<FileValue*>(server.ModuleTypeGetValue(key_));
  }
  for (const Family family : {Family::kBloom, Family::kDeletable}) {
    if (type == type_of(family) && wants_family(wants, family)) {
      found_ = Found::kValue;
      value_ = static_cast<FilterValue*>(server.ModuleTypeGetValue(key_));
    }
  }
}

OpenKey::~OpenKey() {
  if (key_ != nullptr) {
    server.CloseKey(key_);
  }
}

void OpenKey::set(std::unique_ptr<FilterValue> value) {
  value_ = value.get();
  server.ModuleTypeSetValue(key_, type_of(family_of(value_->layout())), value.release());
  found_ = Found::kValue;
}

void OpenKey::set(std::unique_ptr<FileValue> value) {
  file_ = value.get();
  server.ModuleTypeSetValue(key_, file_type(), value.release());
  found_ = Found::kOther;
}

void OpenKey::unlink() {
  server.UnlinkKey(key_);
  found_ = Found::kNothing;
  value_ = nullptr;
  file_ = nullptr;
}

void OpenKey::expire_in(std::optional<long long> milliseconds) {
  constexpr long long kNever = -1;
  server.SetExpire(key_, milliseconds.value_or(kNever));
}

const char* create_key(Context* context, String* name, const NewKey& plan, OpenKey& key) {
  Result<std::unique_ptr<FilterValue>> value = make_value(plan, most_bytes_of_key(context));
  if (!value) {
    return value.error().code() == ErrorCode::kInvalidArgument ? "ERR bad error rate" : kTooLarge;
  }
  key.set(std::move(value).value());
  replicate_creation(context, name, plan);
  announce(context, "bloom.reserve", name);
  return nullptr;
}

PerItem<Added> add_items(Context* context, String* name, FilterValue& value, Words items, AddWhen when,
                         bool may_go_verbatim) {
  PerItem<Added> outcomes(items.size());
  PerItem<String*> changed(items.size());
  std::size_t changes = 0;
  std::size_t known = 0;
  const std::size_t done = value.add(texts_of(items), most_bytes_of_key(context), outcomes, when);
  outcomes.shrink(done);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == Added::kNew) {
      changed[changes++] = items[i];
    } else if (outcomes[i] == Added::kKnown) {
      ++known;
    } else {
      ++counters().items_refused;
    }
  }
  counters().items_refused += items.size() - done;
  counters().items_known += known;
  if (changes > 0) {
    counters().items_added += changes;
    changed.shrink(changes);
    replicate_items(context, "BLOOM.MADD", name, changed, may_go_verbatim && changes + known == items.size());
    announce(context, "bloom.add", name);
  }
  return outcomes;
}

PerItem<Removed> remove_items(Context* context, String* name, FilterValue& value, Words items) {
  PerItem<Removed> outcomes(items.size());
  PerItem<String*> changed(items.size());
  std::size_t changes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    outcomes[i] = value.remove(text_of(items[i]));
    if (outcomes[i] == Removed::kYes) {
      changed[changes++] = items[i];
    }
  }
  if (changes > 0) {
    counters().items_removed += changes;
    const bool is_complete = std::ranges::find(outcomes, Removed::kNoMemory) == outcomes.end();
    changed.shrink(changes);
    replicate_items(context, "BLOOM.REMOVE", name, changed, is_complete);
    announce(context, "bloom.remove", name);
  }
  return outcomes;
}

void announce(Context* context, const char* event, String* name) {
  server.NotifyKeyspaceEvent(context, kNotifyModule, event, name);
}

}  // namespace bloomery::redis_module
