// Turns `-t`, `-p` and related options into a FilterPlan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

// The fpp of `build` and `estimate` by default. One absent key in a thousand is answered maybe, at about two
// bytes per key.
constexpr double kUsualFpp = 0.001;

// The options that describe the requested filter, as text.
struct FilterWish {
  std::string type = {};          // -t; empty: the verb's default
  std::string fpp = {};           // -p
  std::string bits_per_key = {};  // --bits-per-key; at most one of this and -p
  std::string window = {};        // --window, only for -t windowed
  std::string generations = {};   // --generations, only for -t windowed
  std::string exact_below = {};   // --exact-below
  std::string questions = {};     // --questions

  // Adds the options to a verb.
  void add_to(CLI::App& verb);
  // Returns true if neither an fpp nor a size was chosen, so that the fpp is kUsualFpp.
  bool assumes_fpp() const { return fpp.empty() && bits_per_key.empty(); }
};

// Checks an option that has a default. An empty value, for example from an unset shell variable, is an error.
std::string refuse_empty(const std::string& text);

// Returns a plan without a size for every type that needs no further option. The default comes first.
const std::vector<FilterPlan>& plain_types();

// Returns the names of these types and "windowed", for messages: "blocked or blocked:fast (default), ...".
std::string type_names();

// Returns the plan of the requested type, without a size. `blocked`, and no -t, mean `blocked:fast`. Errors:
// kInvalidArgument, also for an option that the type would ignore.
Result<FilterPlan> planned_type(const FilterWish& wish);

// The requested size in one of two forms; exactly one is set.
struct WishedSize {
  std::optional<double> fpp = {};
  std::optional<double> bits_per_key = {};
};

// Parses -p or --bits-per-key; without either, the fpp is kUsualFpp. Errors: kInvalidArgument if both are
// given, or one is no number.
Result<WishedSize> wished_size(const FilterWish& wish);

// Sets the capacity and the requested size of a plan. -p is the fpp of a text, which asks `questions` or
// --questions questions; the plan has the fpp of one question (bloomery/filter/block_list.h). Errors:
// kInvalidArgument for a bad -p, --bits-per-key or --questions.
Result<FilterPlan> sized(FilterPlan plan, std::uint64_t capacity, const FilterWish& wish,
                         std::size_t questions = 1);

// Returns --questions, or `otherwise` without it. Errors: kInvalidArgument.
Result<std::size_t> wished_questions(const FilterWish& wish, std::size_t otherwise);

}  // namespace bloomery::cli
