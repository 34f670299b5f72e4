#include "redis_module/bloom_key.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "redis_module/bloom_type.h"
#include "redis_module/counters.h"

namespace bloomery::redis_module {
namespace {

const char* layout_name(Layout layout) {
  return layout == Layout::kBloomery ? "bloomery" : "redisbloom";
}

// The fewest digits that give the same number again would do; 17 always do.
std::string exact_text(double value) {
  std::array<char, 40> text;
  const int size = std::snprintf(text.data(), text.size(), "%.17g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

void replicate_creation(Context* context, String* name, const NewKey& key) {
  const GrowingPlan& plan = key.plan;
  const std::string error = exact_text(plan.fpp);
  const bool keyed = plan.hash.id == HashId::kSipHash;
  const std::string last = keyed ? hex_of(plan.hash.secret) : std::to_string(plan.hash.seed);
  server.Replicate(context, "BLOOM.CREATE",
                   "sccclcccl"
                   "cc",
                   name, "LAYOUT", layout_name(key.layout), "CAPACITY", static_cast<long long>(plan.capacity),
                   "ERROR", error.c_str(), "EXPANSION", static_cast<long long>(plan.expansion),
                   keyed ? "SECRET" : "SEED", last.c_str());
}

}  // namespace

OpenKey::OpenKey(Context* context, String* name, int mode) : key_(server.OpenKey(context, name, mode)) {
  if (key_ == nullptr || server.KeyType(key_) == kEmptyKey) {
    return;
  }
  if (server.KeyType(key_) != kModuleKey || server.ModuleTypeGetType(key_) != bloom_type()) {
    found_ = Found::kOtherType;
    return;
  }
  found_ = Found::kValue;
  value_ = static_cast<BloomValue*>(server.ModuleTypeGetValue(key_));
}

OpenKey::~OpenKey() {
  if (key_ != nullptr) {
    server.CloseKey(key_);
  }
}

void OpenKey::set(std::unique_ptr<BloomValue> value) {
  value_ = value.get();
  server.ModuleTypeSetValue(key_, bloom_type(), value.release());
  found_ = Found::kValue;
}

bool must_obey(Context* context) {
  return (server.GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0;
}

std::uint64_t most_bytes_of_key(Context* context) {
  return must_obey(context) ? std::numeric_limits<std::uint64_t>::max() : settings().memory_limit;
}

const char* create_key(Context* context, String* name, const NewKey& plan, OpenKey& key) {
  Result<std::unique_ptr<BloomValue>> value = make_value(plan, most_bytes_of_key(context));
  if (!value) {
    return value.error().code() == ErrorCode::kInvalidArgument ? "ERR bad error rate" : kTooLarge;
  }
  key.set(std::move(value).value());
  replicate_creation(context, name, plan);
  announce(context, "bloom.reserve", name);
  return nullptr;
}

std::vector<Added> add_items(Context* context, String* name, BloomValue& value, Words items) {
  std::vector<Added> outcomes(items.size());
  std::vector<String*> changed;
  changed.reserve(items.size());
  outcomes.resize(value.add(texts_of(items), most_bytes_of_key(context), outcomes));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == Added::kNew) {
      changed.push_back(items[i]);
    } else if (outcomes[i] == Added::kKnown) {
      ++counters().items_known;
    } else {
      counters().items_refused += items.size() - i;
    }
  }
  if (!changed.empty()) {
    counters().items_added += changed.size();
    server.Replicate(context, "BLOOM.MADD", "sv", name, changed.data(), changed.size());
    announce(context, "bloom.add", name);
  }
  return outcomes;
}

const char* error_of(Added outcome) {
  switch (outcome) {
    case Added::kFull:
      return "ERR non scaling filter is full";
    case Added::kOverLimit:
      return kTooLarge;
    default:
      return "ERR problem inserting into filter";
  }
}

void announce(Context* context, const char* event, String* name) {
  server.NotifyKeyspaceEvent(context, kNotifyModule, event, name);
}

std::string hex_of(const HashSecret& secret) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : secret.bytes) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

std::optional<HashSecret> secret_of_hex(std::string_view hex) {
  HashSecret secret;
  if (hex.size() != 2 * secret.bytes.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(hex[i]);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    secret.bytes[i / 2] =
        static_cast<std::uint8_t>(unsigned{secret.bytes[i / 2]} << 4U | static_cast<unsigned>(digit));
  }
  return secret;
}

}  // namespace bloomery::redis_module
