// Parses the options of commands that make a filter: BF.RESERVE, BF.INSERT, CF.RESERVE, CF.INSERT and
// BLOOM.CREATE. The commands accept different options and have different error texts.
//
//   [WORD value | FLAG]... [ITEMS item...]
//
// Option names must match completely, in upper or lower case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "redis_module/arguments.h"
#include "redis_module/settings.h"

namespace bloomery::redis_module {

struct FilterOptions {
  NewKey key;
  std::uint64_t bytes = 0;  // 0: the filter is sized by its capacity
  bool names_capacity = false;
  bool names_expansion = false;
  bool nonscaling = false;
  bool names_hash = false;  // a seed or a secret was named
  bool keyed = false;
  bool no_create = false;
  std::size_t items_at = 0;  // the index of the first item; 0 if there is none
};

// The error texts of one command.
struct OptionErrors {
  const char* error_not_number;
  const char* error_out_of_range;
  const char* capacity_not_number;
  const char* capacity_out_of_range;
  const char* expansion_not_number;
  const char* expansion_out_of_range;
  const char* unknown_word;
  const char* no_value;
};

// Parses the value of an option. Returns the error for the client, or null.
using TakeOption = const char* (*)(const String* value, const OptionErrors&, FilterOptions&);

struct ValueOption {
  std::string_view word;
  TakeOption take;
};

struct FlagOption {
  std::string_view word;
  bool FilterOptions::*flag;
};

// The options that a command accepts, and its error texts.
struct OptionGrammar {
  std::span<const ValueOption> values;
  std::span<const FlagOption> flags;
  OptionErrors errors;
};

// Parses the options from words[first] to ITEMS or the end. Returns the error for the client, or null.
const char* read_options(Words words, std::size_t first, const OptionGrammar& grammar,
                         FilterOptions& options);

const char* take_error_rate(const String* word, const OptionErrors& errors, FilterOptions& options);
const char* take_capacity(const String* word, const OptionErrors& errors, FilterOptions& options);
const char* take_expansion(const String* word, const OptionErrors& errors, FilterOptions& options);
const char* take_bucket_size(const String* word, const OptionErrors& errors, FilterOptions& options);
const char* take_iterations(const String* word, const OptionErrors& errors, FilterOptions& options);

// Applies NONSCALING. Returns `error` if the command also has EXPANSION.
const char* apply_nonscaling(FilterOptions& options, const char* error);

}  // namespace bloomery::redis_module
