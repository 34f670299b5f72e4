#include "cli/filter_choice.h"

#include <algorithm>
#include <cassert>

#include "bloomery/filter/ribbon_sizing.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

// The number that was given, and whether it is an fpp. Errors: unless exactly one was.
struct Wanted {
  double value;
  bool is_fpp;
};

Result<Wanted> wanted(const SizeWish& wish) {
  if (wish.fpp.empty() == wish.bits_per_key.empty()) {
    return Error::invalid_argument("arguments", "expected either -p or --bits-per-key");
  }
  if (!wish.fpp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, parse_real("-p", wish.fpp));
    return Wanted{.value = fpp, .is_fpp = true};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const double bits_per_key, parse_real("--bits-per-key", wish.bits_per_key));
  return Wanted{.value = bits_per_key, .is_fpp = false};
}

Result<BloomShape> bloom_shape(std::uint64_t count, const Wanted& size) {
  return size.is_fpp ? shape_for_fpp(count, size.value) : shape_for_bits_per_key(count, size.value);
}

Result<BlockedShape> blocked_shape(std::uint64_t count, const Wanted& size, LineSetting setting) {
  return size.is_fpp ? blocked_shape_for_fpp(count, size.value, setting)
                     : blocked_shape_for_bits_per_key(count, size.value, setting);
}

}  // namespace

std::string FilterChoice::name() const {
  if (type != FilterType::kBlocked) {
    return filter_type_name(type);
  }
  return setting == LineSetting::kFast ? "blocked:fast" : "blocked:dense";
}

const std::vector<FilterChoice>& all_choices() {
  static const std::vector<FilterChoice> choices = {{FilterType::kBlocked, LineSetting::kFast},
                                                    {FilterType::kBlocked, LineSetting::kDense},
                                                    {FilterType::kRibbon, LineSetting::kFast},
                                                    {FilterType::kBloom, LineSetting::kFast}};
  return choices;
}

Result<FilterChoice> parse_choice(std::string_view text) {
  const std::string_view name = text == "blocked" ? "blocked:fast" : text;
  const auto found = std::find_if(all_choices().begin(), all_choices().end(),
                                  [name](const FilterChoice& choice) { return choice.name() == name; });
  if (found == all_choices().end()) {
    return Error::invalid_argument(
        "-t",
        "expected bloom, blocked, blocked:fast, blocked:dense or ribbon, found '" + std::string(text) + "'");
  }
  return *found;
}

Result<double> asked_ribbon_fpp(std::uint64_t key_count, const SizeWish& wish) {
  BLOOMERY_ASSIGN_OR_RETURN(const Wanted size, wanted(wish));
  return size.is_fpp ? Result<double>(size.value) : ribbon_fpp_for_bits_per_key(key_count, size.value);
}

Result<SizePlan> plan_size(const FilterChoice& choice, std::uint64_t key_count, const SizeWish& wish) {
  BLOOMERY_ASSIGN_OR_RETURN(const Wanted size, wanted(wish));
  const auto plan = [key_count](std::uint64_t bits, const auto& shape) {
    return SizePlan{.bits = bits,
                    .hash_count = shape.hash_count,
                    .fpp_full = predicted_fpp(shape, key_count),
                    .fpp_double = predicted_fpp(shape, 2 * key_count)};
  };
  if (choice.type == FilterType::kRibbon) {
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, asked_ribbon_fpp(key_count, wish));
    BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape shape, ribbon_shape_for_fpp(key_count, fpp));
    return SizePlan{.bits = predicted_ribbon_bytes(key_count, fpp) * 8,
                    .hash_count = shape.columns,
                    .fpp_full = fpp,
                    .fpp_double = std::nullopt};
  }
  if (choice.type == FilterType::kBloom) {
    BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape(key_count, size));
    return plan(shape.bits, shape);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape(key_count, size, choice.setting));
  return plan(shape.bits(), shape);
}

Result<AnyFilter> make_filter(const FilterChoice& choice, std::uint64_t capacity, const SizeWish& wish,
                              const FilterOptions& options) {
  assert(choice.type != FilterType::kRibbon);
  BLOOMERY_ASSIGN_OR_RETURN(const Wanted size, wanted(wish));
  if (choice.type == FilterType::kBloom) {
    if (size.is_fpp) {
      BLOOMERY_ASSIGN_OR_RETURN(BloomFilter filter, BloomFilter::for_capacity(capacity, size.value, options));
      return AnyFilter(std::move(filter));
    }
    BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape(capacity, size));
    BLOOMERY_ASSIGN_OR_RETURN(BloomFilter filter, BloomFilter::for_shape(shape, capacity, options));
    return AnyFilter(std::move(filter));
  }
  if (size.is_fpp) {
    BLOOMERY_ASSIGN_OR_RETURN(BlockedBloomFilter filter,
                              BlockedBloomFilter::for_capacity(
                                  capacity, size.value, {.setting = choice.setting, .filter = options}));
    return AnyFilter(std::move(filter));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape(capacity, size, choice.setting));
  BLOOMERY_ASSIGN_OR_RETURN(BlockedBloomFilter filter,
                            BlockedBloomFilter::for_shape(shape, capacity, options));
  return AnyFilter(std::move(filter));
}

}  // namespace bloomery::cli
