// Parses a command's arguments: texts, numbers, option names. Option names must match completely, in upper or
// lower case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "redis_module/module_api.h"
#include "redis_module/per_item.h"

namespace bloomery::redis_module {

// The words of a command. Word 0 is its name.
using Words = std::span<String* const>;

inline Words words_of(String** words, int count) {
  return {words, static_cast<std::size_t>(count)};
}

std::string_view text_of(const String* word);
bool is_word(const String* word, std::string_view upper_case);
std::optional<long long> integer_of(const String* word);
std::optional<double> real_of(const String* word);
PerItem<std::string_view> texts_of(Words words);

// Hides a word in SLOWLOG, MONITOR and the server's log.
void redact(Context* context, std::size_t index);
// Redacts every word that follows the word SECRET, valid or not.
void redact_secrets(Context* context, Words words);

}  // namespace bloomery::redis_module
