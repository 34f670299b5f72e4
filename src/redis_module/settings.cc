#include "redis_module/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "redis_module/arguments.h"

namespace bloomery::redis_module {
namespace {

// RedisBloom writes this growth into the headers of filters that do not grow.
constexpr std::uint32_t kUnusedGrowth = 2;

Settings& chosen() {
  static Settings values;
  return values;
}

template <typename T>
T& field_at(void* field) {
  return *static_cast<T*>(field);
}

template <typename T>
long long number_of(const char* /*name*/, void* field) {
  return static_cast<long long>(field_at<T>(field));
}
template <typename T>
int set_number(const char* /*name*/, long long value, void* field, String** /*error*/) {
  field_at<T>(field) = static_cast<T>(value);  // the server has checked the range
  return kOk;
}

int flag_of(const char* /*name*/, void* field) {
  return field_at<bool>(field) ? 1 : 0;
}
int set_flag(const char* /*name*/, int value, void* field, String** /*error*/) {
  field_at<bool>(field) = value != 0;
  return kOk;
}

int layout_of(const char* /*name*/, void* field) {
  return static_cast<int>(field_at<Layout>(field));
}
int set_layout(const char* /*name*/, int value, void* field, String** /*error*/) {
  field_at<Layout>(field) = static_cast<Layout>(value);
  return kOk;
}

// The text of the error rate. The server reads it repeatedly and does not release it, so it is kept here.
String*& error_rate_text() {
  static String* text = nullptr;
  return text;
}
String* error_rate_of(const char* /*name*/, void* /*field*/) {
  return error_rate_text();
}
int set_error_rate(const char* /*name*/, String* value, void* field, String** error) {
  const auto rate = real_of(value);
  if (!rate || !(*rate > 0 && *rate < 1)) {
    constexpr std::string_view kWhy = "expected an error rate between 0 and 1";
    *error = server.CreateString(nullptr, kWhy.data(), kWhy.size());
    return kErr;
  }
  field_at<double>(field) = *rate;
  if (error_rate_text() != nullptr) {
    server.FreeString(nullptr, error_rate_text());
  }
  const std::string_view text = text_of(value);
  error_rate_text() = server.CreateString(nullptr, text.data(), text.size());
  return kOk;
}

Result<std::unique_ptr<FilterValue>> make_chain(const GrowingPlan& plan, std::uint64_t most_bytes) {
  const bool grows = plan.expansion > 0;
  const std::uint32_t options =
      redisbloom::kForce64 | redisbloom::kNoRounding | (grows ? std::uint32_t{0} : redisbloom::kNoScaling);
  const double error = plan.fpp;
  BLOOMERY_ASSIGN_OR_RETURN(
      const redisbloom::ChainLink link,
      redisbloom::new_link(plan.capacity, grows ? error * redisbloom::kTightening : error, options));
  if (link.bytes > most_bytes) {
    return Error::capacity("filter", "needs " + std::to_string(link.bytes) + " bytes, and a key may have " +
                                         std::to_string(most_bytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(ServerChain chain, ServerChain::create(plan.capacity, error, options,
                                                                   grows ? plan.expansion : kUnusedGrowth));
  return std::make_unique<FilterValue>(std::move(chain));
}

constexpr const char* kUsualName = "bloomery";
constexpr std::size_t kMostNameBytes = 32;

struct OtherSetting {
  std::string_view name;
  const char* meant;
};
constexpr const char* kMeansErrorRate = "bloomery.error-rate is meant";
constexpr const char* kMeansCapacity = "bloomery.capacity is meant";
constexpr const char* kMeansExpansion = "bloomery.expansion is meant";
constexpr const char* kMeansMemoryLimit = "bloomery.memory-limit is meant";
constexpr const char* kMeansNothingOfCuckoo =
    "there is none: a new key of CF is a quotient filter, which has no such number";
// The arguments of RedisBloom, the settings of Redis 8 and those of valkey-bloom.
constexpr std::array<OtherSetting, 18> kOtherSettings = {{
    {"ERROR_RATE", kMeansErrorRate},
    {"INITIAL_SIZE", kMeansCapacity},
    {"CF_MAX_EXPANSIONS", kMeansMemoryLimit},
    {"bf-error-rate", kMeansErrorRate},
    {"bf-initial-size", kMeansCapacity},
    {"bf-expansion-factor", kMeansExpansion},
    {"cf-initial-size", "there is none: name the capacity in CF.RESERVE, or let the key grow"},
    {"cf-bucket-size", kMeansNothingOfCuckoo},
    {"cf-max-iterations", kMeansNothingOfCuckoo},
    {"cf-expansion-factor", kMeansNothingOfCuckoo},
    {"cf-max-expansions", kMeansMemoryLimit},
    {"bf.bloom-fp-rate", kMeansErrorRate},
    {"bf.bloom-capacity", kMeansCapacity},
    {"bf.bloom-expansion", kMeansExpansion},
    {"bf.bloom-memory-usage-limit", kMeansMemoryLimit},
    {"bf.bloom-use-random-seed", "bloomery.keyed is meant"},
    {"bf.bloom-tightening-ratio", "there is none: the error rate holds for the whole filter"},
    {"bf.bloom-defrag-enabled", "there is none: activedefrag of the server holds for filters, too"},
}};

char small_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_module_name(std::string_view word) {
  return !word.empty() && word.size() <= kMostNameBytes && std::ranges::all_of(word, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
  });
}

}  // namespace

const char* meant_by(std::string_view other) {
  const auto* const found = std::ranges::find_if(kOtherSettings, [&](const OtherSetting& row) {
    return std::ranges::equal(row.name, other, {}, small_letter, small_letter);
  });
  return found == kOtherSettings.end() ? nullptr : found->meant;
}

const char* name_by_arguments(Context* context, std::span<String* const> words) {
  if (words.empty()) {
    return kUsualName;
  }
  if (words.size() == 2 && is_word(words[0], "NAME") && is_module_name(text_of(words[1]))) {
    static std::string name;
    name = text_of(words[1]);
    return name.c_str();
  }
  bool is_known = false;
  for (const String* const word : words) {
    const std::string text(text_of(word));
    if (const char* meant = meant_by(text); meant != nullptr) {
      server.Log(context, "warning", "%s: %s; write settings into redis.conf, after loadmodule", text.c_str(),
                 meant);
      is_known = true;
    }
  }
  if (!is_known) {
    server.Log(context, "warning",
               "expected no arguments, or NAME and a word of letters, digits, - and _; settings are "
               "bloomery.NAME in redis.conf");
  }
  return nullptr;
}

const Settings& settings() {
  return chosen();
}

std::uint32_t usual_expansion(Layout layout) {
  if (settings().expansion >= 0) {
    return static_cast<std::uint32_t>(settings().expansion);
  }
  return layout == Layout::kBloomery ? kUsualExpansion : kUsualExpansionOfOthers;
}

bool register_settings(Context* context) {
  static std::array<const char*, 2> names = {"bloomery", "redisbloom"};
  static constexpr std::array<int, 2> kValues = {static_cast<int>(Layout::kBloomery),
                                                 static_cast<int>(Layout::kRedisBloom)};
  Settings& values = chosen();
  std::array<char, 32> rate = {};  // the default as text, which the server copies
  std::to_chars(rate.data(), rate.data() + rate.size() - 1, values.error_rate);
  return server.RegisterEnumConfig(context, "layout", kValues[0], 0, names.data(), kValues.data(),
                                   static_cast<int>(names.size()), layout_of, set_layout, nullptr,
                                   &values.layout) == kOk &&
         server.RegisterStringConfig(context, "error-rate", rate.data(), 0, error_rate_of, set_error_rate,
                                     nullptr, &values.error_rate) == kOk &&
         server.RegisterNumericConfig(context, "capacity", static_cast<long long>(values.capacity), 0, 1,
                                      static_cast<long long>(kMostCapacity), number_of<std::uint64_t>,
                                      set_number<std::uint64_t>, nullptr, &values.capacity) == kOk &&
         server.RegisterNumericConfig(context, "expansion", values.expansion, 0, -1, kMostExpansion,
                                      number_of<std::int32_t>, set_number<std::int32_t>, nullptr,
                                      &values.expansion) == kOk &&
         server.RegisterBoolConfig(context, "keyed", 0, 0, flag_of, set_flag, nullptr, &values.keyed) ==
             kOk &&
         server.RegisterBoolConfig(context, "verbatim", 0, 0, flag_of, set_flag, nullptr, &values.verbatim) ==
             kOk &&
         server.RegisterNumericConfig(context, "memory-limit", static_cast<long long>(values.memory_limit),
                                      kSettingIsMemory, 1024, static_cast<long long>(kMostPagedBytes),
                                      number_of<std::uint64_t>, set_number<std::uint64_t>, nullptr,
                                      &values.memory_limit) == kOk &&
         server.LoadConfigs(context) == kOk;
}

Result<NewKey> new_key_by_settings(Family family) {
  NewKey key{.layout = settings().layout,
             .plan = {.capacity = settings().capacity,
                      .fpp = settings().error_rate,
                      .expansion = usual_expansion(settings().layout),
                      .hash = {}}};
  if (family == Family::kDeletable) {
    key.layout = Layout::kQuotient;
    key.plan.capacity = kDeletableCapacity;
    key.plan.expansion = kDeletableExpansion;
  }
  if (settings().keyed && key.layout != Layout::kRedisBloom) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::generate());
    key.plan.hash = keyed_hash(secret);
  }
  return key;
}

Result<std::unique_ptr<FilterValue>> make_value(const NewKey& key, std::uint64_t most_bytes) {
  if (key.layout == Layout::kRedisBloom) {
    return make_chain(key.plan, most_bytes);
  }
  if (key.layout == Layout::kQuotient) {
    BLOOMERY_ASSIGN_OR_RETURN(DeletableFilter filter, DeletableFilter::create(key.plan, most_bytes));
    return std::make_unique<FilterValue>(std::move(filter), key.cuckoo);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, GrowingFilter::bytes_of(key.plan));
  if (bytes > most_bytes) {
    return Error::capacity("filter", "needs " + std::to_string(bytes) + " bytes, and a key may have " +
                                         std::to_string(most_bytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(GrowingFilter filter, GrowingFilter::create(key.plan));
  return std::make_unique<FilterValue>(std::move(filter));
}

}  // namespace bloomery::redis_module
