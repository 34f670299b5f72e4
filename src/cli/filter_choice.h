// What `-t` names: a filter type and its setting, with the sizing and making that go with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"

namespace bloomery::cli {

// What a filter is asked to be: by its errors or by its size.
struct SizeWish {
  std::string fpp;           // -p
  std::string bits_per_key;  // --bits-per-key; exactly one of the two is given
};

struct FilterChoice {
  FilterType type;
  LineSetting setting;  // of kBlocked

  // "bloom", "blocked:fast", "blocked:dense", "ribbon".
  std::string name() const;
};

// Every choice there is, the default first.
const std::vector<FilterChoice>& all_choices();

// Reads one of their names, or `blocked` for `blocked:fast`. Errors: kInvalidArgument.
Result<FilterChoice> parse_choice(std::string_view text);

// What a filter of a choice would be, before there is one.
struct SizePlan {
  std::uint64_t bits;
  std::uint32_t hash_count;
  double fpp_full;
  std::optional<double> fpp_double;  // at twice as many keys; nothing for a filter that takes no more
};

// The fpp of a ribbon, which is made to its errors whatever was asked for.
Result<double> asked_ribbon_fpp(std::uint64_t key_count, const SizeWish& wish);

Result<SizePlan> plan_size(const FilterChoice& choice, std::uint64_t key_count, const SizeWish& wish);

// Precondition: the choice is no ribbon, which has no empty filter.
Result<AnyFilter> make_filter(const FilterChoice& choice, std::uint64_t capacity, const SizeWish& wish,
                              const FilterOptions& options);

}  // namespace bloomery::cli
