// What `-t`, `-p` and the options beside them ask for, as a plan of a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"

namespace bloomery::cli {

// What a filter is asked to be.
struct FilterWish {
  std::string type = {};          // -t; empty: whatever the verb takes for it
  std::string fpp = {};           // -p
  std::string bits_per_key = {};  // --bits-per-key; exactly one of the two is given
  std::string window = {};        // --window, of -t windowed
  std::string generations = {};   // --generations
  std::string exact_below = {};   // --exact-below

  // Adds the options to a verb.
  void add_to(CLI::App& verb);
};

// Every type that needs no further option, as plans without a size, the default first.
const std::vector<FilterPlan>& plain_types();

// Their names and "windowed", for help and messages: "blocked or blocked:fast (default), blocked:dense, ...".
std::string type_names();

// The plan of the type that is wished for, without a size; `blocked` and none are `blocked:fast`. Errors:
// kInvalidArgument, also for options that the type would not heed.
Result<FilterPlan> planned_type(const FilterWish& wish);

// One of the two.
struct WishedSize {
  std::optional<double> fpp = {};
  std::optional<double> bits_per_key = {};
};

// Reads -p or --bits-per-key. Errors: kInvalidArgument unless exactly one is given, and it is a number.
Result<WishedSize> wished_size(const FilterWish& wish);

// Puts the capacity and the wished size into a plan. Errors: those of wished_size().
Result<FilterPlan> sized(FilterPlan plan, std::uint64_t capacity, const FilterWish& wish);

}  // namespace bloomery::cli
