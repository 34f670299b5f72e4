// `-n`, `-p`, `-t` and related options, which several verbs have: their text becomes numbers here alone.
//
//    FilterWish  --parse()-->  FilterChoice  --sized()-->  FilterPlan
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

// The options that describe the requested filter, as numbers.
struct FilterChoice {
  std::optional<std::uint64_t> capacity = {};  // -n
  FilterPlan type = {};                        // -t, --window, --exact-below: a plan without a size
  std::optional<double> fpp = {};              // -p
  std::optional<double> bits_per_key = {};     // --bits-per-key; at most one of this and -p
  std::optional<std::size_t> questions = {};   // --questions

  // Returns true if neither an fpp nor a size was chosen, so that the fpp is kDefaultFpp.
  bool assumes_fpp() const { return !fpp && !bits_per_key; }

  // Returns the plan with its size. -p is the fpp of a text, which asks --questions questions, or else
  // `questions_of_text`; the plan has the fpp of one question (bloomery/filter/block_list.h).
  FilterPlan sized(std::uint64_t keys, std::size_t questions_of_text = 1) const;
};

// The same options as text. An empty text is an option that was not given.
struct FilterWish {
  std::string capacity = {};
  std::string type = {};
  std::string fpp = {};
  std::string bits_per_key = {};
  std::string window = {};       // only for -t windowed
  std::string generations = {};  // only for -t windowed
  std::string exact_below = {};
  std::string questions = {};

  // Adds the options to a verb, where -n has the description `of_capacity`.
  void add_to(CLI::App& verb, const std::string& of_capacity);

  // `blocked`, and no -t, mean `blocked:fast`. Errors: kInvalidArgument for a wrong number, for a type that
  // is not known, and for an option that the type would ignore.
  Result<FilterChoice> parse() const;
};

// Checks an option that has a default. An empty value, for example from an unset shell variable, is an error.
std::string refuse_empty(const std::string& text);

// Returns a plan without a size for every type that needs no further option. The default comes first.
const std::vector<FilterPlan>& plain_types();

// Returns the names of these types and "windowed", for messages: "blocked or blocked:fast (default), ...".
std::string type_names();

}  // namespace bloomery::cli
