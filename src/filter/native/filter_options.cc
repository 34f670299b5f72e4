#include "bloomery/filter/filter_options.h"

#include <algorithm>
#include <string>

#include "base/choice_names.h"

namespace bloomery {
namespace {

// The table of all types: their names, and the numbers that a file may have.
constexpr ChoiceNames<FilterType, 9> kFilterTypes{{{{FilterType::kBloom, "bloom"},
                                                    {FilterType::kBlocked, "blocked"},
                                                    {FilterType::kRibbon, "ribbon"},
                                                    {FilterType::kCounting, "counting"},
                                                    {FilterType::kQuotient, "quotient"},
                                                    {FilterType::kScalable, "scalable"},
                                                    {FilterType::kWindowed, "windowed"},
                                                    {FilterType::kExact, "exact"},
                                                    {FilterType::kFuse, "fuse"}}}};

constexpr ChoiceNames<BlockedSetting, 2> kBlockedSettings{
    {{{BlockedSetting::kFast, "fast"}, {BlockedSetting::kDense, "dense"}}}};

bool may_have_setting(FilterType type) {
  return type == FilterType::kBlocked || type == FilterType::kScalable || type == FilterType::kWindowed ||
         type == FilterType::kFuse ||
         type == FilterType::kExact;  // an exact set may become a filter of these types
}

Error foreign_option(FilterType type, const char* option) {
  return Error::invalid_argument(
      option, std::string("expected none for a filter of type ") + filter_type_name(type) + ", found one");
}

}  // namespace

const char* filter_type_name(FilterType type) {
  return kFilterTypes.name_of(type);
}

std::optional<FilterType> filter_type_of(std::uint16_t number) {
  const auto type = static_cast<FilterType>(number);
  const bool known =
      std::ranges::any_of(kFilterTypes.rows, [type](const auto& row) { return row.choice == type; });
  return known ? std::optional(type) : std::nullopt;
}

const char* blocked_setting_name(BlockedSetting setting) {
  return kBlockedSettings.name_of(setting);
}

std::string filter_type_name(FilterType type, BlockedSetting setting) {
  const std::string name = filter_type_name(type);
  if (type == FilterType::kFuse && setting == BlockedSetting::kDense) {
    return name + ":dense";
  }
  return type == FilterType::kBlocked ? name + ":" + blocked_setting_name(setting) : name;
}

Status check_options(FilterType type, const FilterOptions& options) {
  if (options.keys.parts == 0) {
    return Error::invalid_argument("key parts", "expected at least 1, found 0");
  }
  if (is_block_list(options.keys.form) && options.keys.parts != 1) {
    return Error::invalid_argument(
        "key parts", "expected 1 for keys of block lists, found " + std::to_string(options.keys.parts));
  }
  if (const std::uint16_t width = options.keys.digest_bytes;
      width != 0 &&
      (options.keys.form != KeyForm::kHex || options.keys.parts != 1 || !is_digest_width(width))) {
    return Error::invalid_argument(
        "digest bytes",
        "expected 0, or 16, 20, 28, 32, 48 or 64 for keys of the form hex and of one part, found " +
            std::to_string(width));
  }
  if (options.setting != BlockedSetting::kFast && !may_have_setting(type)) {
    return foreign_option(type, "setting");
  }
  if (options.growth_doublings != 0 && type != FilterType::kQuotient) {
    return foreign_option(type, "growth doublings");
  }
  if (options.window.length != 0 && type != FilterType::kWindowed) {
    return foreign_option(type, "window");
  }
  return {};
}

}  // namespace bloomery
