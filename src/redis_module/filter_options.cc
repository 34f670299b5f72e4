#include "redis_module/filter_options.h"

#include <algorithm>
#include <limits>

#include "redis_module/border.h"

namespace bloomery::redis_module {
namespace {

template <typename T>
const T* find_word(std::span<const T> rows, const String* word) {
  const auto row = std::ranges::find_if(rows, [&](const T& option) { return is_word(word, option.word); });
  return row == rows.end() ? nullptr : &*row;
}

// Parses a number from 1 to `most`. Returns the error for the client, or null.
const char* take_small(const String* word, long long most, const char* not_number, const char* out_of_range,
                       std::uint16_t& value) {
  const auto number = integer_of(word);
  if (!number) {
    return not_number;
  }
  if (*number < 1 || *number > most) {
    return out_of_range;
  }
  value = static_cast<std::uint16_t>(*number);
  return nullptr;
}

}  // namespace

const char* read_options(Words words, std::size_t first, const OptionGrammar& grammar,
                         FilterOptions& options) {
  for (std::size_t i = first; i < words.size(); ++i) {
    if (is_word(words[i], "ITEMS")) {
      options.items_at = i + 1;
      return nullptr;
    }
    if (const FlagOption* const flag = find_word(grammar.flags, words[i]); flag != nullptr) {
      options.*flag->flag = true;
      continue;
    }
    const ValueOption* const option = find_word(grammar.values, words[i]);
    if (option == nullptr) {
      return grammar.errors.unknown_word;
    }
    if (++i == words.size()) {
      return grammar.errors.no_value;
    }
    if (const char* error = option->take(words[i], grammar.errors, options); error != nullptr) {
      return error;
    }
  }
  return nullptr;
}

const char* take_error_rate(const String* word, const OptionErrors& errors, FilterOptions& options) {
  const auto rate = real_of(word);
  if (!rate) {
    return errors.error_not_number;
  }
  if (!(*rate > 0 && *rate < 1)) {
    return errors.error_out_of_range;
  }
  options.key.plan.fpp = *rate;
  return nullptr;
}

const char* take_capacity(const String* word, const OptionErrors& errors, FilterOptions& options) {
  const auto capacity = integer_of(word);
  if (!capacity) {
    return errors.capacity_not_number;
  }
  if (*capacity <= 0) {
    return errors.capacity_out_of_range;
  }
  if (static_cast<std::uint64_t>(*capacity) > kMostCapacity) {
    return kTooLarge;
  }
  options.names_capacity = true;
  options.key.plan.capacity = static_cast<std::uint64_t>(*capacity);
  return nullptr;
}

const char* take_expansion(const String* word, const OptionErrors& errors, FilterOptions& options) {
  const auto expansion = integer_of(word);
  if (!expansion) {
    return errors.expansion_not_number;
  }
  if (*expansion < 0 || *expansion > kMostExpansion) {
    return errors.expansion_out_of_range;
  }
  options.key.plan.expansion = static_cast<std::uint32_t>(*expansion);
  options.names_expansion = *expansion > 0;
  return nullptr;
}

const char* take_bucket_size(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  return take_small(word, kMostBucketSize, "Couldn't parse BUCKETSIZE",
                    "BUCKETSIZE: value must be an integer between 1 and 255, inclusive.",
                    options.key.cuckoo.bucket_size);
}

const char* take_iterations(const String* word, const OptionErrors& /*errors*/, FilterOptions& options) {
  return take_small(word, std::numeric_limits<std::uint16_t>::max(), "Couldn't parse MAXITERATIONS",
                    "MAXITERATIONS: value must be an integer between 1 and 65535, inclusive.",
                    options.key.cuckoo.most_iterations);
}

const char* apply_nonscaling(FilterOptions& options, const char* error) {
  if (options.nonscaling && options.names_expansion) {
    return error;
  }
  if (options.nonscaling) {
    options.key.plan.expansion = 0;
  }
  return nullptr;
}

}  // namespace bloomery::redis_module
